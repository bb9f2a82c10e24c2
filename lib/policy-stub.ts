/** TEMPORARY stand-in for `parsePolicies` of limiter/policy.ts, with the same signature. */
const POLICY = /^(sliding |bucket )?[1-9]\d*\/[1-9]\d*[smhd]( burst [1-9]\d*)?$/;

export function parsePolicies(text: string): readonly string[] {
  const policies = text.split(',').map((part) => part.trim());
  for (const policy of policies) {
    if (!POLICY.test(policy)) {
      throw new Error(`${JSON.stringify(policy)} is not a limit such as 10/1h`);
    }
  }
  return policies;
}
