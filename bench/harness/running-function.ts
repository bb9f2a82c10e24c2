/** Starts function-process.ts in a child process, and sends it requests. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { bundlePath } from './bundles.ts';
import type { CallRequest, CallResult, ImportTimes } from './function-process.ts';

export interface RunningFunction extends AsyncDisposable {
  readonly importTimes: ImportTimes;
  /** @throws Error if the status of a response differs from `status` */
  readonly call: (request: CallRequest, status?: number) => Promise<CallResult>;
}

export async function runFunction(
  bundle: string,
  environment: Readonly<Record<string, string>>,
  { execArgv = [] as readonly string[] } = {},
): Promise<RunningFunction> {
  const child = fork(bundlePath('function-process'), [bundle], {
    env: { ...environment },
    execArgv: [...execArgv],
    // The log is discarded, which costs as little as writing it in Lambda.
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const ended = once(child, 'exit').then(([code, signal]) => {
    throw new Error(`The function's process ended: ${signal ?? `exit code ${code}`}.`);
  });
  ended.catch(() => undefined);
  const nextMessage = async <Message>(): Promise<Message> => {
    const [message] = await Promise.race([once(child, 'message'), ended]);
    return message;
  };
  const importTimes = await nextMessage<ImportTimes>();
  return {
    importTimes,
    async call(request, status = 200) {
      child.send(request);
      const result = await nextMessage<CallResult>();
      if (result.statuses.some((each) => each !== status)) {
        throw new Error(`${bundle} responded with ${result.statuses.join(', ')}. Expected ${status}.`);
      }
      return result;
    },
    async [Symbol.asyncDispose]() {
      const exited = child.exitCode === null && child.signalCode === null ? once(child, 'exit') : undefined;
      child.kill();
      await exited;
    },
  };
}
