/**
 * The call as the page has it: started, stopped, watched. What happens in between is run-call.ts. At any time there is at
 * most one call under way; whatever an ended one still has to say is not heard.
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
  /** Minutes from the first word that can be heard, lost connections included. Default: 10; OpenAI's own end is at 60. */
  readonly maxCallMinutes?: number;
};

/** @throws RangeError if `maxCallMinutes` is no number above 0 */
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
  const tell = createTelling();
  let state: CallState = { name: 'idle' };
  let connection: Connection | undefined;
  let end: ((final: FinalState) => void) | undefined;

  function become(next: CallState): void {
    state = next;
    tell(stateListeners, next);
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
      heard: (event) => tell(eventListeners, event),
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
 * One at a time, in the order in which they came: what a listener brings about, such as a new call at the end of one, is told
 * once all have heard of what it was told. A listener's own fault is told to the console and does not reach the call, which may
 * hold an open microphone.
 */
function createTelling(): <T>(listeners: ReadonlySet<(value: T) => void>, value: T) => void {
  const waiting: (() => void)[] = [];
  return (listeners, value) => {
    const isFirst = waiting.push(() => {
      for (const listener of [...listeners]) {
        try {
          listener(value);
        } catch (error) {
          console.error(error);
        }
      }
    });
    if (isFirst === 1) {
      // It grows while it is told.
      for (const telling of waiting) {
        telling();
      }
      waiting.length = 0;
    }
  };
}
