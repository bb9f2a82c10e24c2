/** Gets a key from OpenAI with the owner's current API key, or the verdict that says why there is none. */
import { SSM_ATTEMPTS, SSM_TIMEOUT_MS } from '../../contract/times.ts';
import type { LimitState } from '../../limiter/index.ts';
import type { Verdict } from '../answers/verdict.ts';
import type { KeyReading } from '../openai/api-key.ts';
import type { Minting } from '../openai/mint.ts';
import type { ViewerId } from '../visitor/viewer.ts';
import type { Issuer } from './issuer.ts';

type Unread = Exclude<KeyReading, { outcome: 'read' }>;

export type KeyFailure = Exclude<Minting, { outcome: 'minted' }> | Unread;

const KEY_RETRY_AFTER_MS = 5_000;

/**
 * After a 401 the parameter is read again, because the owner may have rotated the key since this container read it.
 * @param until epoch milliseconds after which the caller no longer waits
 * @param onMinted called with the duration of the request to OpenAI, in milliseconds
 */
export async function obtainKey(
  viewer: ViewerId,
  issuer: Issuer,
  until: number,
  onMinted: (durationMs: number) => void,
): Promise<Minting | Unread> {
  const reading = await issuer.apiKey.read();
  if (reading.outcome !== 'read') {
    return reading;
  }
  const startedAt = issuer.now();
  const minting = await issuer.mint(reading.apiKey, viewer, until);
  onMinted(issuer.now() - startedAt);
  if (minting.outcome !== 'unauthorized') {
    return minting;
  }
  if (issuer.now() + SSM_ATTEMPTS * SSM_TIMEOUT_MS > until) {
    const reason = `${minting.reason}, and there was no time to check whether it was rotated`;
    return { outcome: 'key_unavailable', reason };
  }
  const rereading = await issuer.apiKey.readAfterRejection(reading.apiKey);
  if (rereading.outcome !== 'read') {
    return rereading;
  }
  return rereading.apiKey === reading.apiKey ? minting : await issuer.mint(rereading.apiKey, viewer, until);
}

/** @param limit the limit after the reservations were released */
export function failed(failure: KeyFailure, limit: LimitState | undefined, now: number): Verdict {
  switch (failure.outcome) {
    case 'unauthorized':
    case 'refused':
      return { code: 'upstream_refused', reason: `OpenAI: ${failure.reason}`, limit };
    case 'unavailable':
      return { code: 'upstream_unavailable', reason: `OpenAI: ${failure.reason}`, retryAt: failure.retryAt, limit };
    case 'key_unavailable':
      return { code: 'upstream_unavailable', reason: failure.reason, retryAt: now + KEY_RETRY_AFTER_MS, limit };
    case 'key_misconfigured':
      return { code: 'misconfigured', reason: failure.reason, limit };
  }
}
