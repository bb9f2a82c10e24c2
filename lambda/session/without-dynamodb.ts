/**
 * Handles a request while DynamoDB is unavailable. No key is issued, unless the owner has set `LIMITER_FAILURE_MODE=open`. Then a
 * few visitors are admitted (fail-open.ts), if the issuer is known not to be paused and the visitor is not known to be blocked.
 */
import { MINT_UNTIL_MS } from '../../contract/times.ts';
import type { Verdict } from '../answers/verdict.ts';
import type { IdentifiedRequest } from './identified-request.ts';
import type { Issuer } from './issuer.ts';
import { failed, obtainKey } from './obtain-key.ts';

const LIMITER_RETRY_AFTER_MS = 5_000;

/** @param request undefined if the viewer is not known */
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
  const minting = await obtainKey(viewer, issuer, startedAt + MINT_UNTIL_MS, (durationMs) => {
    trace.mintMs = durationMs;
  });
  return minting.outcome === 'minted'
    ? { code: 'issued', key: minting.key, limit: undefined, replayed: false, failedOpen: true }
    : failed(minting, undefined, issuer.now());
}
