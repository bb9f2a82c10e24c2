/**
 * One container of a function, which AWS calls an execution environment: a thread with its own environment variables that has
 * imported the bundle, and handles events until it is killed.
 */
import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { Worker } from 'node:worker_threads';
import type { Clock } from '../../../resilience/index.ts';
import { type ErrorPayload, exited, FunctionError, thrown, thrownPayload, timedOut } from './function-error.ts';

/** What the container's thread is told. */
export interface ContainerSettings {
  /** Path of the bundle. */
  readonly bundle: string;
  readonly timeoutMs: number;
}

export interface ContainerOptions extends ContainerSettings {
  readonly environment: Readonly<Record<string, string>>;
  /** As on Lambda, a timeout then ends the container. Otherwise other events may be in progress in it, so it lives on. */
  readonly oneAtATime: boolean;
  /** Receives what the bundle prints. The container does not end it. */
  readonly log: Writable;
  readonly clock: Clock;
}

export interface Invocation {
  /** Unlike the request id, differs between the duplicates of an event. */
  readonly key: number;
  readonly requestId: string;
  readonly event: unknown;
}

export type Invoked = { readonly key: number } & ({ readonly result: unknown } | { readonly error: ErrorPayload });

export interface Container {
  /** Resolves after INIT. Rejects with the error with which the bundle's import failed. */
  readonly ready: Promise<unknown>;
  /** Resolves when the thread has ended. */
  readonly ended: Promise<void>;
  /** False from the moment it is killed or exits. */
  isAlive(): boolean;
  /** The number of events in progress. */
  inProgress(): number;
  /** @throws FunctionError */
  invoke(requestId: string, event: unknown): Promise<unknown>;
  /** Ends the thread, as if the process were killed. Resolves when it has ended. */
  kill(): Promise<void>;
}

export function startContainer({
  bundle,
  timeoutMs,
  environment,
  oneAtATime,
  log,
  clock,
}: ContainerOptions): Container {
  const worker = new Worker(new URL('./function-worker.ts', import.meta.url), {
    env: environment,
    workerData: { bundle, timeoutMs } satisfies ContainerSettings,
    stdout: true,
    stderr: true,
  });
  worker.stdout.pipe(log, { end: false });
  worker.stderr.pipe(log, { end: false });

  const pending = new Map<number, { readonly requestId: string } & PromiseWithResolvers<unknown>>();
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  const { promise: died, reject: die } = Promise.withResolvers<never>();
  let isAlive = true;
  let isKilled = false;
  let lastKey = 0;

  died.catch(() => undefined);
  worker.once('error', (error) => console.error('The function stopped with an error:', error));
  worker.once('exit', (code) => {
    isAlive = false;
    for (const { requestId, reject } of pending.values()) {
      reject(exited(requestId, isKilled ? 'killed' : code));
    }
    die(exited('', isKilled ? 'killed' : code));
    end();
  });
  worker.on('message', (message: 'ready' | Invoked) => {
    if (message === 'ready') {
      return;
    }
    const caller = pending.get(message.key);
    if ('error' in message) {
      caller?.reject(thrown(message.error));
    } else {
      caller?.resolve(message.result);
    }
  });

  const ready = Promise.race([once(worker, 'message'), died]);
  ready.catch(() => undefined);

  async function invoke(requestId: string, event: unknown): Promise<unknown> {
    lastKey += 1;
    const key = lastKey;
    const caller = Promise.withResolvers<unknown>();
    let cancelTimeout = () => undefined as unknown;
    pending.set(key, { requestId, ...caller });
    try {
      await Promise.race([ready, caller.promise]);
      cancelTimeout = clock.after(timeoutMs, () => {
        caller.reject(timedOut(requestId, timeoutMs));
        if (oneAtATime) {
          void kill();
        }
      });
      worker.postMessage({ key, requestId, event } satisfies Invocation);
      return await caller.promise;
    } catch (error) {
      throw error instanceof FunctionError ? error : thrown(thrownPayload(error));
    } finally {
      cancelTimeout();
      pending.delete(key);
    }
  }

  async function kill(): Promise<void> {
    isAlive = false;
    isKilled = true;
    await worker.terminate();
  }

  return { ready, ended, isAlive: () => isAlive, inProgress: () => pending.size, invoke, kill };
}
