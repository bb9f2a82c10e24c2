/** One connection with one key, from the first packet until it is lost. It is live once OpenAI has created the session. */

import { childOf } from './browser/child-signal.ts';
import { isMuted, onMuteChange } from './browser/microphone.ts';
import type { CallScope, CallSettings } from './call-settings.ts';
import type { Allowance, LiveNotice } from './call-state.ts';
import type { SessionKeyOutcome } from './session-key/session-key-outcome.ts';
import { createSpeech, type Speech } from './speech.ts';
import type { RealtimeEvent } from './transport/realtime-event.ts';
import type { Connection, ConnectOutcome } from './transport/transport.ts';

/** A time span, in epoch milliseconds. */
export interface Period {
  readonly since: number;
  readonly until: number;
}

/** What all connections of one call share. */
export interface CallContext {
  readonly settings: CallSettings;
  readonly scope: CallScope;
  readonly microphone: MediaStream;
  /** The call's time span, which begins when this function is first called. */
  readonly period: () => Period;
}

/** How a connection was lost. */
export interface Drop {
  readonly wasLive: boolean;
  /** It was live long enough to reset the count of failed attempts. Opening is not enough: a connection may close at once. */
  readonly wasStable: boolean;
  /** How long nobody had spoken, on this connection and before it. */
  readonly silentMs: number;
  /** OpenAI rejected the call with a status that a retry does not change. */
  readonly isFinal: boolean;
}

type Key = Extract<SessionKeyOutcome, { kind: 'key' }>;

export const NOT_CONNECTED: Drop = { wasLive: false, wasStable: false, silentMs: 0, isFinal: false };

/** From the offer until the session exists. */
const CONNECT_TIMEOUT_MS = 15_000;
const STABLE_MS = 5_000;
const SILENCE_MS = 2 * 60_000;
/** OpenAI's statuses that may be temporary. After any other one, a retry would be rejected as well. */
const TEMPORARY_STATUS = /^(?:429|5..)$/;

/**
 * @param silentBefore how long nobody had spoken when the previous connection was lost, in milliseconds
 * @throws the abort reason of the call's signal, as soon as it aborts
 */
export function converse({ value, ...key }: Key, context: CallContext, silentBefore = 0): Promise<Drop> {
  const { settings, scope, microphone, period } = context;
  const { clock, openaiBaseUrl, transport, fetch } = settings;
  const { signal, abort } = childOf(scope.signal);
  let connection: Connection | undefined;
  let isSession = false;
  let isFinal = false;
  let isSoundBlocked = false;
  let live: { readonly at: number; readonly speech: Speech } | undefined;
  let cancel = clock.after(CONNECT_TIMEOUT_MS, abort);

  function handleEvent(event: RealtimeEvent): void {
    live?.speech.observe(event);
    scope.received(event);
    if (event.type === 'session.created') {
      isSession = true;
      goLiveIfReady();
    } else if (event.type === 'error' && codeOf(event) === 'session_expired') {
      scope.end({ name: 'ended', reason: 'session-expired' });
    }
  }

  function goLiveIfReady(): void {
    if (connection === undefined || !isSession || live !== undefined || signal.aborted) {
      return;
    }
    cancel();
    live = { at: clock.now(), speech: createSpeech(clock.now, silentBefore) };
    endAfterSilence(live.speech);
    scope.connected(connection);
    onMuteChange(microphone, reportLive, signal);
    reportLive();
  }

  function reportLive(): void {
    if (connection !== undefined && live !== undefined) {
      const { model } = key;
      const { remoteAudio } = connection;
      const allowance = allowanceOf(key);
      scope.become({ name: 'live', model, allowance, ...period(), remoteAudio, microphone, notice: noticeNow() });
    }
  }

  function noticeNow(): LiveNotice | undefined {
    if (isSoundBlocked) {
      return 'sound-blocked';
    }
    return isMuted(microphone) ? 'microphone-muted' : undefined;
  }

  function handleSoundBlocked(isBlocked: boolean): void {
    isSoundBlocked = isBlocked;
    reportLive();
  }

  function endAfterSilence(speech: Speech): void {
    const leftMs = SILENCE_MS - speech.silentMs();
    if (leftMs <= 0) {
      scope.end({ name: 'ended', reason: 'silence' });
    } else {
      cancel = clock.after(leftMs, () => endAfterSilence(speech));
    }
  }

  function handleOutcome(outcome: ConnectOutcome): void {
    if (outcome.kind === 'open') {
      connection = outcome.connection;
      goLiveIfReady();
    } else {
      isFinal = !TEMPORARY_STATUS.test(String(outcome.status));
      abort();
    }
  }

  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => {
      cancel();
      scope.connected(undefined);
      if (scope.signal.aborted) {
        reject(scope.signal.reason);
      } else {
        const heldMs = live === undefined ? 0 : clock.now() - live.at;
        const silentMs = live?.speech.silentMs() ?? silentBefore;
        resolve({ wasLive: live !== undefined, wasStable: heldMs >= STABLE_MS, silentMs, isFinal });
      }
    });
    const request = { key: value, model: key.model, openaiBaseUrl, microphone, signal, fetch, clock };
    const listeners = { onEvent: handleEvent, onLost: abort, onSoundBlocked: handleSoundBlocked };
    transport({ ...request, ...listeners }).then(handleOutcome, abort);
  });
}

export function allowanceOf({ remaining, resetAt }: Pick<Key, 'remaining' | 'resetAt'>): Allowance | undefined {
  return remaining === undefined ? undefined : { calls: remaining, until: resetAt };
}

function codeOf({ error }: RealtimeEvent): unknown {
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
}
