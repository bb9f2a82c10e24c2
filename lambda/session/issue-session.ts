/**
 * One request from start to end. Start reading here.
 *
 *     viewer -> refusal cache -> switch, block and replay in one read -> reserve limits -> mint -> answer;  no key: release
 *
 * A key is issued only if the kill switch was read as not paused and every limit has admitted the request. If no key is issued,
 * all reservations are released; one that cannot be released stays counted, and the log says so.
 */
import { MINT_UNTIL_MS, RESERVE_UNTIL_MS } from '../../contract/times.ts';
import {
  type Admission,
  type LimitState,
  type Rejection,
  StoreMisconfiguredError,
  StoreUnavailableError,
} from '../../limiter/index.ts';
import type { Verdict } from '../answers/verdict.ts';
import { messageOf } from '../error-message.ts';
import type { Trace } from '../trace.ts';
import { CLIENT_SCOPE } from '../visitor/scopes.ts';
import { viewerId } from '../visitor/viewer.ts';
import { admitOnce, repeated } from './admit-once.ts';
import type { IdentifiedRequest } from './identified-request.ts';
import type { Issuer } from './issuer.ts';
import { failed, obtainKey } from './obtain-key.ts';
import { type ReplayKey, replayKey } from './replay.ts';
import type { VisitorRequest } from './request.ts';
import { withoutDynamoDb } from './without-dynamodb.ts';

export async function issueSession(request: VisitorRequest, issuer: Issuer, trace: Trace): Promise<Verdict> {
  const startedAt = issuer.now();
  let identified: IdentifiedRequest | undefined;
  try {
    const salt = await issuer.salt();
    const viewer = viewerId(request.address, issuer.ipv6Prefix, salt);
    trace.viewer = viewer;
    identified = { viewer, startedAt, trace };
    const { idempotencyKey } = request;
    return await decide(
      identified,
      idempotencyKey === undefined ? undefined : replayKey(viewer, idempotencyKey, salt),
      issuer,
    );
  } catch (error) {
    if (error instanceof StoreUnavailableError) {
      return await withoutDynamoDb(identified, error.message, issuer);
    }
    if (error instanceof StoreMisconfiguredError) {
      return { code: 'misconfigured', reason: error.message };
    }
    throw error;
  }
}

async function decide(request: IdentifiedRequest, key: ReplayKey | undefined, issuer: Issuer): Promise<Verdict> {
  const known = issuer.limiter.knownRefusal(request.viewer);
  // A repeated request gets its answer even at the limit, so a request with an Idempotency-Key is looked up in the table first.
  if (known !== undefined && key === undefined) {
    return refused(known);
  }
  const { killSwitch, block, replay } = await issuer.readGate(request.viewer, key);
  if (killSwitch.paused) {
    return { code: 'paused', ...killSwitch };
  }
  if (block !== undefined) {
    return { code: 'blocked', ...block };
  }
  if (replay.kind !== 'absent') {
    return repeated(replay, issuer);
  }
  if (known !== undefined) {
    return refused(known);
  }
  return key === undefined ? await admit(request, issuer) : await admitOnce(request, key, issuer, admit);
}

async function admit({ viewer, startedAt, trace }: IdentifiedRequest, issuer: Issuer): Promise<Verdict> {
  const decision = await issuer.limiter.reserve(viewer, startedAt + RESERVE_UNTIL_MS);
  if (!decision.admitted) {
    return refused(decision);
  }
  const recordDuration = (durationMs: number) => {
    trace.mintMs = durationMs;
  };
  try {
    const minting = await obtainKey(viewer, issuer, startedAt + MINT_UNTIL_MS, recordDuration);
    return minting.outcome === 'minted'
      ? { code: 'issued', key: minting.key, limit: decision.nearest, replayed: false, failedOpen: false }
      : failed(minting, await release(decision, trace), issuer.now());
  } catch (error) {
    await release(decision, trace);
    throw error;
  }
}

async function release(admission: Admission, trace: Trace): Promise<LimitState> {
  try {
    return await admission.release();
  } catch (error) {
    trace.releaseFailed = messageOf(error);
    return admission.nearest;
  }
}

function refused({ state, retryAt, cached }: Rejection): Verdict {
  return { code: state.scope === CLIENT_SCOPE ? 'rate_limited' : 'budget_exhausted', limit: state, retryAt, cached };
}
