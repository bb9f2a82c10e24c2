/**
 * The way of one request, top to bottom. Start here.
 *
 *     viewer -> refusal cache -> switch, block and replay in one read -> reserve limits -> mint -> answer;  no key: release
 *
 * A key leaves only after the switch was read as on and a place was taken under every limit. If none leaves, every
 * place is given back.
 */
import { MINT_UNTIL_MS, RESERVE_UNTIL_MS } from '../contract/times.ts';
import {
  type Admission,
  type LimitState,
  type Rejection,
  StoreMisconfiguredError,
  StoreUnavailableError,
} from '../limiter/index.ts';
import { CLIENT_SCOPE, type Issuer } from './issuer.ts';
import { failed, obtainKey } from './obtain-key.ts';
import { type Replay, type ReplayKey, type ReplayLock, replayKey } from './replay.ts';
import type { VisitorRequest } from './request.ts';
import type { Verdict } from './verdict.ts';
import { type ViewerId, viewerId } from './viewer.ts';

/** What telemetry learns on the way. */
export interface Trace {
  viewer?: ViewerId;
  mintMs?: number;
  /** Places that could not be given back stay counted: said in the log. */
  releaseFailed?: string;
  /** An answer that could not be remembered, or a lock that could not be taken off: said in the log. */
  replayFailed?: string;
}

/** One request on its way. */
interface Call {
  readonly viewer: ViewerId;
  /** Epoch milliseconds. */
  readonly startedAt: number;
  readonly trace: Trace;
}

const LIMITER_RETRY_AFTER_MS = 5_000;
const REPLAY_RETRY_AFTER_MS = 1_000;

export async function issueSession(request: VisitorRequest, issuer: Issuer, trace: Trace): Promise<Verdict> {
  const startedAt = issuer.now();
  let call: Call | undefined;
  try {
    const salt = await issuer.salt();
    const viewer = viewerId(request.address, issuer.ipv6Prefix, salt);
    trace.viewer = viewer;
    call = { viewer, startedAt, trace };
    const { idempotencyKey } = request;
    return await decide(
      call,
      idempotencyKey === undefined ? undefined : replayKey(viewer, idempotencyKey, salt),
      issuer,
    );
  } catch (error) {
    if (error instanceof StoreUnavailableError) {
      return await withoutDynamoDb(call, error.message, issuer);
    }
    if (error instanceof StoreMisconfiguredError) {
      return { code: 'misconfigured', reason: error.message };
    }
    throw error;
  }
}

async function decide(call: Call, key: ReplayKey | undefined, issuer: Issuer): Promise<Verdict> {
  // A repeat is answered at the limit too, so what may be one has to look into the table first.
  const known = key === undefined ? issuer.limiter.knownRefusal(call.viewer) : undefined;
  if (known !== undefined) {
    return refused(known);
  }
  const { killSwitch, block, replay } = await issuer.readGate(call.viewer, key);
  if (killSwitch.paused) {
    return { code: 'paused', ...killSwitch };
  }
  if (block !== undefined) {
    return { code: 'blocked', ...block };
  }
  return key === undefined ? await admit(call, issuer) : await admitOnce(call, key, replay, issuer);
}

async function admit({ viewer, startedAt, trace }: Call, issuer: Issuer): Promise<Verdict> {
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

/** With an Idempotency-Key: one request is served, and its repeats hear the same. */
async function admitOnce(call: Call, key: ReplayKey, replay: Replay, issuer: Issuer): Promise<Verdict> {
  if (replay.kind !== 'absent') {
    return repeated(replay, issuer);
  }
  const known = issuer.limiter.knownRefusal(call.viewer);
  if (known !== undefined) {
    return refused(known);
  }
  const lock = await issuer.lockReplay(key);
  if ('kind' in lock) {
    return repeated(lock, issuer);
  }
  let verdict: Verdict | undefined;
  try {
    verdict = await admit(call, issuer);
    return verdict;
  } finally {
    await settle(lock, verdict, call.trace);
  }
}

function repeated(replay: Replay, issuer: Issuer): Verdict {
  return replay.kind === 'answered'
    ? { code: 'issued', ...replay.answer, replayed: true, failedOpen: false }
    : { code: 'replay_in_progress', retryAt: issuer.now() + REPLAY_RETRY_AFTER_MS };
}

/** Failures are not remembered: the next request under the same key is served anew. */
async function settle(lock: ReplayLock, verdict: Verdict | undefined, trace: Trace): Promise<void> {
  try {
    await (verdict?.code === 'issued' ? lock.remember({ key: verdict.key, limit: verdict.limit }) : lock.unlock());
  } catch (error) {
    trace.replayFailed = messageOf(error);
  }
}

/** Closed, unless the owner chose otherwise: then a few are admitted, while it is known that nobody paused. */
async function withoutDynamoDb(call: Call | undefined, reason: string, issuer: Issuer): Promise<Verdict> {
  const { failOpen } = issuer;
  const unavailable = (retryAfterMs: number): Verdict => {
    return { code: 'limiter_unavailable', reason, retryAt: issuer.now() + retryAfterMs };
  };
  const killSwitch = failOpen?.lastSwitch();
  if (call === undefined || failOpen === undefined || killSwitch === undefined) {
    return unavailable(LIMITER_RETRY_AFTER_MS);
  }
  if (killSwitch.paused) {
    return { code: 'paused', ...killSwitch };
  }
  const token = failOpen.admit();
  if (!token.allowed) {
    return unavailable(token.retryAfterMs);
  }
  const { viewer, startedAt, trace } = call;
  const minting = await obtainKey(viewer, issuer, startedAt + MINT_UNTIL_MS, (tookMs) => {
    trace.mintMs = tookMs;
  });
  return minting.outcome === 'minted'
    ? { code: 'issued', key: minting.key, limit: undefined, replayed: false, failedOpen: true }
    : failed(minting, undefined, issuer.now());
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
