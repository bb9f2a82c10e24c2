/**
 * What becomes of a request when DynamoDB does not answer: no key, unless the owner chose `LIMITER_FAILURE_MODE=open`. Then a
 * few are admitted (fail-open.ts), while it is known that nobody paused, and none whose block is known.
 */
import { MINT_UNTIL_MS } from '../../contract/times.ts';
import type { Verdict } from '../answers/verdict.ts';
import type { IdentifiedRequest } from './identified-request.ts';
import type { Issuer } from './issuer.ts';
import { failed, obtainKey } from './obtain-key.ts';

const LIMITER_RETRY_AFTER_MS = 5_000;

/** @param request undefined where not even the viewer is known */
export async function withoutDynamoDb(
  request: IdentifiedRequest | undefined,
  reason: string,
  issuer: Issuer,
): Promise<Verdict> {
  const { failOpen } = issuer;
  const unavailable = (retryAfterMs: number): Verdict => {
    return { code: 'limiter_unavailable', reason, retryAt: issuer.now() + retryAfterMs };
  };
  const killSwitch = failOpen?.lastSwitch();
  if (request === undefined || failOpen === undefined || killSwitch === undefined) {
    return unavailable(LIMITER_RETRY_AFTER_MS);
  }
  if (killSwitch.paused) {
    return { code: 'paused', ...killSwitch };
  }
  const block = failOpen.lastBlock(request.viewer);
  if (block !== undefined) {
    return { code: 'blocked', ...block };
  }
  const token = failOpen.admit();
  if (!token.allowed) {
    return unavailable(token.retryAfterMs);
  }
  const { viewer, startedAt, trace } = request;
  const minting = await obtainKey(viewer, issuer, startedAt + MINT_UNTIL_MS, (tookMs) => {
    trace.mintMs = tookMs;
  });
  return minting.outcome === 'minted'
    ? { code: 'issued', key: minting.key, limit: undefined, replayed: false, failedOpen: true }
    : failed(minting, undefined, issuer.now());
}
