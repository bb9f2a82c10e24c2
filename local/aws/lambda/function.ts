/**
 * Stand-in for a Lambda function that is invoked in this process, such as the one behind the Function URL. It runs the bundle that
 * is deployed, and one container serves all concurrent requests.
 */
import { randomUUID } from 'node:crypto';
import { FUNCTION_TIMEOUT_MS } from '../../../contract/times.ts';
import { systemClock } from '../../../resilience/index.ts';
import { createContainers } from './containers.ts';

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

/** Resolves after INIT. @throws the error with which the bundle's import failed */
export async function startFunction(options: LocalFunctionOptions): Promise<LocalFunction> {
  const { start, invoke, close } = createContainers({
    ...options,
    timeoutMs: FUNCTION_TIMEOUT_MS,
    oneAtATime: false,
    clock: systemClock,
  });
  await start();
  return { invoke: (event) => invoke(randomUUID(), event), close };
}
