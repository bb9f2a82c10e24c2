/**
 * Stand-in for Lambda: runs the bundle that is deployed, in a thread with its own environment, and writes its log to a file. One
 * container serves all concurrent requests, where Lambda would start one for each. This is a harder test of the code.
 */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';
import { Worker } from 'node:worker_threads';
import { FUNCTION_TIMEOUT_MS } from '../../contract/times.ts';

export interface Invocation {
  readonly id: string;
  readonly event: unknown;
}

export type Invoked =
  | { readonly id: string; readonly result: unknown }
  | { readonly id: string; readonly error: string };

export interface LocalFunction {
  /** Rejects if Lambda would report a function error: an exception, a process that ended, a timeout. The log has the error. */
  readonly invoke: (event: unknown) => Promise<unknown>;
  readonly close: () => Promise<void>;
}

export interface LocalFunctionOptions {
  /** Path of the bundle. */
  readonly bundle: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Path of the log file. It is emptied first. */
  readonly log: string;
}

/** Lambda's wording: the runbook tells operators to search for it. */
const TIMED_OUT = `Task timed out after ${(FUNCTION_TIMEOUT_MS / 1_000).toFixed(2)} seconds`;

/** Resolves after INIT. @throws the error with which the bundle's import failed */
export async function startFunction({ bundle, environment, log }: LocalFunctionOptions): Promise<LocalFunction> {
  const worker = new Worker(new URL('./function-worker.ts', import.meta.url), {
    env: environment,
    workerData: { bundle },
    stdout: true,
    stderr: true,
  });
  const file = createWriteStream(log);
  worker.stdout.pipe(file, { end: false });
  worker.stderr.pipe(file, { end: false });

  const { promise: ended, reject: end } = Promise.withResolvers<never>();
  ended.catch(() => undefined);
  worker.once('error', (error) => console.error('The function stopped with an error:', error));
  worker.once('exit', () => end(new Error('Runtime exited')));
  await Promise.race([once(worker, 'message'), ended]);

  let isClosing = false;
  const pending = new Map<string, PromiseWithResolvers<unknown>>();
  worker.on('message', (message: Invoked) => {
    const caller = pending.get(message.id);
    if ('error' in message) {
      caller?.reject(new Error(message.error));
    } else {
      caller?.resolve(message.result);
    }
  });

  return {
    async invoke(event) {
      const id = randomUUID();
      const caller = Promise.withResolvers<unknown>();
      pending.set(id, caller);
      const timer = setTimeout(() => caller.reject(new Error(TIMED_OUT)), FUNCTION_TIMEOUT_MS);
      worker.postMessage({ id, event } satisfies Invocation);
      try {
        return await Promise.race([caller.promise, ended]);
      } catch (error) {
        // An invocation that ends because the function is closed is not logged.
        if (!isClosing) {
          file.write(`${new Date().toISOString()} ${id} ${error instanceof Error ? error.message : error}\n`);
        }
        throw error;
      } finally {
        clearTimeout(timer);
        pending.delete(id);
      }
    },
    async close() {
      isClosing = true;
      await worker.terminate();
      file.end();
      await finished(file);
    },
  };
}
