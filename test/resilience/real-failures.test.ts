/** What fetch, the openai package and the AWS SDK really throw, over real sockets. */

import { DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { classify, okOrThrow } from '../../resilience/index.ts';
import { type ScriptedServer, type Step, startScriptedServer } from './scripted-server.ts';

const TIMEOUT_MS = 100;
const CALLERS = ['fetch', 'openai', 'aws'] as const;
type Caller = (typeof CALLERS)[number];

let server: ScriptedServer;

beforeAll(async () => {
  server = await startScriptedServer();
});

afterAll(() => server.close());

function openai(url = server.url) {
  return new OpenAI({ apiKey: 'test', baseURL: url, maxRetries: 0, timeout: TIMEOUT_MS });
}

function dynamodb(url = server.url) {
  return new DynamoDBClient({
    endpoint: url,
    region: 'us-east-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
    maxAttempts: 1,
    requestHandler: { requestTimeout: TIMEOUT_MS, socketTimeout: TIMEOUT_MS, throwOnRequestTimeout: true },
  });
}

const CALL: Readonly<Record<Caller, (url?: string, signal?: AbortSignal) => Promise<unknown>>> = {
  fetch: async (url = server.url, signal = AbortSignal.timeout(TIMEOUT_MS)) =>
    (await okOrThrow(await fetch(url, { signal }))).json(),
  openai: (url, signal) => openai(url).models.list({ signal: signal ?? null }),
  aws: (url, signal) =>
    dynamodb(url).send(new GetItemCommand({ TableName: 'table', Key: { pk: { S: 'a' } } }), {
      ...(signal === undefined ? {} : { abortSignal: signal }),
    }),
};

async function failureOf(work: Promise<unknown>) {
  const thrown = await work.then(
    () => expect.unreachable('It succeeded'),
    (error: unknown) => error,
  );
  return classify(thrown);
}

describe.each(CALLERS)('%s', (caller) => {
  it.each<[Step, string]>([
    ['reset_before_answer', 'connection'],
    ['closed_before_answer', 'connection'],
    ['not_http', 'connection'],
    ['hang', 'timeout'],
  ])('%s is a %s', async (step, kind) => {
    server.play(step);
    expect(await failureOf(CALL[caller]())).toMatchObject({ kind, retryable: true, health: 'failing' });
  });

  it('an answer cut off in the middle is a lost connection', async () => {
    server.play('cut_off_in_answer');
    expect(await failureOf(CALL[caller]())).toMatchObject({ kind: 'connection', retryable: true });
  });

  it('a server that is not there is a lost connection', async () => {
    const gone = await startScriptedServer();
    await gone.close();
    expect(await failureOf(CALL[caller](gone.url))).toMatchObject({ kind: 'connection', retryable: true });
  });

  it('a caller that leaves has aborted', async () => {
    server.play('hang');
    const controller = new AbortController();
    const work = failureOf(CALL[caller](server.url, controller.signal));
    controller.abort();
    expect(await work).toMatchObject({ kind: 'aborted', retryable: false, health: 'unknown' });
  });

  it('a signal that aborts for a timeout is a timeout', async () => {
    server.play('hang');
    const work = CALL[caller](server.url, AbortSignal.timeout(TIMEOUT_MS / 2));
    expect(await failureOf(work)).toMatchObject({ kind: 'timeout', retryable: true });
  });

  it.each([400, 401, 403, 404, 408, 409, 422])('a %i is not retried', async (status) => {
    server.play({ status, body: { error: { message: 'no' } } });
    expect(await failureOf(CALL[caller]())).toMatchObject({ kind: 'answer', status, retryable: false });
  });

  it.each([429, 500, 502, 503, 504])('a %i is retried, and its headers can be read', async (status) => {
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

  it('x-should-retry is obeyed', async () => {
    server.play({ status: 503, headers: { 'x-should-retry': 'false' }, body: {} });
    expect(await failureOf(CALL[caller]())).toMatchObject({ status: 503, retryable: false });
  });

  it('an unpaid bill is not retried', async () => {
    server.play({ status: 429, body: { error: { type: 'insufficient_quota', code: 'insufficient_quota' } } });
    expect(await failureOf(CALL[caller]())).toMatchObject({ status: 429, retryable: false, health: 'alive' });
  });

  it('a megabyte of HTML is an answer like any other', async () => {
    server.play({ status: 502, body: `<html>${'x'.repeat(1_000_000)}</html>` });
    expect(await failureOf(CALL[caller]())).toMatchObject({ status: 502, retryable: true });
  });
});

describe('fetch', () => {
  it('a problem body overrules the status', async () => {
    server.play({ status: 429, headers: { 'content-type': 'application/problem+json' }, body: { retryable: false } });
    expect(await failureOf(CALL.fetch())).toMatchObject({ status: 429, retryable: false });
  });

  it.each(['http://127.0.0.1:1', 'no url'])('a URL that can never be fetched is not retried: %s', async (url) => {
    expect(await failureOf(CALL.fetch(url))).toMatchObject({ kind: 'unknown', retryable: false });
  });
});

describe('aws', () => {
  it('throttling that comes as a 400 is retried', async () => {
    server.play({ status: 400, body: { __type: 'com.amazonaws.dynamodb.v20120810#ThrottlingException' } });
    expect(await failureOf(CALL.aws())).toMatchObject({ status: 400, retryable: true, health: 'failing' });
  });

  it('a condition that does not hold is not', async () => {
    server.play({ status: 400, body: { __type: 'com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException' } });
    expect(await failureOf(CALL.aws())).toMatchObject({ status: 400, retryable: false, health: 'alive' });
  });
});
