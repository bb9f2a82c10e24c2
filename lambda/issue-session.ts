/**
 * The way of one request, top to bottom. Start here.
 *
 *     viewer -> refusal cache -> switch -> reserve limits -> mint -> answer;  no key: release
 *
 * A key leaves only after the switch was read as on and a place was taken under every limit. If none leaves, every
 * place is given back.
 */
import { MINT_UNTIL_MS, RESERVE_UNTIL_MS, SSM_ATTEMPTS, SSM_TIMEOUT_MS } from '../contract/times.ts';
import {
  type Admission,
  type LimitState,
  type Rejection,
  StoreMisconfiguredError,
  StoreUnavailableError,
} from '../limiter/index.ts';
import type { KeyReading } from './api-key.ts';
import { CLIENT_SCOPE, type Issuer } from './issuer.ts';
import type { Minting } from './mint.ts';
import type { VisitorRequest } from './request.ts';
import type { Verdict } from './verdict.ts';
import { type ViewerId, viewerId } from './viewer.ts';

/** What telemetry learns on the way. */
export interface Trace {
  viewer?: ViewerId;
  mintMs?: number;
  /** Places that could not be given back stay counted: said in the log. */
  releaseFailed?: string;
}

type Unread = Exclude<KeyReading, { outcome: 'read' }>;

const LIMITER_RETRY_AFTER_MS = 5_000;
const KEY_RETRY_AFTER_MS = 5_000;

export async function issueSession(request: VisitorRequest, issuer: Issuer, trace: Trace): Promise<Verdict> {
  const startedAt = issuer.now();
  try {
    const viewer = viewerId(request.address, issuer.ipv6Prefix, await issuer.salt());
    trace.viewer = viewer;

    const known = issuer.limiter.knownRefusal(viewer);
    if (known !== undefined) {
      return refused(known);
    }

    const killSwitch = await issuer.readSwitch();
    if (killSwitch.paused) {
      return { code: 'paused', ...killSwitch };
    }

    const places = await issuer.limiter.reserve(viewer, startedAt + RESERVE_UNTIL_MS);
    if (!places.admitted) {
      return refused(places);
    }
    return await mintOrRelease(viewer, places, issuer, startedAt + MINT_UNTIL_MS, trace);
  } catch (error) {
    if (error instanceof StoreUnavailableError) {
      return { code: 'limiter_unavailable', reason: error.message, retryAt: issuer.now() + LIMITER_RETRY_AFTER_MS };
    }
    if (error instanceof StoreMisconfiguredError) {
      return { code: 'misconfigured', reason: error.message };
    }
    throw error;
  }
}

function refused({ state, retryAt, cached }: Rejection): Verdict {
  return { code: state.scope === CLIENT_SCOPE ? 'rate_limited' : 'budget_exhausted', limit: state, retryAt, cached };
}

async function mintOrRelease(
  viewer: ViewerId,
  places: Admission,
  issuer: Issuer,
  until: number,
  trace: Trace,
): Promise<Verdict> {
  let minting: Minting | Unread;
  try {
    minting = await mintWithCurrentKey(viewer, issuer, until, trace);
  } catch (error) {
    await giveBack(places, trace);
    throw error;
  }
  if (minting.outcome === 'minted') {
    return { code: 'issued', key: minting.key, limit: places.nearest };
  }
  return failed(minting, await giveBack(places, trace), issuer.now());
}

/** After a 401 the parameter is read once more: the owner may have rotated the key since this container read it. */
async function mintWithCurrentKey(
  viewer: ViewerId,
  issuer: Issuer,
  until: number,
  trace: Trace,
): Promise<Minting | Unread> {
  const reading = await issuer.apiKey.read();
  if (reading.outcome !== 'read') {
    return reading;
  }
  const startedAt = issuer.now();
  const minting = await issuer.mint(reading.apiKey, viewer, until);
  trace.mintMs = issuer.now() - startedAt;
  if (minting.outcome !== 'unauthorized') {
    return minting;
  }
  if (issuer.now() + SSM_ATTEMPTS * SSM_TIMEOUT_MS > until) {
    const reason = `${minting.reason}, and there was no time to look whether it was rotated`;
    return { outcome: 'key_unavailable', reason };
  }
  const rereading = await issuer.apiKey.readAfterRejection(reading.apiKey);
  if (rereading.outcome !== 'read') {
    return rereading;
  }
  return rereading.apiKey === reading.apiKey ? minting : await issuer.mint(rereading.apiKey, viewer, until);
}

async function giveBack(places: Admission, trace: Trace): Promise<LimitState> {
  try {
    return await places.release();
  } catch (error) {
    trace.releaseFailed = error instanceof Error ? error.message : String(error);
    return places.nearest;
  }
}

function failed(failure: Exclude<Minting, { outcome: 'minted' }> | Unread, limit: LimitState, now: number): Verdict {
  switch (failure.outcome) {
    case 'unauthorized':
    case 'refused':
      return { code: 'upstream_refused', reason: `OpenAI: ${failure.reason}`, limit };
    case 'unavailable':
      return {
        code: 'upstream_unavailable',
        reason: `OpenAI: ${failure.reason}`,
        retryAt: failure.retryAt,
        limit,
      };
    case 'key_unavailable':
      return { code: 'upstream_unavailable', reason: failure.reason, retryAt: now + KEY_RETRY_AFTER_MS, limit };
    case 'key_misconfigured':
      return { code: 'misconfigured', reason: failure.reason, limit };
  }
}
