/**
 * The owner's OpenAI key, from SSM: read once per container, by one request for all who wait, and once more when OpenAI
 * says that it is wrong - the owner may have rotated it - but not more often than every 30 seconds.
 */
import { GetParameterCommand, type SSMClient } from '@aws-sdk/client-ssm';

export type KeyReading =
  | { readonly outcome: 'read'; readonly apiKey: string }
  /** SSM is slow, throttling or failing: the same request may succeed later. */
  | { readonly outcome: 'key_unavailable'; readonly reason: string }
  /** No such parameter, no permission, no value: someone has to mend something first. */
  | { readonly outcome: 'key_misconfigured'; readonly reason: string };

export interface ApiKey {
  readonly read: () => Promise<KeyReading>;
  /** The parameter as it is now, unless a newer value than `rejected` is known or it was looked up just before. */
  readonly readAfterRejection: (rejected: string) => Promise<KeyReading>;
}

const REREAD_EVERY_MS = 30_000;

export function createApiKey(client: SSMClient, parameter: string, now: () => number): ApiKey {
  let known: KeyReading | undefined;
  let underWay: Promise<KeyReading> | undefined;
  let rereadAt = Number.NEGATIVE_INFINITY;

  function fetchParameter(): Promise<KeyReading> {
    underWay ??= readParameter(client, parameter).then((reading) => {
      // A failed look-up forgets no key: the one that is known may still be right.
      if (reading.outcome === 'read') {
        known = reading;
      }
      underWay = undefined;
      return reading;
    });
    return underWay;
  }

  return {
    async read() {
      return known ?? (await fetchParameter());
    },

    async readAfterRejection(rejected) {
      const current = known;
      const isNewer = current?.outcome === 'read' && current.apiKey !== rejected;
      // Who comes while it is being looked up waits for that answer: the one that is known was just rejected.
      const age = now() - rereadAt;
      const wasLookedUp = underWay === undefined && age >= 0 && age < REREAD_EVERY_MS;
      if (current !== undefined && (isNewer || wasLookedUp)) {
        return current;
      }
      const reading = await fetchParameter();
      if (reading.outcome === 'read') {
        rereadAt = now();
      }
      return reading;
    },
  };
}

/** Errors of SSM that no repetition mends. */
const MISCONFIGURED = new Set([
  'ParameterNotFound',
  'ParameterVersionNotFound',
  'InvalidKeyId',
  'AccessDeniedException',
  'ValidationException',
  'UnrecognizedClientException',
  'InvalidSignatureException',
  'ExpiredTokenException',
  'CredentialsProviderError',
]);

async function readParameter(client: SSMClient, parameter: string): Promise<KeyReading> {
  try {
    const { Parameter } = await client.send(new GetParameterCommand({ Name: parameter, WithDecryption: true }));
    if (Parameter === undefined) {
      // An error that came with status 200, from whatever stands in between, is `{}` to the SDK.
      return { outcome: 'key_unavailable', reason: `SSM does not give out ${parameter}: its answer is none` };
    }
    const apiKey = Parameter.Value?.trim() ?? '';
    return isHeaderValue(apiKey)
      ? { outcome: 'read', apiKey }
      : { outcome: 'key_misconfigured', reason: `The parameter ${parameter} does not hold an OpenAI key.` };
  } catch (error) {
    const { name, message } = error instanceof Error ? error : { name: 'Unknown', message: String(error) };
    // A parser's complaint quotes what it was reading, which may be the key.
    const words = error instanceof SyntaxError ? 'the answer is not JSON' : message;
    const reason = `SSM does not give out ${parameter}: ${name}: ${words}`;
    return { outcome: MISCONFIGURED.has(name) ? 'key_misconfigured' : 'key_unavailable', reason };
  }
}

/** Visible ASCII only: anything else would make the request to OpenAI throw, with the key in the error's text. */
function isHeaderValue(text: string): boolean {
  return /^[!-~]+$/.test(text);
}
