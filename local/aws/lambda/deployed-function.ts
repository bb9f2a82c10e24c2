/** A function as it is deployed: its containers behind its reserved concurrency, and its queue of asynchronous events. */
import { randomUUID } from 'node:crypto';
import type { Clock } from '../../../resilience/index.ts';
import { LOCAL_ACCOUNT, LOCAL_REGION } from '../identity.ts';
import { type Attempt, createAsyncQueue, type QueuedEvent } from './async-queue.ts';
import { createContainers } from './containers.ts';
import { type DestinationRecord, destinationRecord } from './destination-record.ts';
import { deliveryDelaysMs, type Failures } from './failures.ts';
import { FunctionError, thrown, thrownPayload } from './function-error.ts';
import type { FunctionOptions } from './function-options.ts';
import type { Hearing } from './heard.ts';

export interface DeployedFunction {
  readonly name: string;
  /** Without a qualifier. */
  readonly arn: string;
  /** Runs the function once. The caller waits for it. */
  invoke(event: IncomingEvent): Promise<Attempt>;
  /** Puts the event into the queue. */
  accept(event: IncomingEvent): void;
  /** Kills the containers that are handling an event. */
  crash(): void;
  /** Ends the events in progress, and the queue with what is in it. */
  close(): Promise<void>;
}

export interface IncomingEvent extends QueuedEvent {
  readonly payloadBytes: number;
}

export interface Surroundings {
  readonly clock: Clock;
  readonly failures: Failures;
  readonly hearing: Hearing;
  /** Hands a record to the on-failure destination. */
  readonly toDestination: (name: string, event: IncomingEvent) => void;
}

export function deployFunction(options: FunctionOptions, surroundings: Surroundings): DeployedFunction {
  const { name, reservedConcurrency, asynchronous: { onFailure, ...retries } = {} } = options;
  const { clock, failures, hearing, toDestination } = surroundings;
  const arn = `arn:aws:lambda:${LOCAL_REGION}:${LOCAL_ACCOUNT}:function:${name}`;
  const containers = createContainers({ oneAtATime: false, ...options, clock });
  let inProgress = 0;

  const queue = createAsyncQueue({
    ...retries,
    attempt,
    discard(discarded) {
      hearing.noteDiscarded(discarded);
      if (onFailure !== undefined) {
        toDestination(onFailure, eventOf(destinationRecord(discarded, arn, clock.now())));
      }
    },
    clock,
  });

  async function attempt(event: QueuedEvent): Promise<Attempt> {
    const noteEnd = hearing.noteAttempt(event.requestId);
    const made = await run(event);
    noteEnd(made.kind);
    return made;
  }

  async function run({ requestId, payload }: QueuedEvent): Promise<Attempt> {
    if (reservedConcurrency === 0) {
      return { kind: 'switched_off' };
    }
    if (reservedConcurrency !== 'off' && inProgress >= reservedConcurrency) {
      return { kind: 'throttled' };
    }
    inProgress += 1;
    try {
      const crash = failures.nextContainer(name);
      const crashAfterMs = crash === undefined ? undefined : (crash.afterMs ?? 0);
      return { kind: 'succeeded', result: await containers.invoke(requestId, payload, crashAfterMs) };
    } catch (error) {
      const { payload: reported } = error instanceof FunctionError ? error : thrown(thrownPayload(error));
      return { kind: 'failed', error: reported };
    } finally {
      inProgress -= 1;
    }
  }

  function note({ requestId, payloadBytes }: IncomingEvent, invocationType: 'Event' | 'RequestResponse'): void {
    hearing.noteEvent({ requestId, function: name, invocationType, payloadBytes });
  }

  return {
    name,
    arn,
    invoke(event) {
      note(event, 'RequestResponse');
      return attempt(event);
    },
    accept(event) {
      note(event, 'Event');
      for (const delayMs of deliveryDelaysMs(failures.nextDelivery(name))) {
        queue.accept(event, delayMs);
      }
    },
    crash: containers.crash,
    close() {
      queue.close();
      return containers.close();
    },
  };
}

function eventOf(record: DestinationRecord): IncomingEvent {
  return { requestId: randomUUID(), payload: record, payloadBytes: Buffer.byteLength(JSON.stringify(record)) };
}
