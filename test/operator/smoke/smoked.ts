/** Runs the check against a sabotaged local stack, and reads the report. */
import { type CheckName, runSmoke, type SmokeOptions, type SmokeReport } from '../../../operator/smoke/smoke.ts';
import { startTestStack, type TestStack } from '../../support/stack.ts';
import { type Saboteur, sabotage } from './sabotaged-site.ts';

/** One of the stack's allowed origins. */
export const SHOP = 'https://shop.example';

/** With limits high enough for all requests of a test file, from one address. */
export async function startRoomyStack(): Promise<TestStack> {
  return await startTestStack({
    environment: { CLIENT_LIMITS: '500/1d', GLOBAL_LIMITS: '100000/1d', ALLOWED_ORIGINS: SHOP },
  });
}

/** Through a proxy, the local stack's file is not found, so this passes its Function URL. */
export async function smoke(stack: TestStack, saboteur: Saboteur, options: Partial<SmokeOptions> = {}) {
  await using site = await sabotage(stack.addresses.url, saboteur);
  const report = await runSmoke({
    url: site.url,
    functionUrl: new URL(stack.addresses.function),
    origin: SHOP,
    ...options,
  });
  return { report, requests: site.requests };
}

/** Runs the check against a new stack, without a proxy. */
export async function smokeSmall(
  options: Parameters<typeof startTestStack>[0],
  prepare?: (stack: TestStack) => unknown,
) {
  const stack = await startTestStack(options);
  try {
    await prepare?.(stack);
    return { report: await runSmoke({ url: new URL(stack.addresses.url) }), addresses: stack.addresses };
  } finally {
    await stack.close();
  }
}

export function namesOf(report: SmokeReport, result: 'pass' | 'note' | 'fail'): CheckName[] {
  return report.checks.filter((check) => check.result === result).map(({ name }) => name);
}

export function checkIn(report: SmokeReport, name: CheckName) {
  return report.checks.find((check) => check.name === name);
}
