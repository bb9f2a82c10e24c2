/** Errors that fetch, the openai package and the AWS SDK actually throw, over real sockets. */

import { DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { classify, okOrThrow } from '../../resilience/index.ts';
import { type ScriptedServer, type Step, startScriptedServer } from './scripted-server.ts';

/** The short timeout is for servers that do not respond. The long one allows for a slow machine. */
const SHORT_MS = 100;
const LONG_MS = 10_000;
const CALLERS = ['fetch', 'openai', 'aws'] as const;
type Caller = (typeof CALLERS)[number];

let server: ScriptedServer;

beforeAll(async () => {
  server = await startScriptedServer();
});

afterAll(() => server.close());

interface Call {
  readonly url?: string;
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
}

const CALL: Readonly<Record<Caller, (call?: Call) => Promise<unknown>>> = {
  fetch: async ({ url = server.url, timeoutMs = LONG_MS, signal = AbortSignal.timeout(timeoutMs) } = {}) =>
    (await okOrThrow(await fetch(url, { signal }))).json(),
  openai: ({ url = server.url, timeoutMs = LONG_MS, signal } = {}) =>
    new OpenAI({ apiKey: 'test', baseURL: url, maxRetries: 0, timeout: timeoutMs }).models.list({ signal }),
  aws: ({ url = server.url, timeoutMs = LONG_MS, signal } = {}) => {
    const client = new DynamoDBClient({
      endpoint: url,
      region: 'us-east-1',
      credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
      maxAttempts: 1,
      requestHandler: { requestTimeout: timeoutMs, throwOnRequestTimeout: true },
    });
    const command = new GetItemCommand({ TableName: 'table', Key: { pk: { S: 'a' } } });
    return client.send(command, { ...(signal && { abortSignal: signal }) }).finally(() => client.destroy());
  },
};

async function failureOf(work: Promise<unknown>) {
  const thrown = await work.then(
    () => expect.unreachable('It succeeded'),
    (error: unknown) => error,
  );
  return classify(thrown);
}

describe.each(CALLERS)('%s', (caller) => {
  it.each<[Step]>([['reset_before_answer'], ['closed_before_answer'], ['cut_off_in_answer'], ['not_http']])(
    '%s is a lost connection',
    async (step) => {
      server.play(step);
      const expected = { kind: 'connection', retryable: true, health: 'failing' };
      expect(await failureOf(CALL[caller]())).toMatchObject(expected);
    },
  );

  it('a server that does not respond is a timeout', async () => {
    server.play('hang');
    const expected = { kind: 'timeout', retryable: true, health: 'failing' };
    expect(await failureOf(CALL[caller]({ timeoutMs: SHORT_MS }))).toMatchObject(expected);
  });

  it('a server that does not exist is a lost connection', async () => {
    const gone = await startScriptedServer();
    await gone.close();
    expect(await failureOf(CALL[caller]({ url: gone.url }))).toMatchObject({ kind: 'connection', retryable: true });
  });

  it('an abort by the caller is aborted', async () => {
    server.play('hang');
    const controller = new AbortController();
    const work = failureOf(CALL[caller]({ signal: controller.signal }));
    controller.abort();
    expect(await work).toMatchObject({ kind: 'aborted', retryable: false, health: 'unknown' });
  });

  it('a signal that aborts because of a timeout is a timeout', async () => {
    server.play('hang');
    const work = CALL[caller]({ signal: AbortSignal.timeout(SHORT_MS) });
    expect(await failureOf(work)).toMatchObject({ kind: 'timeout', retryable: true });
  });

  it.each([400, 401, 403, 404, 408, 409, 422])('a %i is not retryable', async (status) => {
    server.play({ status, body: { error: { message: 'no' } } });
    expect(await failureOf(CALL[caller]())).toMatchObject({ kind: 'answer', status, retryable: false });
  });

  it.each([429, 500, 502, 503, 504])('a %i is retryable, and its headers can be read', async (status) => {
    server.play({
      status,
      headers: { 'retry-after': '3', 'x-should-retry': 'maybe' },
      body: '<html>Bad gateway</html>',
    });
    const failure = await failureOf(CALL[caller]());
    expect(failure).toMatchObject({ kind: 'answer', status, retryable: true });
    const headers = 'headers' in failure ? failure.headers : {};
    expect(new Headers(headers as Record<string, string>).get('retry-after')).toBe('3');
  });

  it('x-should-retry is respected', async () => {
    server.play({ status: 503, headers: { 'x-should-retry': 'false' }, body: {} });
    expect(await failureOf(CALL[caller]())).toMatchObject({ status: 503, retryable: false });
  });

  it('an unpaid bill is not retryable', async () => {
    server.play({ status: 429, body: { error: { type: 'insufficient_quota', code: 'insufficient_quota' } } });
    expect(await failureOf(CALL[caller]())).toMatchObject({ status: 429, retryable: false, health: 'alive' });
  });

  it('a megabyte of HTML is an ordinary response', async () => {
    server.play({ status: 502, body: `<html>${'x'.repeat(1_000_000)}</html>` });
    expect(await failureOf(CALL[caller]())).toMatchObject({ status: 502, retryable: true });
  });
});

describe('fetch', () => {
  it('retryable in a problem body overrides the status', async () => {
    server.play({ status: 429, headers: { 'content-type': 'application/problem+json' }, body: { retryable: false } });
    expect(await failureOf(CALL.fetch())).toMatchObject({ status: 429, retryable: false });
  });

  it.each(['http://127.0.0.1:1', 'no url'])('a URL that can never be fetched is not retryable: %s', async (url) => {
    expect(await failureOf(CALL.fetch({ url }))).toMatchObject({ kind: 'unknown', retryable: false });
  });
});

describe('aws', () => {
  it('throttling with status 400 is retryable', async () => {
    server.play({ status: 400, body: { __type: 'com.amazonaws.dynamodb.v20120810#ThrottlingException' } });
    expect(await failureOf(CALL.aws())).toMatchObject({ status: 400, retryable: true, health: 'failing' });
  });

  it('a failed condition is not retryable', async () => {
    server.play({ status: 400, body: { __type: 'com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException' } });
    expect(await failureOf(CALL.aws())).toMatchObject({ status: 400, retryable: false, health: 'alive' });
  });
});
