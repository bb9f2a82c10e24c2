/**
 * Starts a function for one test. All of its outgoing requests go through proxies that can fail. For each request to the function,
 * it returns the response, the time that it took, and the line in the log.
 */
import { readFile, rm } from 'node:fs/promises';
import { expect, vi } from 'vitest';
import { PROBLEMS, type ProblemCode } from '../../contract/problems.ts';
import { FUNCTION_TIMEOUT_MS } from '../../contract/times.ts';
import type { Answer } from '../../lambda/answers/answers.ts';
import { startFunction } from '../../local/aws/lambda/function.ts';
import { STACKS_FOLDER } from '../../local/stack.ts';
import { FUNCTION_BUNDLE } from '../../scripts/build-function.ts';
import { sessionEvent } from './events.ts';
import type { FaultName } from './faults.ts';
import { type FaultyProxy, type Rule, startFaultyProxy } from './faulty-proxy.ts';

export type Target = 'dynamodb' | 'ssm' | 'openai';

export interface Outcome {
  readonly answer: Answer;
  readonly tookMs: number;
  /** The line in the log. */
  readonly log: string;
}

export interface FaultyFunction {
  readonly to: Readonly<Record<Target, FaultyProxy>>;
  /** Sends one request. Wait for it before you send the next one. @param visitor 1 to 254 @default 1 */
  readonly ask: (visitor?: number) => Promise<Outcome>;
  readonly close: () => Promise<void>;
}

/** What an idle container may keep open: INIT reads salt and switch in parallel, and two places are released in parallel. */
const CONNECTIONS_AT_REST: Readonly<Record<Target, number>> = { dynamodb: 2, ssm: 1, openai: 1 };

/** A response after this time would be too late, because Lambda itself needs some time around it. */
const LATEST_ANSWER_MS = FUNCTION_TIMEOUT_MS - 500;

/**
 * @param environment the environment of a stack's own function
 * @param faults the faults during INIT, until `mend` is called
 */
export async function startFaultyFunction(
  environment: Readonly<Record<string, string>>,
  faults: Partial<Record<Target, FaultName | Rule>> = {},
): Promise<FaultyFunction> {
  const through = async (target: Target, variable: string): Promise<FaultyProxy> => {
    const proxy = await startFaultyProxy(environment[variable] ?? '');
    await proxy.fail(faults[target] ?? (() => undefined));
    return proxy;
  };
  const to = {
    dynamodb: await through('dynamodb', 'AWS_ENDPOINT_URL_DYNAMODB'),
    ssm: await through('ssm', 'AWS_ENDPOINT_URL_SSM'),
    openai: await through('openai', 'OPENAI_BASE_URL'),
  };
  const log = `${STACKS_FOLDER}/${crypto.randomUUID()}.log`;
  const { invoke, close } = await startFunction({
    bundle: FUNCTION_BUNDLE,
    log,
    environment: {
      ...environment,
      AWS_ENDPOINT_URL_DYNAMODB: to.dynamodb.origin,
      AWS_ENDPOINT_URL_SSM: to.ssm.origin,
      OPENAI_BASE_URL: `${to.openai.origin}/v1`,
    },
  });
  let asked = 0;

  async function lineOf(request: number): Promise<string> {
    return await vi.waitFor(async () => {
      const line = (await readFile(log, 'utf8')).split('\n').slice(0, -1)[request - 1];
      return line ?? expect.unreachable(`The log has no line ${request}.`);
    });
  }

  return {
    to,
    async ask(visitor = 1) {
      asked += 1;
      const event = sessionEvent({ headers: { 'cloudfront-viewer-address': `203.0.113.${visitor}:443` } });
      const startedAt = performance.now();
      const answer = (await invoke(event)) as Answer;
      return { answer, tookMs: performance.now() - startedAt, log: await lineOf(asked) };
    },
    async close() {
      await close();
      await Promise.all(Object.values(to).map((proxy) => proxy.close()));
      await rm(log);
    },
  };
}

/** Expects a documented refusal, in time, and a log line with the reason. Neither contains a secret or text from OpenAI. */
export function expectRefusal({ answer, tookMs, log }: Outcome, code: ProblemCode, why: RegExp): void {
  const { status, retryable } = PROBLEMS[code];
  const problem = JSON.parse(answer.body);
  expect(problem).toMatchObject({ code, status, retryable, detail: expect.stringMatching(/./) });
  expect(answer).toMatchObject({
    statusCode: status,
    headers: { 'content-type': 'application/problem+json', 'cache-control': 'no-store' },
  });
  expect(answer.headers['retry-after'] !== undefined).toBe(retryable);
  expect(tookMs).toBeLessThan(LATEST_ANSWER_MS);
  expect(JSON.parse(log)).toMatchObject({ code, status, reason: expect.stringMatching(why) });
  expect(answer.body + log).not.toMatch(/sk-|ek_|We are having trouble|203\.0\.113/);
}

/** Expects a key, and no more open connections than an idle container may keep. */
export async function expectWell(fn: FaultyFunction, visitor?: number): Promise<void> {
  expect(JSON.parse((await fn.ask(visitor)).answer.body)).toMatchObject({ value: expect.stringMatching(/^ek_/) });
  await vi.waitFor(() => {
    for (const [target, most] of Object.entries(CONNECTIONS_AT_REST)) {
      expect(fn.to[target as Target].connections(), target).toBeLessThanOrEqual(most);
    }
  });
}
