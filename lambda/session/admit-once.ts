/**
 * Serves a request with an Idempotency-Key once, and gives repeated requests the same response. The key is locked before anything
 * is reserved, so concurrent repeats never count twice.
 */

import type { Verdict } from '../answers/verdict.ts';
import { messageOf } from '../error-message.ts';
import type { Trace } from '../trace.ts';
import type { IdentifiedRequest } from './identified-request.ts';
import type { Issuer } from './issuer.ts';
import type { Replay, ReplayKey, ReplayLock } from './replay.ts';

const REPLAY_RETRY_AFTER_MS = 1_000;

/** @param admit serves the request */
export async function admitOnce(
  request: IdentifiedRequest,
  key: ReplayKey,
  issuer: Issuer,
  admit: (request: IdentifiedRequest, issuer: Issuer) => Promise<Verdict>,
): Promise<Verdict> {
  const lock = await issuer.lockReplay(key);
  if ('kind' in lock) {
    return repeated(lock, issuer);
  }
  let verdict: Verdict | undefined;
  try {
    verdict = await admit(request, issuer);
    return verdict;
  } finally {
    await settle(lock, verdict, request.trace);
  }
}

/** The verdict for a repeated request: the stored answer, or that the first request is still in progress. */
export function repeated(replay: Replay, issuer: Issuer): Verdict {
  return replay.kind === 'answered'
    ? { code: 'issued', ...replay.answer, replayed: true, failedOpen: false }
    : { code: 'replay_in_progress', retryAt: issuer.now() + REPLAY_RETRY_AFTER_MS };
}

/** Only a success is stored. After a failure, the next request with the same Idempotency-Key is served as a new one. */
async function settle(lock: ReplayLock, verdict: Verdict | undefined, trace: Trace): Promise<void> {
  try {
    if (verdict?.code !== 'issued') {
      await lock.unlock();
    } else if (!(await lock.store({ key: verdict.key, limit: verdict.limit }))) {
      trace.replayFailed = 'The lock expired before the answer was stored: a repeated request gets another key.';
    }
  } catch (error) {
    trace.replayFailed = messageOf(error);
  }
}
