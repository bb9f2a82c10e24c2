/**
 * The way of one request, top to bottom. Start here.
 *
 *     viewer -> refusal cache -> switch, block and replay in one read -> reserve limits -> mint -> answer;  no key: release
 *
 * A key leaves only after the switch was read as on and a place was taken under every limit. If none leaves, every
 * place is given back.
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
  // A repeat is answered at the limit too, so what may be one has to look into the table first.
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
  const places = await issuer.limiter.reserve(viewer, startedAt + RESERVE_UNTIL_MS);
  if (!places.admitted) {
    return refused(places);
  }
  const tell = (tookMs: number) => {
    trace.mintMs = tookMs;
  };
  try {
    const minting = await obtainKey(viewer, issuer, startedAt + MINT_UNTIL_MS, tell);
    return minting.outcome === 'minted'
      ? { code: 'issued', key: minting.key, limit: places.nearest, replayed: false, failedOpen: false }
      : failed(minting, await giveBack(places, trace), issuer.now());
  } catch (error) {
    await giveBack(places, trace);
    throw error;
  }
}

async function giveBack(places: Admission, trace: Trace): Promise<LimitState> {
  try {
    return await places.release();
  } catch (error) {
    trace.releaseFailed = messageOf(error);
    return places.nearest;
  }
}

function refused({ state, retryAt, cached }: Rejection): Verdict {
  return { code: state.scope === CLIENT_SCOPE ? 'rate_limited' : 'budget_exhausted', limit: state, retryAt, cached };
}
