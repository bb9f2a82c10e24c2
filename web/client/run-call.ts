/**
 * One call from the microphone to its end. It reads top to bottom: the microphone, a key, a connection, and after each
 * drop a fresh key and another connection. Whatever ends the call aborts its signal, and on that signal hang the
 * microphone, the connection, each request and each timer: nothing has to be remembered to be undone.
 */
import { sleep } from '../../resilience/clock.ts';
import { fullJitter } from '../../resilience/index.ts';
import { childOf } from './browser/child-signal.ts';
import { openMicrophone } from './browser/microphone.ts';
import type { Surroundings } from './browser/page-environment.ts';
import type { CallScope, CallSettings, FinalState } from './call-settings.ts';
import type { FailureReason, ReconnectingStep } from './call-state.ts';
import { allowanceOf, converse, type Drop, type Line, NOT_CONNECTED, type Period } from './converse.ts';
import { mayRepeat, requestSessionKey } from './session-key/request-session-key.ts';
import type { SessionKeyOutcome } from './session-key/session-key-outcome.ts';

type NoKey = Exclude<SessionKeyOutcome, { kind: 'key' }>;

/** Drops and vain attempts in a row, until a connection has held for five seconds. Each may cost a key. */
const MOST_ATTEMPTS = 5;
/** A drop often hits all callers at once, as when a server restarts: half a second would bring them back as a wave. */
const BACKOFF = { baseMs: 1_000, capMs: 15_000, firstWindowMs: 3_000 };
/** Nobody would notice that the call is back. */
const SILENT_AT_DROP_MS = 30_000;
/** Of an issuer that asks to be left alone. */
const LONGEST_WAIT_MS = 45_000;
const HIDDEN_MS = 5 * 60_000;

/** Never rejects: a fault of ours is an end, too. */
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
  endWhenForgotten(settings, scope);

  become({ name: 'asking-for-microphone' });
  const microphone = await openMicrophone(settings.getUserMedia, signal);
  signal.throwIfAborted();
  if (microphone.kind !== 'open') {
    return end(failed(microphone.kind));
  }
  for (const track of microphone.stream.getTracks()) {
    // Unplugged, or taken back in the browser's settings. Not fired by our own `stop()`.
    track.addEventListener('ended', () => end(failed('microphone-absent')), { signal });
  }
  const line: Line = { settings, scope, microphone: microphone.stream, period: createPeriod(settings, scope) };

  become({ name: 'minting' });
  const key = await askForKey(line);
  if (key.kind !== 'key') {
    return end(refusalOf(key));
  }
  become({ name: 'connecting', model: key.model, allowance: allowanceOf(key) });
  const drop = await converse(key, line);
  // Where no call came about, somebody sits in front of the button: the next key is his to ask for.
  end(drop.wasLive ? await comeBack(drop, line) : failed('not-connected'));
}

/** @returns why it did not, or no more */
async function comeBack(firstDrop: Drop, line: Line): Promise<FinalState> {
  const { settings, scope } = line;
  let drop = firstDrop;
  let attempt = 0;
  let notBefore = 0;
  for (;;) {
    attempt = drop.wasStable ? 1 : attempt + 1;
    if (attempt > MOST_ATTEMPTS) {
      return failed('lost');
    }
    if (drop.silentMs > SILENT_AT_DROP_MS) {
      return { name: 'ended', reason: 'lost-in-silence' };
    }
    const take = (step: ReconnectingStep) =>
      scope.become({ name: 'reconnecting', attempt, attempts: MOST_ATTEMPTS, step });
    await waitForTurn({ retry: attempt - 1, notBefore, settings, signal: scope.signal, take });

    take({ name: 'minting' });
    const fresh = await askForKey(line, 1);
    if (fresh.kind === 'key') {
      take({ name: 'connecting' });
      drop = await converse(fresh, line, drop.silentMs);
    } else if (isWorthWaiting(fresh, settings.clock.now())) {
      drop = { ...NOT_CONNECTED, silentMs: drop.silentMs };
      notBefore = fresh.retryAt ?? 0;
    } else {
      return refusalOf(fresh);
    }
    if (drop.isFinal) {
      return failed('not-connected');
    }
  }
}

/** With the microphone open, nobody waits long for an issuer that asks to be left alone. */
function isWorthWaiting(outcome: NoKey, now: number): outcome is Extract<NoKey, { kind: 'busy' | 'unavailable' }> {
  return mayRepeat(outcome) && (outcome.retryAt ?? 0) - now <= LONGEST_WAIT_MS;
}

function askForKey({ settings, scope: { signal } }: Line, attempts?: number): Promise<SessionKeyOutcome> {
  const { sessionUrl: url, language, fetch, clock, random } = settings;
  return requestSessionKey({ url, attempts, language, signal, fetch, clock, random });
}

interface Turn {
  /** 0 before the first retry. */
  readonly retry: number;
  /** Epoch milliseconds. */
  readonly notBefore: number;
  readonly settings: CallSettings;
  readonly signal: AbortSignal;
  readonly take: (step: ReconnectingStep) => void;
}

/** With jitter after the network's return, too: whoever was cut off by the same router comes back in the same instant. */
async function waitForTurn({ retry, notBefore, settings, signal, take }: Turn): Promise<void> {
  const { clock, random, surroundings } = settings;
  for (;;) {
    const obstacle = obstacleIn(surroundings);
    if (obstacle === undefined) {
      const waitMs = Math.max(0, notBefore - clock.now()) + fullJitter(retry, random(), BACKOFF);
      take({ name: 'waiting', until: clock.now() + waitMs });
      await sleep(waitMs, signal, clock);
      if (obstacleIn(surroundings) === undefined) {
        return;
      }
    } else {
      take({ name: obstacle });
      await nextChange(surroundings, signal);
    }
  }
}

/** Attempts would be in vain without a network; and where nobody looks, timers stand still. */
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

/** A forgotten tab spends nothing; and whoever leaves the page has hung up, also if it comes back from the cache. */
function endWhenForgotten({ surroundings, clock }: CallSettings, { signal, end }: CallScope): void {
  let hiddenAt: number | undefined;
  let cancel: (() => void) | undefined;
  const endIfForgotten = () => {
    // Asked here as well, since the timers of a page that sleeps are late.
    if (hiddenAt !== undefined && clock.now() - hiddenAt >= HIDDEN_MS) {
      end({ name: 'ended', reason: 'hidden' });
    }
  };
  const look = () => {
    endIfForgotten();
    if (surroundings.visible()) {
      cancel?.();
      hiddenAt = undefined;
    } else if (hiddenAt === undefined && !signal.aborted) {
      hiddenAt = clock.now();
      cancel = clock.after(HIDDEN_MS, endIfForgotten);
    }
  };
  signal.addEventListener('abort', () => cancel?.(), { once: true });
  surroundings.onChange(look, signal);
  surroundings.onLeave(() => end({ name: 'ended', reason: 'hung-up' }), signal);
  look();
}

/** The call's time, from the first connection on: drops do not make it longer. */
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

function refusalOf(outcome: NoKey): FinalState {
  switch (outcome.kind) {
    case 'refused':
      return { name: 'refused', code: outcome.code, sentence: outcome.detail, retryAt: outcome.retryAt };
    case 'busy':
      return failed('busy', undefined, outcome.retryAt);
    case 'unavailable':
      return failed('unavailable', outcome.detail, outcome.retryAt);
  }
}
