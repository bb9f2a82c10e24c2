/** What the stand-in for Lambda has received since the last reset. It keeps no payload, only its size. */

import type { Attempt, DiscardedEvent } from './async-queue.ts';

export interface Heard {
  /** Signed requests to invoke a function that exists, including refused ones. */
  readonly requests: number;
  /** Events accepted, including those that an on-failure destination received. */
  readonly accepted: number;
  /** The last hundred accepted events, oldest first. */
  readonly latest: readonly HeardEvent[];
}

export interface HeardEvent {
  readonly requestId: string;
  readonly function: string;
  readonly invocationType: 'Event' | 'RequestResponse';
  readonly payloadBytes: number;
  /** One entry for each attempt, in the order in which they began. Those of duplicates are among them. */
  readonly attempts: readonly (Attempt['kind'] | 'running')[];
  /** Why the queue has given up the event, once for each duplicate. */
  readonly discarded: readonly DiscardedEvent['condition'][];
}

const REMEMBERED = 100;

export function createHearing() {
  let requests = 0;
  let accepted = 0;
  let latest: readonly (HeardEvent & { attempts: HeardEvent['attempts']; discarded: HeardEvent['discarded'] })[] = [];

  function find(requestId: string) {
    return latest.find((event) => event.requestId === requestId);
  }

  return {
    noteRequest(): void {
      requests += 1;
    },
    noteEvent(event: Omit<HeardEvent, 'attempts' | 'discarded'>): void {
      accepted += 1;
      latest = [...latest, { ...event, attempts: [], discarded: [] }].slice(-REMEMBERED);
    },
    /** @returns a function to call with what came of the attempt */
    noteAttempt(requestId: string): (kind: Attempt['kind']) => void {
      const event = find(requestId);
      const index = event?.attempts.length ?? 0;
      if (event !== undefined) {
        event.attempts = [...event.attempts, 'running'];
      }
      return (kind) => {
        if (event !== undefined) {
          event.attempts = event.attempts.with(index, kind);
        }
      };
    },
    noteDiscarded({ event: { requestId }, condition }: DiscardedEvent): void {
      const event = find(requestId);
      if (event !== undefined) {
        event.discarded = [...event.discarded, condition];
      }
    },
    heard: (): Heard => ({ requests, accepted, latest: latest.map((event) => ({ ...event })) }),
    reset(): void {
      requests = 0;
      accepted = 0;
      latest = [];
    },
  };
}

export type Hearing = ReturnType<typeof createHearing>;
