import type { ClientSecretCreateParams } from 'openai/resources/realtime/client-secrets';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { SessionConfig } from '../../../contract/configuration.ts';
import { MINT_TIMEOUT_MS } from '../../../contract/times.ts';
import { createMint, type Minting, type MintOptions } from '../../../lambda/openai/mint.ts';
import { viewerId } from '../../../lambda/visitor/viewer.ts';
import { type Handler, listen, send } from '../../../local/http/http-server.ts';
import { type Clock, systemClock } from '../../../resilience/index.ts';

const API_KEY = 'sk-proj-ours';
const VIEWER = viewerId('203.0.113.9', 56, new Uint8Array(32));
const NOW = Date.UTC(2026, 10, 30);
const NOW_S = NOW / 1_000;
const SESSION = {
  type: 'realtime',
  model: 'gpt-realtime-2.1-mini',
  instructions: 'Be brief.',
  audio: { output: { voice: 'marin' } },
} as const satisfies SessionConfig & ClientSecretCreateParams['session'];

/** A successful response of OpenAI, with the settings it echoes. */
const MINTED = {
  value: 'ek_68af296e8e408191a1120ab6383263c2',
  expires_at: NOW_S + 60,
  session: { id: 'sess_1', object: 'realtime.session', ...SESSION, client_secret: null },
};

const LATER = NOW + 3_600_000;
/** A clock that does not move. Waits between attempts end immediately. */
const CLOCK: Clock = {
  now: () => NOW,
  after: (ms, run) => systemClock.after(ms === MINT_TIMEOUT_MS ? ms : 0, run),
};

function options(fetch: typeof globalThis.fetch, more: Partial<MintOptions> = {}): MintOptions {
  const baseUrl = 'https://api.openai.com/v1';
  return { baseUrl, session: SESSION, keyTtlSeconds: 60, fetch, clock: CLOCK, random: () => 0, ...more };
}

function mintThrough(fetch: typeof globalThis.fetch, more?: Partial<MintOptions>): Promise<Minting> {
  return createMint(options(fetch, more))(API_KEY, VIEWER, LATER);
}

/** The outcome if OpenAI sends this response. A body that is not text is sent as JSON. */
function mintedFrom(status: number, body: unknown, headers: Record<string, string> = {}): Promise<Minting> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return mintThrough(() => Promise.resolve(new Response(text, { status, headers })));
}

function openaiError(fields: Record<string, unknown>) {
  return { error: { message: 'said by OpenAI', type: null, param: null, code: null, ...fields } };
}

/** Bodies without usable content. */
const NONSENSE = [
  '',
  ' ',
  '<html><body>502 Bad Gateway</body></html>',
  '{"error":',
  'null',
  '"text"',
  '[]',
  '7',
  '{}',
  '\uFEFF',
];

it('requests one key, for the viewer and with the session settings', async () => {
  const requests: Request[] = [];
  await mintThrough((input, init) => {
    requests.push(new Request(input, init));
    return Promise.resolve(Response.json(MINTED));
  });
  const [request, ...others] = requests;
  expect(others).toEqual([]);
  expect(request?.method).toBe('POST');
  expect(request?.url).toBe('https://api.openai.com/v1/realtime/client_secrets');
  expect(Object.fromEntries(request?.headers ?? [])).toEqual({
    authorization: `Bearer ${API_KEY}`,
    'content-type': 'application/json',
    'openai-safety-identifier': VIEWER,
  });
  expect(await request?.json()).toEqual({
    expires_after: { anchor: 'created_at', seconds: 60 },
    session: SESSION,
  } satisfies ClientSecretCreateParams);
});

describe('a key', () => {
  it('has its expiry and the type and model of its session, and nothing else that OpenAI echoes', async () => {
    expect(await mintedFrom(200, MINTED)).toEqual({
      outcome: 'minted',
      key: {
        value: MINTED.value,
        expires_at: MINTED.expires_at,
        session: { type: 'realtime', model: 'gpt-realtime-2.1-mini' },
      },
    });
  });

  it('is accepted with any successful status', async () => {
    expect(await mintedFrom(201, MINTED)).toMatchObject({ outcome: 'minted' });
  });

  it('is accepted until the second in which it expires', async () => {
    expect(await mintedFrom(200, { ...MINTED, expires_at: NOW_S + 1 })).toMatchObject({ outcome: 'minted' });
    expect(await mintedFrom(200, { ...MINTED, expires_at: NOW_S })).toMatchObject({ outcome: 'unavailable' });
  });

  it.each<[string, unknown]>([
    ...NONSENSE.map((body): [string, unknown] => [JSON.stringify(body), body]),
    ['without a value', { ...MINTED, value: undefined }],
    ['in the retired shape', { client_secret: { value: MINTED.value, expires_at: MINTED.expires_at } }],
    ['with an API key as its value', { ...MINTED, value: 'sk-proj-theirs' }],
    ['with an empty value after its prefix', { ...MINTED, value: 'ek_' }],
    ['with a value of two lines', { ...MINTED, value: 'ek_1\nek_2' }],
    ['with a value outside ASCII', { ...MINTED, value: 'ek_é' }],
    ['with a value in a list', { ...MINTED, value: [MINTED.value] }],
    ['without an expiry', { ...MINTED, expires_at: undefined }],
    ['with an expiry of null', { ...MINTED, expires_at: null }],
    ['with an expiry as text', { ...MINTED, expires_at: String(MINTED.expires_at) }],
    ['with an expiry in fractions of a second', { ...MINTED, expires_at: NOW_S + 60.5 }],
    ['with an expiry in the past', { ...MINTED, expires_at: NOW_S - 1 }],
    ['with an infinite expiry', JSON.stringify(MINTED).replace(/"expires_at":\d+/, '"expires_at":1e999')],
    ['without a session', { ...MINTED, session: undefined }],
    ['with a session of null', { ...MINTED, session: null }],
    ['without a type', { ...MINTED, session: { model: 'gpt-realtime-2.1-mini' } }],
    ['without a model', { ...MINTED, session: { type: 'realtime' } }],
    ['with an error beside it', openaiError({ type: 'server_error' })],
  ])('is unavailable, and worth a retry: %s', async (_, body) => {
    expect(await mintedFrom(200, body)).toEqual({
      outcome: 'unavailable',
      reason: 'status 200 without a usable key',
      retryAt: NOW + 5_000,
    });
  });
});

describe('an error status of OpenAI', () => {
  it.each([openaiError({ code: 'invalid_api_key' }), openaiError({ code: 'mismatched_organization' }), ...NONSENSE])(
    '401 means an invalid API key: %j',
    async (body) => {
      expect(await mintedFrom(401, body)).toEqual({ outcome: 'unauthorized', reason: expect.stringContaining('401') });
    },
  );

  it.each([
    [301, ''],
    [307, ''],
    [400, openaiError({ type: 'invalid_request_error', param: 'session.audio' })],
    [403, openaiError({ code: 'unsupported_country_region_territory' })],
    [403, '<html>'],
    [404, openaiError({ code: 'model_not_found' })],
    [422, ''],
    [429, openaiError({ type: 'insufficient_quota', code: 'insufficient_quota' })],
    [429, openaiError({ type: 'insufficient_quota' })],
    [429, openaiError({ code: 'insufficient_quota' })],
    [429, openaiError({ type: 'billing', code: 'credit_balance_exhausted' })],
    [429, openaiError({ type: 'credit_balance_exhausted' })],
    [429, openaiError({ code: 'project_spend_limit_exceeded' })],
  ])('%i has to be fixed by the owner: %j', async (status, body) => {
    const minting = await mintedFrom(status, body, { 'retry-after': '1' });
    expect(minting).toEqual({ outcome: 'refused', reason: expect.stringContaining(`status ${status}: `) });
  });

  it.each<[number, unknown]>([
    [429, openaiError({ type: 'requests', code: 'rate_limit_exceeded' })],
    [429, openaiError({ code: 'slow_down' })],
    [429, openaiError({ type: 'tokens', code: null })],
    [429, openaiError({ type: ['insufficient_quota'] })],
    [429, { error: 'insufficient_quota' }],
    [429, { error: null }],
    ...NONSENSE.map((body): [number, unknown] => [429, body]),
    [408, ''],
    [500, openaiError({ type: 'server_error' })],
    [502, '<html>'],
    [503, openaiError({ code: 'insufficient_quota' })],
    [504, ''],
    [529, ''],
  ])('%i may go away by itself: %j', async (status, body) => {
    const minting = await mintedFrom(status, body);
    expect(minting).toEqual({ outcome: 'unavailable', reason: `status ${status}`, retryAt: NOW + 5_000 });
  });

  it.each<[string | undefined, number]>([
    ['1', 1_000],
    ['7', 7_000],
    ['007', 7_000],
    ['0', 50],
    ['3600', 3_600_000],
    ['3601', 3_600_000],
    ['999999999', 3_600_000],
    ['9999999999', 3_600_000],
    ['9'.repeat(400), 3_600_000],
    [undefined, 5_000],
    ['', 5_000],
    ['-1', 5_000],
    ['+1', 5_000],
    ['1.5', 5_000],
    ['1e3', 5_000],
    ['0x10', 5_000],
    ['NaN', 5_000],
    ['Infinity', 5_000],
    ['1s', 5_000],
    ['1, 2', 5_000],
    ['soon', 5_000],
  ])('with Retry-After %j is worth a retry in %i ms', async (retryAfter, retryAfterMs) => {
    const headers: Record<string, string> = retryAfter === undefined ? {} : { 'retry-after': retryAfter };
    expect(await mintedFrom(429, '', headers)).toMatchObject({ outcome: 'unavailable', retryAt: NOW + retryAfterMs });
    expect(await mintedFrom(503, '', headers)).toMatchObject({ outcome: 'unavailable', retryAt: NOW + retryAfterMs });
  });
});

describe('the connection', () => {
  async function serve(handle: Handler): Promise<string> {
    const server = await listen(handle);
    onTestFinished(() => server.close());
    return server.origin;
  }

  /** A clock whose attempt timeout is triggered by the test. */
  function manualTimeout(): { readonly clock: Clock; readonly runOut: () => void } {
    let end: () => void = () => expect.unreachable('no attempt is being timed');
    const clock: Clock = {
      now: () => NOW,
      after: (ms, run) => {
        if (ms === MINT_TIMEOUT_MS) {
          end = run;
          return () => undefined;
        }
        return systemClock.after(ms, run);
      },
    };
    return { clock, runOut: () => end() };
  }

  it.each([301, 302, 303, 307, 308])(
    'does not follow a redirect, which would send the key to another host: %i',
    async (status) => {
      const elsewhere = vi.fn<Handler>((_, response) => send(response, { status: 200, body: JSON.stringify(MINTED) }));
      const location = `${await serve(elsewhere)}/v1`;
      const baseUrl = await serve((_, response) => send(response, { status, headers: { location } }));
      expect(await mintThrough(fetch, { baseUrl })).toMatchObject({ outcome: 'refused' });
      expect(elsewhere).not.toHaveBeenCalled();
    },
  );

  it('ends at the attempt timeout, if no response begins', async () => {
    const { clock, runOut } = manualTimeout();
    const baseUrl = await serve(() => runOut());
    expect(await mintThrough(fetch, { baseUrl, clock })).toEqual({
      outcome: 'unavailable',
      reason: `no answer within ${MINT_TIMEOUT_MS} ms`,
      retryAt: NOW + 5_000,
    });
  });

  it('ends at the attempt timeout, if the response stops in the middle', async () => {
    const { clock, runOut } = manualTimeout();
    const baseUrl = await serve((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write('{"value":', () => setImmediate(runOut));
    });
    expect(await mintThrough(fetch, { baseUrl, clock })).toMatchObject({
      outcome: 'unavailable',
      reason: `no answer within ${MINT_TIMEOUT_MS} ms`,
    });
  });

  it.each<[string, Handler]>([
    ['before a response', (request) => void request.socket.destroy()],
    ['in the middle of the response', (_, response) => void response.write('{"value":', () => response.destroy())],
  ])('may be lost %s', async (_, handle) => {
    expect(await mintThrough(fetch, { baseUrl: await serve(handle) })).toMatchObject({
      outcome: 'unavailable',
      reason: 'the connection failed',
    });
  });

  it('may be refused', async () => {
    const { origin, close } = await listen(() => undefined);
    await close();
    expect(await mintThrough(fetch, { baseUrl: origin })).toMatchObject({ outcome: 'unavailable' });
  });
});

describe("the outcome of a failure contains no text from OpenAI and not the owner's key", () => {
  const WORDS = 'told-by-openai';
  const SAID = `${WORDS}: Incorrect API key provided: ${API_KEY}`;

  it.each([200, 302, 400, 401, 403, 404, 408, 409, 418, 422, 429, 500, 502, 503])('at status %i', async (status) => {
    const bodies = [
      SAID,
      openaiError({ message: SAID, type: SAID, param: SAID, code: SAID }),
      openaiError({ message: SAID, type: 'insufficient_quota', param: SAID }),
      { ...MINTED, value: SAID, [SAID]: SAID },
      { ...MINTED, expires_at: SAID },
      { ...MINTED, session: SAID },
    ];
    for (const body of bodies) {
      const text = JSON.stringify(body);
      const headers = { 'retry-after': SAID, 'x-request-id': SAID, location: `https://${WORDS}.example` };
      const minting = await mintThrough(() =>
        Promise.resolve(new Response(text, { status, statusText: SAID, headers })),
      );
      expect(minting.outcome).not.toBe('minted');
      expect(JSON.stringify(minting)).not.toContain(WORDS);
      expect(JSON.stringify(minting)).not.toContain(API_KEY);
    }
  });

  it('when the connection fails with the key in the error', async () => {
    const error = new TypeError(SAID, { cause: new Error(SAID) });
    const minting = await mintThrough(() => Promise.reject(error));
    expect(JSON.stringify(minting)).not.toMatch(`${WORDS}|${API_KEY}`);
    const thrown = await mintThrough(() => Promise.reject(SAID));
    expect(JSON.stringify(thrown)).not.toMatch(`${WORDS}|${API_KEY}`);
  });
});

describe('the number of requests to OpenAI is', () => {
  /** Responds with these statuses in order, repeating the last one, and counts the requests. */
  function upstream(...statuses: readonly number[]) {
    let requests = 0;
    const script: typeof globalThis.fetch = () => {
      const status = statuses[Math.min(requests, statuses.length - 1)] ?? 200;
      requests += 1;
      return Promise.resolve(status === 200 ? Response.json(MINTED) : new Response('', { status }));
    };
    return { script, requests: () => requests };
  }

  it.each([
    ['one after a success', [200], 1, 'minted'],
    ['two after a failure that may go away', [503, 200], 2, 'minted'],
    ['two after two failures', [503, 503, 200], 2, 'unavailable'],
    ['one after a refusal', [400, 200], 1, 'refused'],
    ['one after a 401, which needs another key', [401, 200], 1, 'unauthorized'],
    ['two after a 429 without Retry-After', [429, 200], 2, 'minted'],
  ])('%s', async (_, statuses, requests, outcome) => {
    const { script, requests: sent } = upstream(...statuses);
    expect(await mintThrough(script)).toMatchObject({ outcome });
    expect(sent()).toBe(requests);
  });

  it('one if OpenAI asks for a longer wait than the request has', async () => {
    let requests = 0;
    const minting = await mintThrough(() => {
      requests += 1;
      return Promise.resolve(new Response('', { status: 429, headers: { 'retry-after': '20' } }));
    });
    expect(minting).toMatchObject({ outcome: 'unavailable', retryAt: NOW + 20_000 });
    expect(requests).toBe(1);
  });

  it('zero if the time for the request is over', async () => {
    const { script, requests } = upstream(200);
    expect(await createMint(options(script))(API_KEY, VIEWER, NOW)).toMatchObject({
      reason: 'no request was sent, because no time was left',
    });
    expect(requests()).toBe(0);
  });

  it('zero while the breaker is open, then one probe', async () => {
    let now = NOW;
    const { script, requests } = upstream(503, 503, 503, 503, 503, 200);
    const mint = createMint(options(script, { clock: { ...CLOCK, now: () => now } }));
    const ask = () => mint(API_KEY, VIEWER, now + 12_000);
    await ask();
    await ask();
    expect(await ask()).toMatchObject({ outcome: 'unavailable', retryAt: NOW + 10_000 });
    expect(requests()).toBe(5);

    now = NOW + 9_999;
    expect(await ask()).toMatchObject({
      reason: 'no request was sent, because the circuit breaker is open after repeated failures',
      retryAt: NOW + 10_000,
    });
    expect(requests()).toBe(5);
    now = NOW + 10_000;
    expect(await ask()).toMatchObject({ outcome: 'minted' });
    expect(requests()).toBe(6);
  });
});
