/**
 * The output audio buffer: how much of the model's audio the caller has heard. Responses are generated faster than they are
 * played. Over WebRTC the server plays them, and reports it; over a WebSocket the client does, and the server assumes that it
 * plays each response at once and to its end.
 */

import type { Speaker } from '../../line.ts';
import { durationMs } from '../../voice.ts';
import type { Send } from '../server-events.ts';

/** Audio that was cut off. */
export interface CutOff {
  readonly itemId: string;
  /** How much of it was played. */
  readonly playedMs: number;
}

interface Playing {
  readonly responseId: string;
  readonly itemId: string;
  readonly startsAt: number;
  lengthMs: number;
  timer?: NodeJS.Timeout;
}

interface PlaybackOptions {
  readonly send: Send;
  readonly speaker: Speaker | undefined;
  /** Monotonic milliseconds. */
  readonly clock: () => number;
}

export type Playback = ReturnType<typeof createPlayback>;

export function createPlayback({ send, speaker, clock }: PlaybackOptions) {
  let playing: Playing[] = [];
  /** Responses that are still being generated, but that the caller no longer wants to hear. */
  const silenced = new Set<string>();

  function endOf({ startsAt, lengthMs }: Playing): number {
    return startsAt + lengthMs;
  }

  /** How long it takes until everything has been played. */
  function remainingMs(): number {
    return Math.max(0, ...playing.map((entry) => endOf(entry) - clock()));
  }

  function report(state: 'started' | 'stopped' | 'cleared', responseId: string): void {
    if (speaker !== undefined) {
      send({ type: `output_audio_buffer.${state}`, response_id: responseId });
    }
  }

  function add(responseId: string, itemId: string, samples: Int16Array): void {
    if (silenced.has(responseId)) {
      return;
    }
    let entry = playing.find((one) => one.responseId === responseId);
    if (entry === undefined) {
      entry = { responseId, itemId, startsAt: clock() + remainingMs(), lengthMs: 0 };
      playing.push(entry);
      report('started', responseId);
    }
    entry.lengthMs += durationMs(samples);
    speaker?.play(samples);
  }

  /** No more audio of the response will come. */
  function finish(responseId: string): void {
    silenced.delete(responseId);
    const entry = playing.find((one) => one.responseId === responseId);
    if (entry !== undefined) {
      const stop = () => {
        playing = playing.filter((one) => one !== entry);
        report('stopped', responseId);
      };
      entry.timer = setTimeout(stop, Math.max(0, endOf(entry) - clock()));
    }
  }

  /** Stops playing. @returns what the caller has not heard to its end */
  function clear(): readonly CutOff[] {
    const cutOff = playing.map(({ responseId, itemId, startsAt, lengthMs, timer }) => {
      if (timer === undefined) {
        silenced.add(responseId);
      }
      clearTimeout(timer);
      report('cleared', responseId);
      const playedMs = Math.floor(Math.min(Math.max(0, clock() - startsAt), lengthMs));
      return { itemId, playedMs, lengthMs };
    });
    playing = [];
    speaker?.clear();
    return cutOff.filter(({ playedMs, lengthMs }) => playedMs < lengthMs);
  }

  return { add, finish, clear, remainingMs };
}
