/**
 * One call from the microphone to its end. It reads top to bottom: the microphone, a key, a connection, and after each
 * drop a fresh key and another connection. Whatever ends the call aborts its signal. The microphone, the connection, and
 * each request and timer end with that signal, so nothing needs to be cleaned up separately.
 */
import { sleep } from '../../resilience/clock.ts';
import { fullJitter } from '../../resilience/index.ts';
import { childOf } from './browser/child-signal.ts';
import { onMicrophoneLost, openMicrophone } from './browser/microphone.ts';
import type { Surroundings } from './browser/page-environment.ts';
import type { CallScope, CallSettings, FinalState } from './call-settings.ts';
import type { FailureReason, ReconnectingStep } from './call-state.ts';
import { allowanceOf, type CallContext, converse, type Drop, NOT_CONNECTED, type Period } from './converse.ts';
import { mayRetry, requestSessionKey } from './session-key/request-session-key.ts';
import type { SessionKeyOutcome } from './session-key/session-key-outcome.ts';

type NoKey = Exclude<SessionKeyOutcome, { kind: 'key' }>;

/** Drops and failed attempts in a row, each of which may cost a key. Five seconds of a live connection reset the count. */
const MAX_ATTEMPTS = 5;
/** A drop often hits all callers at once, as when a server restarts. Within half a second, they would return as a wave. */
const BACKOFF = { baseMs: 1_000, capMs: 15_000, firstWindowMs: 3_000 };
/** After this much silence, nobody would notice that the call is back. */
const SILENT_AT_DROP_MS = 30_000;
/** The longest Retry-After that a call waits for. */
const MAX_WAIT_MS = 45_000;
const HIDDEN_MS = 5 * 60_000;

/** Never rejects: an unexpected error ends the call, too. */
export async function runCall(settings: CallSettings, scope: CallScope): Promise<void> {
  try {
    await talk(settings, scope);
  } catch (error) {
    if (!scope.signal.aborted) {
      console.error(error);
      scope.end(failed('unavailable'));
    }
  }
}

async function talk(settings: CallSettings, scope: CallScope): Promise<void> {
  const { signal, become, end } = scope;
  endWhenAbandoned(settings, scope);

  const unsupported = settings.transport.whyUnsupported?.();
  if (unsupported !== undefined) {
    return end(failed(unsupported));
  }
  become({ name: 'asking-for-microphone' });
  const microphone = await openMicrophone(settings.getUserMedia, settings.surroundings, signal);
  signal.throwIfAborted();
  if (microphone.kind === 'failed') {
    return end(failed(microphone.reason));
  }
  onMicrophoneLost(microphone.stream, () => end(failed('microphone-lost')), signal);
  const context: CallContext = {
    settings,
    scope,
    microphone: microphone.stream,
    period: createPeriod(settings, scope),
  };

  become({ name: 'minting' });
  const key = await requestKey(context);
  if (key.kind !== 'key') {
    return end(endStateOf(key));
  }
  become({ name: 'connecting', model: key.model, allowance: allowanceOf(key) });
  const drop = await converse(key, context);
  // If the first connection fails, the visitor is in front of the button and decides whether to spend another key.
  end(drop.wasLive ? await reconnect(drop, context) : failed('not-connected'));
}

/** Reconnects after each drop. @returns the state in which the call ends */
async function reconnect(firstDrop: Drop, context: CallContext): Promise<FinalState> {
  const { settings, scope } = context;
  let drop = firstDrop;
  let attempt = 0;
  let notBefore = 0;
  for (;;) {
    attempt = drop.wasStable ? 1 : attempt + 1;
    if (attempt > MAX_ATTEMPTS) {
      return failed('lost');
    }
    if (drop.silentMs > SILENT_AT_DROP_MS) {
      return { name: 'ended', reason: 'lost-in-silence' };
    }
    const setStep = (step: ReconnectingStep) =>
      scope.become({ name: 'reconnecting', attempt, attempts: MAX_ATTEMPTS, step });
    await waitBeforeRetry({ retry: attempt - 1, notBefore, settings, signal: scope.signal, setStep });

    setStep({ name: 'minting' });
    const fresh = await requestKey(context, 1);
    if (fresh.kind === 'key') {
      setStep({ name: 'connecting' });
      drop = await converse(fresh, context, drop.silentMs);
    } else if (isWorthWaiting(fresh, settings.clock.now())) {
      drop = { ...NOT_CONNECTED, silentMs: drop.silentMs };
      notBefore = fresh.retryAt ?? 0;
    } else {
      return endStateOf(fresh);
    }
    if (drop.isFinal) {
      return failed('not-connected');
    }
  }
}

/** The microphone stays open during the wait, so a call does not wait out a long Retry-After. */
function isWorthWaiting(outcome: NoKey, now: number): outcome is Extract<NoKey, { kind: 'busy' | 'unavailable' }> {
  return mayRetry(outcome) && (outcome.retryAt ?? 0) - now <= MAX_WAIT_MS;
}

function requestKey({ settings, scope: { signal } }: CallContext, attempts?: number): Promise<SessionKeyOutcome> {
  const { sessionUrl: url, language, fetch, clock, random } = settings;
  return requestSessionKey({ url, attempts, language, signal, fetch, clock, random });
}

interface RetryWait {
  /** 0 before the first retry. */
  readonly retry: number;
  /** Epoch milliseconds. */
  readonly notBefore: number;
  readonly settings: CallSettings;
  readonly signal: AbortSignal;
  readonly setStep: (step: ReconnectingStep) => void;
}

/** Jitter applies after the network returns, too: all visitors behind one router come back at the same instant. */
async function waitBeforeRetry({ retry, notBefore, settings, signal, setStep }: RetryWait): Promise<void> {
  const { clock, random, surroundings } = settings;
  for (;;) {
    const obstacle = obstacleIn(surroundings);
    if (obstacle === undefined) {
      const waitMs = Math.max(0, notBefore - clock.now()) + fullJitter(retry, random(), BACKOFF);
      setStep({ name: 'waiting', until: clock.now() + waitMs });
      await sleep(waitMs, signal, clock);
      if (obstacleIn(surroundings) === undefined) {
        return;
      }
    } else {
      setStep({ name: obstacle });
      await nextChange(surroundings, signal);
    }
  }
}

/** Without a network, an attempt would fail. In a hidden page, the browser may stop timers. */
function obstacleIn({ online, visible }: Surroundings): 'offline' | 'hidden' | undefined {
  if (!online()) {
    return 'offline';
  }
  return visible() ? undefined : 'hidden';
}

function nextChange(surroundings: Surroundings, signal: AbortSignal): Promise<void> {
  const { signal: waiting, abort } = childOf(signal);
  return new Promise((resolve, reject) => {
    waiting.addEventListener('abort', () => (signal.aborted ? reject(signal.reason) : resolve()));
    surroundings.onChange(abort, waiting);
  });
}

/** A forgotten tab must not spend keys. Leaving the page hangs up, even if the back-forward cache restores it later. */
function endWhenAbandoned({ surroundings, clock }: CallSettings, { signal, end }: CallScope): void {
  let hiddenAt: number | undefined;
  let cancel: (() => void) | undefined;
  const endIfHiddenTooLong = () => {
    // `update` calls this as well, because timers of a sleeping page fire late.
    if (hiddenAt !== undefined && clock.now() - hiddenAt >= HIDDEN_MS) {
      end({ name: 'ended', reason: 'hidden' });
    }
  };
  const update = () => {
    endIfHiddenTooLong();
    if (surroundings.visible()) {
      cancel?.();
      hiddenAt = undefined;
    } else if (hiddenAt === undefined && !signal.aborted) {
      hiddenAt = clock.now();
      cancel = clock.after(HIDDEN_MS, endIfHiddenTooLong);
    }
  };
  signal.addEventListener('abort', () => cancel?.(), { once: true });
  surroundings.onChange(update, signal);
  surroundings.onLeave(() => end({ name: 'ended', reason: 'hung-up' }), signal);
  update();
}

/** The call's time span. It begins when the call first goes live, and drops do not extend it. */
function createPeriod({ clock, maxCallMs }: CallSettings, { signal, end }: CallScope): () => Period {
  let period: Period | undefined;
  return () => {
    if (period === undefined) {
      const since = clock.now();
      period = { since, until: since + maxCallMs };
      const cancel = clock.after(maxCallMs, () => end({ name: 'ended', reason: 'time-is-up' }));
      signal.addEventListener('abort', cancel, { once: true });
    }
    return period;
  };
}

function failed(reason: FailureReason, sentence?: string, retryAt?: number): FinalState {
  return { name: 'failed', reason, sentence, retryAt };
}

function endStateOf(outcome: NoKey): FinalState {
  switch (outcome.kind) {
    case 'refused':
      return { name: 'refused', code: outcome.code, sentence: outcome.detail, retryAt: outcome.retryAt };
    case 'busy':
      return failed('busy', undefined, outcome.retryAt);
    case 'unavailable':
      return failed('unavailable', outcome.detail, outcome.retryAt);
  }
}
