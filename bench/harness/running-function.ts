/** The parent's side of function-process.ts. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { bundlePath } from './bundles.ts';
import type { Done, Order, Told } from './function-process.ts';

export interface RunningFunction extends AsyncDisposable {
  readonly told: Told;
  /** @throws Error if a call is answered with another status */
  readonly call: (order: Order, status?: number) => Promise<Done>;
}

export async function runFunction(
  bundle: string,
  environment: Readonly<Record<string, string>>,
  { execArgv = [] as readonly string[] } = {},
): Promise<RunningFunction> {
  const child = fork(bundlePath('function-process'), [bundle], {
    env: { ...environment },
    execArgv: [...execArgv],
    // Its log goes nowhere, as cheaply as Lambda takes it.
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const ended = once(child, 'exit').then(([code, signal]) => {
    throw new Error(`The function's process ended: ${signal ?? `exit code ${code}`}.`);
  });
  ended.catch(() => undefined);
  const answer = async <Message>(): Promise<Message> => {
    const [message] = await Promise.race([once(child, 'message'), ended]);
    return message;
  };
  const told = await answer<Told>();
  return {
    told,
    async call(order, status = 200) {
      child.send(order);
      const done = await answer<Done>();
      if (done.statuses.some((each) => each !== status)) {
        throw new Error(`${bundle} answered ${done.statuses.join(', ')}, where ${status} was due.`);
      }
      return done;
    },
    async [Symbol.asyncDispose]() {
      const exited = child.exitCode === null && child.signalCode === null ? once(child, 'exit') : undefined;
      child.kill();
      await exited;
    },
  };
}
