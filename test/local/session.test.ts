import { createHash } from 'node:crypto';
import { connect } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestStack, type TestStack } from '../support/stack.ts';
import { writeSwitch } from '../support/switch.ts';

let stack: TestStack;
beforeAll(async () => {
  stack = await startTestStack({
    environment: { CLIENT_LIMITS: '3/1d', GLOBAL_LIMITS: '1000/1d', ALLOWED_ORIGINS: 'https://demo.example.com' },
  });
});
afterAll(async () => {
  await stack.close();
});
beforeEach(async () => {
  stack.openai?.reset();
  await writeSwitch(stack.table, { paused: false });
});

/** Every test has its own visitors. */
let visitor = 1;
const newVisitor = () => {
  visitor += 1;
  return visitor;
};

describe('POST /session', () => {
  it('issues a key: value, expiry, type and model, and nothing else', async () => {
    const { status, json, headers } = await stack.visit({ from: newVisitor() });

    expect(status).toBe(200);
    expect(json).toEqual({
      value: expect.stringMatching(/^ek_/),
      expires_at: expect.any(Number),
      session: { type: 'realtime', model: 'gpt-realtime-2.1-mini' },
    });
    expect(Number(json['expires_at']) - Date.now() / 1_000).toBeLessThanOrEqual(60);
    expect(headers).toMatchObject({
      'cache-control': 'no-store',
      'content-type': 'application/json',
      'x-ratelimit-limit': '3',
      'x-ratelimit-remaining': '2',
      'ratelimit-policy': '"client";q=3;w=86400',
      ratelimit: expect.stringMatching(/^"client";r=2;t=\d+$/),
    });
  });

  it('requests a key from OpenAI that is valid for a minute, with a pseudonym', async () => {
    await stack.visit({ from: newVisitor() });

    expect(stack.openai?.heard().latest).toEqual([
      {
        safetyIdentifier: expect.stringMatching(/^[0-9a-f]{32}$/),
        body: expect.objectContaining({ expires_after: { anchor: 'created_at', seconds: 60 } }),
      },
    ]);
  });

  it('refuses above the limit with the message, the time and the policy', async () => {
    const from = newVisitor();
    for (let call = 1; call <= 3; call++) {
      expect((await stack.visit({ from })).status).toBe(200);
    }

    const { status, json, headers } = await stack.visit({ from, headers: { 'accept-language': 'ja' } });
    expect(status).toBe(429);
    expect(json).toMatchObject({
      type: 'https://iana.org/assignments/http-problem-types#quota-exceeded',
      status: 429,
      code: 'rate_limited',
      retryable: false,
      retry_after: Number(headers['retry-after']),
      'violated-policies': ['client'],
      detail: expect.stringContaining('上限に達しました'),
    });
    const secondsLeft = Math.ceil((Number(headers['x-ratelimit-reset']) * 1_000 - Date.now()) / 1_000);
    expect(Math.abs(Number(headers['retry-after']) - secondsLeft)).toBeLessThanOrEqual(1);
    expect(headers).toMatchObject({ 'content-type': 'application/problem+json', 'x-ratelimit-remaining': '0' });
  });

  it('is refused from the next request after a pause, with the operator’s message', async () => {
    const from = newVisitor();
    expect((await stack.visit({ from })).status).toBe(200);

    await writeSwitch(stack.table, {
      paused: true,
      since: 1_767_225_600,
      by: 'operator',
      message: { ja: '調整中です。', en: 'Back at noon.' },
    });
    expect(await stack.visit({ from })).toMatchObject({
      status: 403,
      json: { code: 'paused', detail: 'Back at noon.', retryable: false },
    });
    expect((await stack.visit({ from, headers: { 'accept-language': 'ja' } })).json['detail']).toBe('調整中です。');

    await writeSwitch(stack.table, { paused: false });
    expect((await stack.visit({ from })).headers['x-ratelimit-remaining']).toBe('1');
  });

  it('distinguishes visitors, and ignores addresses that a visitor sends', async () => {
    const from = newVisitor();
    const forged = {
      'cloudfront-viewer-address': '203.0.113.9:1234',
      'x-forwarded-for': '203.0.113.9',
      forwarded: 'for=203.0.113.9',
      'true-client-ip': '203.0.113.9',
    };
    const remaining: unknown[] = [];
    for (const headers of [{}, forged, { 'x-forwarded-for': '198.51.100.7, 203.0.113.9' }]) {
      remaining.push((await stack.visit({ from, headers })).headers['x-ratelimit-remaining']);
    }
    expect(remaining).toEqual(['2', '1', '0']);
    expect((await stack.visit({ from: newVisitor(), headers: forged })).headers['x-ratelimit-remaining']).toBe('2');
  });
});

describe('requests that the edge and Lambda refuse before the function runs', () => {
  const hashOf = (text: string) => createHash('sha256').update(text).digest('hex');

  it.each([
    ['no hash', { headers: { 'x-amz-content-sha256': null } }],
    ['the hash of something else', { headers: { 'x-amz-content-sha256': hashOf('x') } }],
    ['the hash of the empty body with another body', { body: 'x' }],
    ['a hash in upper case', { headers: { 'x-amz-content-sha256': hashOf('').toUpperCase() } }],
  ])('a POST with %s', async (_, visit) => {
    const { status, json } = await stack.visit({ from: newVisitor(), ...visit });

    expect(status).toBe(403);
    expect(json).toEqual({ message: expect.stringContaining('signature') });
  });

  it('a direct request to the Function URL', async () => {
    expect(await stack.visit({ origin: stack.addresses.function })).toMatchObject({
      status: 403,
      json: { Message: 'Forbidden' },
    });
  });
});

describe('requests that are not valid requests for a key', () => {
  it.each([
    ['GET', {}, 405, 'method_not_allowed'],
    ['PUT', {}, 405, 'method_not_allowed'],
    ['DELETE', {}, 405, 'method_not_allowed'],
    ['POST', { path: '/session/' }, 404, 'not_found'],
    ['POST', { path: '/sessions' }, 404, 'not_found'],
    [
      'POST',
      { body: 'x', headers: { 'x-amz-content-sha256': createHash('sha256').update('x').digest('hex') } },
      400,
      'body_not_allowed',
    ],
    ['POST', { headers: { 'idempotency-key': 'short' } }, 400, 'idempotency_key_invalid'],
    ['POST', { headers: { origin: 'https://evil.example' } }, 403, 'origin_not_allowed'],
    ['POST', { headers: { origin: 'https://demo.example.com.evil.example' } }, 403, 'origin_not_allowed'],
  ])('%s %j is %d %s', async (method, visit, status, code) => {
    const from = newVisitor();
    const answer = await stack.visit({ from, method, ...visit });

    expect(answer).toMatchObject({ status, json: { status, code, retryable: false } });
    expect(answer.headers).toMatchObject({ 'cache-control': 'no-store', 'content-type': 'application/problem+json' });
    expect(answer.headers['allow']).toBe(status === 405 ? 'POST, OPTIONS' : undefined);
    expect((await stack.visit({ from })).headers['x-ratelimit-remaining']).toBe('2');
  });

  it.each(['/session?x=1', '/session?', "/session?q='x'", '/session?q=<>'])(
    '%s: a query has no effect',
    async (path) => {
      expect(await get(stack.addresses.url, path)).toMatch(/^HTTP\/1.1 405 /);
    },
  );

  it.each([
    ['//127.0.0.1:1/session', 403],
    ['//', 403],
    ['//[/session', 403],
    ['http://127.0.0.1:1/session', 400],
    ['http://[::1/session', 400],
    ['session', 400],
    ['/x/../session', 403],
    ['/%73ession', 403],
  ])('%s reaches no other host and no other path: %d', async (path, status) => {
    expect(await get(stack.addresses.url, path)).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  });
});

/** Sends the target unchanged: clients that build URLs would normalise it. @returns the response */
async function get(url: string, target: string): Promise<string> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.write(`GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
  const chunks: Buffer[] = [];
  for await (const chunk of socket) {
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

describe('pages of other origins', () => {
  const exposed =
    'retry-after, ratelimit, ratelimit-policy, x-ratelimit-limit, x-ratelimit-remaining, x-ratelimit-reset';

  it('can call if their origin is allowed, and read every header', async () => {
    const { status, headers } = await stack.visit({
      from: newVisitor(),
      headers: { origin: 'https://demo.example.com' },
    });

    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'access-control-allow-origin': 'https://demo.example.com',
      'access-control-expose-headers': exposed,
    });
  });

  it('can read the refusals of Lambda itself', async () => {
    const headers = { origin: 'https://demo.example.com', 'x-amz-content-sha256': null };

    expect((await stack.visit({ headers })).headers['access-control-allow-origin']).toBe('https://demo.example.com');
  });

  it('can send a preflight, which does not count', async () => {
    const from = newVisitor();
    const headers = { origin: 'https://demo.example.com', 'access-control-request-method': 'POST' };
    const preflight = await stack.visit({ from, method: 'OPTIONS', headers });

    expect(preflight).toMatchObject({ status: 204, text: '' });
    expect(preflight.headers).toMatchObject({
      'access-control-allow-methods': 'POST, OPTIONS',
      'access-control-allow-headers': 'x-amz-content-sha256, idempotency-key',
      'access-control-allow-origin': 'https://demo.example.com',
    });
    expect((await stack.visit({ from })).headers['x-ratelimit-remaining']).toBe('2');
  });

  it('get no CORS headers if their origin is not allowed', async () => {
    const { headers } = await stack.visit({ headers: { origin: 'https://evil.example' } });

    expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
  });

  it('do not include our own page, which is always allowed', async () => {
    const headers = { origin: stack.addresses.url, 'sec-fetch-site': 'same-origin' };

    expect((await stack.visit({ from: newVisitor(), headers })).status).toBe(200);
  });
});

describe('the page', () => {
  it('is served at /, and no file outside its folder is', async () => {
    expect(await stack.visit({ method: 'GET', path: '/' })).toMatchObject({
      status: 200,
      headers: { 'content-type': 'text/html; charset=utf-8' },
    });
    expect((await stack.visit({ method: 'GET', path: '/../package.json' })).status).toBe(403);
    expect((await stack.visit({ method: 'POST', path: '/' })).status).toBe(403);
  });
});
