/**
 * The call as the page uses it: start it, stop it, subscribe to it. run-call.ts does the rest. At most one call runs at any
 * time, and reports from an ended call are ignored.
 */
import { systemClock } from '../../resilience/index.ts';
import { browserMicrophone } from './browser/microphone.ts';
import { browserSurroundings } from './browser/page-environment.ts';
import type { CallSettings, FinalState } from './call-settings.ts';
import type { CallState } from './call-state.ts';
import { runCall } from './run-call.ts';
import type { RealtimeEvent } from './transport/realtime-event.ts';
import type { Connection } from './transport/transport.ts';
import { webRtc } from './transport/webrtc.ts';
import type { VoiceCall } from './voice-call.ts';

export type VoiceCallOptions = Partial<Omit<CallSettings, 'maxCallMs'>> & {
  /** Maximum minutes from the moment the call first goes live, reconnecting included. Default: 10. OpenAI's own limit is 60. */
  readonly maxCallMinutes?: number;
};

/** @throws RangeError if `maxCallMinutes` is not a number above 0 */
export function createVoiceCall({ maxCallMinutes = 10, ...options }: VoiceCallOptions = {}): VoiceCall {
  if (!(maxCallMinutes > 0)) {
    throw new RangeError(`maxCallMinutes must be a number above 0, such as 10, not ${maxCallMinutes}.`);
  }
  const settings: CallSettings = {
    openaiBaseUrl: 'https://api.openai.com/v1',
    transport: webRtc,
    getUserMedia: browserMicrophone,
    surroundings: browserSurroundings,
    fetch: (...request) => globalThis.fetch(...request),
    clock: systemClock,
    random: Math.random,
    ...options,
    maxCallMs: maxCallMinutes * 60_000,
  };
  const stateListeners = new Set<(state: CallState) => void>();
  const eventListeners = new Set<(event: RealtimeEvent) => void>();
  const notify = createNotifier();
  let state: CallState = { name: 'idle' };
  let connection: Connection | undefined;
  let end: ((final: FinalState) => void) | undefined;

  function become(next: CallState): void {
    state = next;
    notify(stateListeners, next);
  }

  function start(): void {
    if (end !== undefined) {
      return;
    }
    const controller = new AbortController();
    const { signal } = controller;
    const endThisCall = (final: FinalState): void => {
      if (!signal.aborted) {
        [end, connection] = [undefined, undefined];
        controller.abort();
        become(final);
      }
    };
    end = endThisCall;
    void runCall(settings, {
      signal,
      end: endThisCall,
      become(next) {
        if (!signal.aborted) {
          become(next);
        }
      },
      connected(next) {
        connection = next;
      },
      received: (event) => notify(eventListeners, event),
    });
  }

  return {
    get state() {
      return state;
    },
    start,
    stop: () => end?.({ name: 'ended', reason: 'hung-up' }),
    onState: (listener) => subscribe(stateListeners, listener),
    onEvent: (listener) => subscribe(eventListeners, listener),
    send: (event) => connection?.send(event) ?? false,
  };
}

function subscribe<T>(listeners: Set<T>, listener: T): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/**
 * Delivers values one at a time, in order. If a listener causes a new value, for example by starting a call when one ends, that
 * value is delivered after every listener has received the current one. An error that a listener throws is logged to the
 * console. It does not reach the call, which may hold an open microphone.
 */
function createNotifier(): <T>(listeners: ReadonlySet<(value: T) => void>, value: T) => void {
  const queue: (() => void)[] = [];
  return (listeners, value) => {
    const isFirst = queue.push(() => {
      for (const listener of [...listeners]) {
        try {
          listener(value);
        } catch (error) {
          console.error(error);
        }
      }
    });
    if (isFirst === 1) {
      // Listeners may add to the queue during this loop.
      for (const deliver of queue) {
        deliver();
      }
      queue.length = 0;
    }
  };
}
