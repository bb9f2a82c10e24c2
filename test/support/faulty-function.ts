/**
 * A function of a test's own whose every call outward goes through a proxy that can fail, and what came of its requests:
 * the answer, how long it took, the line in the log.
 */
import { readFile, rm } from 'node:fs/promises';
import { expect, vi } from 'vitest';
import { PROBLEMS, type ProblemCode } from '../../contract/problems.ts';
import { FUNCTION_TIMEOUT_MS } from '../../contract/times.ts';
import type { Answer } from '../../lambda/answers/answers.ts';
import { startFunction } from '../../local/aws/function.ts';
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
  /** One request, when the one before it is over. @param visitor 1 to 254 @default 1 */
  readonly ask: (visitor?: number) => Promise<Outcome>;
  readonly close: () => Promise<void>;
}

/** What a container that is at rest may hold: INIT reads salt and switch at once, and two places are given back at once. */
const CONNECTIONS_AT_REST: Readonly<Record<Target, number>> = { dynamodb: 2, ssm: 1, openai: 1 };

/** An answer this late would be too late, with what Lambda needs around it. */
const LATEST_ANSWER_MS = FUNCTION_TIMEOUT_MS - 500;

/**
 * @param environment as a stack has it for its own function
 * @param faults what INIT meets, until it is mended
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
      return line ?? expect.unreachable(`There is no line ${request} in the log.`);
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

/** A refusal as it is documented, in time, with a log line that says why; no secret in either, and none of OpenAI's words. */
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

/** A key, and no connection is open that was not before all this. */
export async function expectWell(fn: FaultyFunction, visitor?: number): Promise<void> {
  expect(JSON.parse((await fn.ask(visitor)).answer.body)).toMatchObject({ value: expect.stringMatching(/^ek_/) });
  await vi.waitFor(() => {
    for (const [target, most] of Object.entries(CONNECTIONS_AT_REST)) {
      expect(fn.to[target as Target].connections(), target).toBeLessThanOrEqual(most);
    }
  });
}
