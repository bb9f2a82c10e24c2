/**
 * The owner's OpenAI key, from an SSM parameter. A container reads it once; concurrent callers share one request. If OpenAI
 * rejects the key, the owner may have rotated it, so it is read again, at most once in 30 seconds.
 */
import { GetParameterCommand, type SSMClient } from '@aws-sdk/client-ssm';

export type KeyReading =
  | { readonly outcome: 'read'; readonly apiKey: string }
  /** SSM is slow, throttling or failing. A retry may succeed. */
  | { readonly outcome: 'key_unavailable'; readonly reason: string }
  /** No such parameter, no permission or no valid value. The owner has to fix the deployment first. */
  | { readonly outcome: 'key_misconfigured'; readonly reason: string };

export interface ApiKey {
  readonly read: () => Promise<KeyReading>;
  /** Reads the parameter again, unless a newer value than `rejected` is cached, or the last reread is less than 30 seconds ago. */
  readonly readAfterRejection: (rejected: string) => Promise<KeyReading>;
}

const REREAD_EVERY_MS = 30_000;

export function createApiKey(client: SSMClient, parameter: string, now: () => number): ApiKey {
  let cached: KeyReading | undefined;
  let pending: Promise<KeyReading> | undefined;
  let rereadAt = Number.NEGATIVE_INFINITY;

  function fetchParameter(): Promise<KeyReading> {
    pending ??= readParameter(client, parameter).then((reading) => {
      // A failed read keeps the cached key, which may still be valid.
      if (reading.outcome === 'read') {
        cached = reading;
      }
      pending = undefined;
      return reading;
    });
    return pending;
  }

  return {
    async read() {
      return cached ?? (await fetchParameter());
    },

    async readAfterRejection(rejected) {
      const current = cached;
      const isNewer = current?.outcome === 'read' && current.apiKey !== rejected;
      // While a read is pending, wait for it: the cached key was just rejected.
      const age = now() - rereadAt;
      const wasJustRead = pending === undefined && age >= 0 && age < REREAD_EVERY_MS;
      if (current !== undefined && (isNewer || wasJustRead)) {
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

/** SSM errors that a retry cannot fix. */
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
      // If a proxy in between returns an error with status 200, the SDK parses it as `{}`.
      return {
        outcome: 'key_unavailable',
        reason: `Cannot read the SSM parameter ${parameter}: the response is empty`,
      };
    }
    const apiKey = Parameter.Value?.trim() ?? '';
    return isHeaderValue(apiKey)
      ? { outcome: 'read', apiKey }
      : { outcome: 'key_misconfigured', reason: `The SSM parameter ${parameter} does not contain an OpenAI key.` };
  } catch (error) {
    const { name, message } = error instanceof Error ? error : { name: 'Unknown', message: String(error) };
    // The message of a parser quotes its input, which may contain the key.
    const safeMessage = error instanceof SyntaxError ? 'the response is not JSON' : message;
    const reason = `Cannot read the SSM parameter ${parameter}: ${name}: ${safeMessage}`;
    return { outcome: MISCONFIGURED.has(name) ? 'key_misconfigured' : 'key_unavailable', reason };
  }
}

/** Visible ASCII only. Any other character would make the request to OpenAI throw an error that contains the key. */
function isHeaderValue(text: string): boolean {
  return /^[!-~]+$/.test(text);
}
