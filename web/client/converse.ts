/** One connection with one key, from the first packet until it is lost. It is live once OpenAI's session is there. */

import { childOf } from './browser/child-signal.ts';
import type { CallScope, CallSettings } from './call-settings.ts';
import type { Allowance } from './call-state.ts';
import type { SessionKeyOutcome } from './session-key/session-key-outcome.ts';
import { createSpeech, type Speech } from './speech.ts';
import type { RealtimeEvent } from './transport/realtime-event.ts';
import type { Connection, ConnectOutcome } from './transport/transport.ts';

/** Epoch milliseconds. */
export interface Period {
  readonly since: number;
  readonly until: number;
}

/** What all connections of one call share. */
export interface Line {
  readonly settings: CallSettings;
  readonly scope: CallScope;
  readonly microphone: MediaStream;
  /** Begins when it is first asked for. */
  readonly period: () => Period;
}

export interface Drop {
  readonly wasLive: boolean;
  /** It held so long that what failed before it is forgiven. An open connection alone says nothing: it may close at once. */
  readonly wasStable: boolean;
  /** How long nobody had been heard, on this connection and before it. */
  readonly silentMs: number;
  /** OpenAI refused the call in a way that no repetition mends. */
  readonly isFinal: boolean;
}

type Key = Extract<SessionKeyOutcome, { kind: 'key' }>;

export const NOT_CONNECTED: Drop = { wasLive: false, wasStable: false, silentMs: 0, isFinal: false };

/** From the offer to the session. */
const CONNECT_LIMIT_MS = 15_000;
const STABLE_MS = 5_000;
const SILENCE_MS = 2 * 60_000;
/** Of OpenAI's statuses. Whatever else it refuses with stays refused. */
const MAY_PASS = /^(?:429|5..)$/;

/**
 * @param silentBefore milliseconds for which nobody had been heard when the connection before was lost
 * @throws the reason of the call's signal, as soon as it aborts
 */
export function converse({ value, ...key }: Key, line: Line, silentBefore = 0): Promise<Drop> {
  const { settings, scope, microphone, period } = line;
  const { clock, openaiBaseUrl, transport, fetch } = settings;
  const { signal, abort } = childOf(scope.signal);
  let connection: Connection | undefined;
  let isSession = false;
  let isFinal = false;
  let live: { readonly at: number; readonly speech: Speech } | undefined;
  let cancel = clock.after(CONNECT_LIMIT_MS, abort);

  function hear(event: RealtimeEvent): void {
    live?.speech.hear(event);
    scope.heard(event);
    if (event.type === 'session.created') {
      isSession = true;
      beLiveIfReady();
    } else if (event.type === 'error' && codeOf(event) === 'session_expired') {
      scope.end({ name: 'ended', reason: 'session-expired' });
    }
  }

  function beLiveIfReady(): void {
    if (connection === undefined || !isSession || live !== undefined || signal.aborted) {
      return;
    }
    cancel();
    live = { at: clock.now(), speech: createSpeech(clock.now, silentBefore) };
    endInSilence(live.speech);
    scope.connected(connection);
    const { remoteAudio } = connection;
    scope.become({ name: 'live', model: key.model, allowance: allowanceOf(key), ...period(), remoteAudio, microphone });
  }

  function endInSilence(speech: Speech): void {
    const leftMs = SILENCE_MS - speech.silentMs();
    if (leftMs <= 0) {
      scope.end({ name: 'ended', reason: 'silence' });
    } else {
      cancel = clock.after(leftMs, () => endInSilence(speech));
    }
  }

  function take(outcome: ConnectOutcome): void {
    if (outcome.kind === 'open') {
      connection = outcome.connection;
      beLiveIfReady();
    } else {
      isFinal = !MAY_PASS.test(String(outcome.status));
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
    transport({ ...request, onEvent: hear, onLost: abort }).then(take, abort);
  });
}

export function allowanceOf({ remaining, resetAt }: Pick<Key, 'remaining' | 'resetAt'>): Allowance | undefined {
  return remaining === undefined ? undefined : { calls: remaining, until: resetAt };
}

function codeOf({ error }: RealtimeEvent): unknown {
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
}
