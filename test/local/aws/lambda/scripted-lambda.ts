/** Starts Lambda's stand-in for one test, with functions that do what the event says, and the SDK's client for it. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { InvokeCommand, type InvokeCommandInput, LambdaClient } from '@aws-sdk/client-lambda';
import { onTestFinished, vi } from 'vitest';
import type { FunctionOptions } from '../../../../local/aws/lambda/function-options.ts';
import { type LambdaOptions, startLambda } from '../../../../local/aws/lambda/lambda.ts';

/** Waits until the expectations hold. A container can take seconds to start on a machine that is busy. */
export function eventually(expectations: () => void | Promise<void>): Promise<void> {
  return vi.waitFor(expectations, { timeout: 30_000, interval: 5 });
}

/** `way` says what the handler does. `wait` ends when the file exists. */
const BUNDLE = `
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

const container = crypto.randomUUID();
let handled = 0;

export async function handler(event, context) {
  handled += 1;
  const remainingMs = context.getRemainingTimeInMillis();
  switch (event.way) {
    case 'throw': throw new TypeError('the bundle has a bug');
    case 'throw-text': throw 'just a text';
    case 'exit': process.exit(event.code);
    case 'hang': return await new Promise(() => setInterval(() => {}, 1_000));
    case 'listen': return await new Promise((_, reject) => createServer().listen(event.port, '127.0.0.1').on('error', reject));
    case 'nothing': return;
    case 'wait': while (!existsSync(event.file)) await sleep(5);
  }
  const answer = { event, requestId: context.awsRequestId, container, handled, remainingMs, environment: { ...process.env } };
  console.log(JSON.stringify(answer));
  return answer;
}
`;

export interface Answered {
  readonly event: unknown;
  readonly requestId: string;
  readonly container: string;
  readonly handled: number;
  readonly remainingMs: number;
  readonly environment: Readonly<Record<string, string>>;
}

export interface ScriptedLambdaOptions extends Omit<LambdaOptions, 'functions'> {
  /** Settings of each function, by its name. @default one function, `fn` */
  readonly functions?: Readonly<Record<string, Partial<FunctionOptions>>>;
  /** The SDK's, for each request. @default 1 */
  readonly maxAttempts?: number;
}

export async function startScriptedLambda({
  functions = { fn: {} },
  maxAttempts = 1,
  ...options
}: ScriptedLambdaOptions = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'lambda-'));
  const bundle = join(folder, 'bundle.mjs');
  await writeFile(bundle, BUNDLE);
  const logOf = (name: string) => join(folder, `${name}.log`);
  const lambda = await startLambda({
    ...options,
    functions: Object.entries(functions).map(([name, settings]) => ({
      name,
      bundle,
      environment: { NAME: name },
      log: logOf(name),
      timeoutMs: 15_000,
      reservedConcurrency: 'off',
      oneAtATime: true,
      ...settings,
    })),
  });
  const client = new LambdaClient({
    endpoint: lambda.endpoint,
    region: 'us-east-1',
    credentials: { accessKeyId: 'any', secretAccessKey: 'any' },
    maxAttempts,
  });
  onTestFinished(async () => {
    client.destroy();
    await lambda.close();
    await rm(folder, { recursive: true });
  });

  async function invoke(event: unknown, input: Partial<InvokeCommandInput> = {}) {
    const Payload = event === undefined ? undefined : JSON.stringify(event);
    const { Payload: payload, ...output } = await client.send(
      new InvokeCommand({ FunctionName: 'fn', ...(Payload === undefined ? {} : { Payload }), ...input }),
    );
    return { ...output, Payload: payload?.transformToString() };
  }

  return {
    lambda,
    client,
    folder,
    invoke,
    /** Waits for the result. @returns what the handler returned */
    ask: async (event: unknown, name = 'fn'): Promise<Answered> =>
      JSON.parse((await invoke(event, { FunctionName: name })).Payload ?? ''),
    /** Does not wait for the result. */
    queue: (event: unknown, name = 'fn') => invoke(event, { FunctionName: name, InvocationType: 'Event' }),
    release: (file: string) => writeFile(file, ''),
    log: (name: string) => readFile(logOf(name), 'utf8'),
  };
}
