import OpenAIClient, {
  APIConnectionError,
  APIConnectionTimeoutError,
  AuthenticationError,
  BadRequestError,
  InternalServerError,
  NotFoundError,
  PermissionDeniedError,
  RateLimitError,
} from 'openai';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Mode } from '../../../local/openai/keys/mint-failures.ts';
import type { Script } from '../../../local/openai/keys/mint-script.ts';
import { type OpenAI, startOpenAI } from '../../../local/openai/server.ts';

const API_KEY = 'sk-proj-0123456789abcdefMxYA';
const MASKED_KEY = 'sk-proj-****************MxYA';
const NOW = Date.UTC(2026, 10, 30, 12);
const NOW_SECONDS = NOW / 1000;
const NO_CALLS = { asked: 0, opened: 0, open: 0, audioReceived: 0, audioSent: 0 };
const EPHEMERAL_KEY = /^ek_[0-9a-f]{32}$/;

async function start({ now = () => NOW } = {}): Promise<OpenAI> {
  const openai = await startOpenAI({ apiKey: API_KEY, now });
  onTestFinished(() => openai.close());
  return openai;
}

/** A valid request, except for what a test changes. */
function post(openai: OpenAI, body: unknown = {}, init: RequestInit = {}): Promise<Response> {
  return fetch(`${openai.baseUrl}/realtime/client_secrets`, {
    method: 'POST',
    body: typeof body === 'string' ? body : JSON.stringify(body),
    ...init,
    headers: { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json', ...init.headers },
  });
}

function clientOf(openai: OpenAI, options: { apiKey?: string; timeout?: number } = {}) {
  return new OpenAIClient({ apiKey: API_KEY, baseURL: openai.baseUrl, maxRetries: 0, ...options });
}

describe('a valid request', () => {
  it('gets a key, its expiry, and the requested session, including the instructions', async () => {
    const openai = await start();
    const session = {
      type: 'realtime',
      model: 'gpt-realtime-2.1-mini',
      instructions: '親切に話してください。',
      audio: { output: { voice: 'marin' } },
    };
    const response = await post(openai, { expires_after: { anchor: 'created_at', seconds: 60 }, session });
    expect(response.status).toBe(200);
    expect(response.headers.get('x-request-id')).toMatch(/^req_/);
    expect(await response.json()).toEqual({
      value: expect.stringMatching(EPHEMERAL_KEY),
      expires_at: NOW_SECONDS + 60,
      session: { id: expect.stringMatching(/^sess_/), object: 'realtime.session', ...session },
    });
  });

  it('can omit every field', async () => {
    const openai = await start();
    expect(await (await post(openai, {})).json()).toMatchObject({
      expires_at: NOW_SECONDS + 600,
      session: { type: 'realtime', model: 'gpt-realtime-2.1' },
    });
  });

  it('can be for a transcription', async () => {
    const openai = await start();
    expect(await (await post(openai, { session: { type: 'transcription' } })).json()).toMatchObject({
      session: { object: 'realtime.transcription_session', type: 'transcription' },
    });
  });

  it('gets a unique key', async () => {
    const openai = await start();
    const mint = async () => (await (await post(openai)).json()) as { value: string };
    const secrets = await Promise.all(Array.from({ length: 20 }, mint));
    expect(new Set(secrets.map(({ value }) => value)).size).toBe(20);
  });

  it.each([10, 7200])('can be for %d seconds', async (seconds) => {
    const openai = await start();
    const response = await post(openai, { expires_after: { seconds } });
    expect(await response.json()).toMatchObject({ expires_at: NOW_SECONDS + seconds });
  });
});

describe('an invalid request', () => {
  it.each<[string, Record<string, string>, string]>([
    ['another key', { authorization: 'Bearer sk-proj-fedcba9876543210zzzz' }, 'sk-proj-****************zzzz'],
    ['a short key', { authorization: 'Bearer sk-no' }, ': *****.'],
    ['no key', { authorization: '' }, 'Incorrect API key'],
    ['the key without its scheme', { authorization: API_KEY }, MASKED_KEY],
  ])('is refused with %s', async (_, headers, message) => {
    const openai = await start();
    const response = await post(openai, {}, { headers });
    expect(response.status).toBe(401);
    expect(await response.json()).toEqual({
      error: {
        message: expect.stringContaining(message),
        type: 'invalid_request_error',
        param: null,
        code: 'invalid_api_key',
      },
    });
  });

  const realtime = (settings: object) => ({ session: { type: 'realtime', ...settings } });

  it.each<[string, unknown, number, string | null, string | null]>([
    ['incomplete JSON', '{"session":', 400, null, null],
    ['no body', '', 400, null, null],
    ['an array', [], 400, null, null],
    ['an unknown field', { model: 'gpt-realtime-2.1' }, 400, 'model', 'unknown_parameter'],
    ['a field every object inherits', '{"constructor":{}}', 400, 'constructor', 'unknown_parameter'],
    ['a string for the expiry', { expires_after: '60s' }, 400, 'expires_after', 'invalid_type'],
    ['another anchor', { expires_after: { anchor: 'now' } }, 400, 'expires_after.anchor', 'invalid_value'],
    ['9 seconds', { expires_after: { seconds: 9 } }, 400, 'expires_after.seconds', 'integer_below_min_value'],
    ['7201 seconds', { expires_after: { seconds: 7201 } }, 400, 'expires_after.seconds', 'integer_above_max_value'],
    ['half seconds', { expires_after: { seconds: 60.5 } }, 400, 'expires_after.seconds', 'invalid_type'],
    ['seconds as a string', { expires_after: { seconds: '60' } }, 400, 'expires_after.seconds', 'invalid_type'],
    ['minutes', { expires_after: { minutes: 1 } }, 400, 'expires_after.minutes', 'unknown_parameter'],
    ['a session that is null', { session: null }, 400, 'session', 'invalid_type'],
    ['a session without type', { session: {} }, 400, 'session.type', 'missing_required_parameter'],
    ['another type', { session: { type: 'translation' } }, 400, 'session.type', 'invalid_value'],
    ['a setting of the beta', realtime({ voice: 'marin' }), 400, 'session.voice', 'unknown_parameter'],
    ['a number for a string', realtime({ instructions: 7 }), 400, 'session.instructions', 'invalid_type'],
    [
      'an invalid nested field',
      realtime({ audio: { input: { format: 'pcm16' } } }),
      400,
      'session.audio.input.format',
      'invalid_type',
    ],
    [
      "another type's setting",
      { session: { type: 'transcription', model: 'x' } },
      400,
      'session.model',
      'unknown_parameter',
    ],
    ['an unknown model', realtime({ model: 'gpt-unreal' }), 404, null, 'model_not_found'],
  ])('is refused with %s', async (_, body, status, param, code) => {
    const openai = await start();
    const response = await post(openai, body);
    expect(response.status).toBe(status);
    expect(await response.json()).toEqual({
      error: { message: expect.any(String), type: 'invalid_request_error', param, code },
    });
    expect(openai.heard()).toMatchObject({ requests: 1, minted: 0 });
  });

  it.each(['text/plain', 'application/jsonp', ''])('is refused with the content type %j', async (contentType) => {
    const openai = await start();
    const response = await post(openai, {}, { headers: { 'content-type': contentType } });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { code: 'unsupported_content_type' } });
  });

  it('is refused if it is too large', async () => {
    const openai = await start();
    const response = await post(openai, { session: { type: 'realtime', instructions: 'x'.repeat(1_000_000) } });
    expect(response.status).toBe(413);
    expect(await response.json()).toMatchObject({ error: { type: 'invalid_request_error' } });
  });

  it('is refused for a model that has been shut down', async () => {
    let now = Date.UTC(2027, 0, 20) - 1;
    const openai = await start({ now: () => now });
    const status = async () => (await post(openai, realtime({ model: 'gpt-realtime' }))).status;
    expect(await status()).toBe(200);
    now += 1;
    expect(await status()).toBe(404);
  });

  it('is refused in every mode, so that a scripted failure does not hide it', async () => {
    const openai = await start();
    openai.tell({ mode: 'hang' });
    expect((await post(openai, { model: 'x' })).status).toBe(400);
  });

  it.each([
    ['GET', '/v1/realtime/client_secrets'],
    ['POST', '/v1/realtime/sessions'],
    ['POST', '/realtime/client_secrets'],
    ['POST', '//'],
  ])('is unknown as %s %s', async (method, path) => {
    const openai = await start();
    const response = await fetch(openai.origin + path, { method });
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ error: { message: `Invalid URL (${method} ${path})`, param: null } });
    expect(openai.heard().requests).toBe(0);
  });
});

describe('the record of requests', () => {
  it('has each request with its safety identifier and its body', async () => {
    const openai = await start();
    await post(openai, { session: { type: 'realtime' } }, { headers: { 'openai-safety-identifier': 'v1_abc' } });
    await post(openai, 'no JSON');
    expect(openai.heard()).toEqual({
      requests: 2,
      minted: 1,
      mostInFlight: 1,
      latest: [
        { safetyIdentifier: 'v1_abc', body: { session: { type: 'realtime' } } },
        { safetyIdentifier: null, body: 'no JSON' },
      ],
      calls: NO_CALLS,
    });
  });

  it('keeps the last hundred requests', async () => {
    const openai = await start();
    for (let seconds = 100; seconds < 201; seconds += 1) {
      await post(openai, { expires_after: { seconds } });
    }
    const { requests, latest } = openai.heard();
    expect(requests).toBe(101);
    expect(latest).toHaveLength(100);
    expect(latest[0]?.body).toEqual({ expires_after: { seconds: 101 } });
  });

  it('has the maximum number of concurrent requests, including aborted ones', async () => {
    const openai = await start();
    openai.tell({ mode: 'hang' });
    const aborting = new AbortController();
    const waiting = Promise.allSettled(Array.from({ length: 3 }, () => post(openai, {}, { signal: aborting.signal })));
    await vi.waitFor(() => expect(openai.heard().requests).toBe(3));
    expect(openai.heard().mostInFlight).toBe(3);

    aborting.abort();
    await waiting;
    await vi.waitFor(() => {
      openai.reset();
      expect(openai.heard().mostInFlight).toBe(0);
    });
  });
});

describe('the control route', () => {
  const control = (openai: OpenAI, method: string, body?: unknown) =>
    fetch(`${openai.origin}/control`, { method, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });

  it('sets a failure for the given number of requests', async () => {
    const openai = await start();
    const script = { mode: 'rate_limited', times: 2, headers: { 'Retry-After': '7', 'retry-after-ms': '7000' } };
    expect(await (await control(openai, 'PUT', script)).json()).toEqual(script);

    const first = await post(openai);
    expect(first.status).toBe(429);
    expect(first.headers.get('retry-after')).toBe('7');
    expect(first.headers.get('retry-after-ms')).toBe('7000');
    expect((await post(openai)).status).toBe(429);
    const third = await post(openai);
    expect(third.status).toBe(200);
    expect(third.headers.get('retry-after')).toBeNull();
  });

  it('sets a failure until the next script', async () => {
    const openai = await start();
    await control(openai, 'PUT', { mode: 'server_error', status: 503 });
    for (const _ of Array(5)) {
      expect((await post(openai)).status).toBe(503);
    }
    await control(openai, 'PUT', { mode: 'ok' });
    expect((await post(openai)).status).toBe(200);
  });

  it('shows the record, and resets it together with the mode', async () => {
    const openai = await start();
    openai.tell({ mode: 'slow_down' });
    await post(openai);
    expect(await (await control(openai, 'GET')).json()).toEqual(openai.heard());
    expect(openai.heard().requests).toBe(1);

    expect((await control(openai, 'DELETE')).status).toBe(204);
    expect(openai.heard()).toEqual({ requests: 0, minted: 0, mostInFlight: 0, latest: [], calls: NO_CALLS });
    expect((await post(openai)).status).toBe(200);
  });

  it.each([
    ['a string', 'hang'],
    ['an empty object', {}],
    ['an unknown mode', { mode: 'sulk' }],
    ['a mode every object inherits', { mode: 'constructor' }],
    ['0 times', { mode: 'hang', times: 0 }],
    ['times as a string', { mode: 'hang', times: '2' }],
    ['a status that is no failure', { mode: 'server_error', status: 200 }],
    ['a status for another mode', { mode: 'blank', status: 503 }],
    ['an endless delay', { mode: 'slow', delayMs: 1e9 }],
    ['a header that HTTP does not allow', { mode: 'ok', headers: { 'retry after': '7' } }],
    ['a header that is not a string', { mode: 'ok', headers: { 'retry-after': 7 } }],
    ['headers that are null', { mode: 'ok', headers: null }],
    ['an unknown setting', { mode: 'rate_limited', retryAfter: '7' }],
  ])('refuses %s with an error message that lists the modes, and changes nothing', async (_, body) => {
    const openai = await start();
    const response = await control(openai, 'PUT', body);
    expect(response.status).toBe(400);
    expect(await response.text()).toMatch(/^[A-Z"].*\. The modes are ok, unauthorized, .*, minted_but_lost\.\n$/);
    expect((await post(openai)).status).toBe(200);
  });

  it('supports no other method', async () => {
    const openai = await start();
    expect((await control(openai, 'POST', {})).status).toBe(405);
  });
});

const SLOW_MS = 50;

/** What a client sees in each mode. It does not compile if a mode is missing. */
const SEEN = {
  ok: answered(200, { value: expect.stringMatching(EPHEMERAL_KEY) }, 1),
  unauthorized: refused(401, 'invalid_request_error', 'invalid_api_key', MASKED_KEY),
  forbidden_country: refused(403, 'request_forbidden', 'unsupported_country_region_territory'),
  bad_request: refused(400, 'invalid_request_error', 'invalid_value'),
  insufficient_quota: refused(429, 'insufficient_quota', 'insufficient_quota'),
  credit_balance_exhausted: refused(429, 'insufficient_quota', 'credit_balance_exhausted', 'org-'),
  rate_limited: refused(429, 'requests', 'rate_limit_exceeded', 'org-'),
  slow_down: refused(429, 'rate_limit_error', 'slow_down'),
  server_error: refused(500, 'server_error', null),
  blank: async (openai) => {
    const response = await post(openai);
    expect(response.status).toBe(500);
    expect(await response.text()).toBe('');
  },
  html: async (openai) => {
    const response = await post(openai);
    expect(response.status).toBe(502);
    expect(response.headers.get('content-type')).toBe('text/html');
    await expect(response.json()).rejects.toThrow(SyntaxError);
  },
  not_json: async (openai) => {
    const response = await post(openai);
    expect(response.status).toBe(200);
    await expect(response.json()).rejects.toThrow(SyntaxError);
  },
  wrong_shape: async (openai) => {
    const response = await post(openai);
    expect(response.status).toBe(200);
    const answer = await response.json();
    expect(answer).not.toHaveProperty('value');
    expect(answer).toHaveProperty('client_secret.value');
  },
  expired: answered(200, { expires_at: NOW_SECONDS - 1 }, 1),
  huge: async (openai) => {
    const response = await post(openai);
    expect(response.status).toBe(200);
    expect((await response.text()).length).toBeGreaterThan(1_000_000);
  },
  redirect: async (openai) => {
    const response = await post(openai, {}, { redirect: 'manual' });
    expect(response.status).toBe(307);
    expect(response.headers.get('location')).toBe('/v1/realtime/client_secrets');
    await expect(post(openai)).rejects.toMatchObject({ cause: { message: 'redirect count exceeded' } });
  },
  hang: async (openai) => {
    const answer = expect(post(openai)).rejects.toThrow('fetch failed');
    await vi.waitFor(() => expect(openai.heard().requests).toBe(1));
    await openai.close();
    await answer;
  },
  slow: async (openai) => {
    const began = performance.now();
    const answer = post(openai);
    await vi.waitFor(() => expect(openai.heard().minted).toBe(1));
    expect((await answer).status).toBe(200);
    expect(performance.now() - began).toBeGreaterThanOrEqual(SLOW_MS - 1);
  },
  trickle: async (openai) => {
    const response = await post(openai);
    expect(Number(response.headers.get('content-length'))).toBeGreaterThan(100);
    const firstBytes = (await response.body?.getReader().read())?.value;
    expect(new TextDecoder().decode(firstBytes)).toMatch(/^\{.{0,9}$/);
  },
  reset: async (openai) => {
    await expect(post(openai)).rejects.toMatchObject({ cause: { code: 'ECONNRESET' } });
    expect(openai.heard().minted).toBe(0);
  },
  reset_midway: async (openai) => {
    const response = await post(openai);
    expect(response.status).toBe(200);
    await expect(response.text()).rejects.toThrow('terminated');
  },
  minted_but_lost: async (openai) => {
    await expect(post(openai)).rejects.toThrow('fetch failed');
    expect(openai.heard().minted).toBe(1);
  },
} satisfies Record<Mode, (openai: OpenAI) => Promise<void>>;

function answered(status: number, body: object, minted: number) {
  return async (openai: OpenAI) => {
    const response = await post(openai);
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject(body);
    expect(openai.heard().minted).toBe(minted);
  };
}

function refused(status: number, type: string, code: string | null, inMessage = '') {
  return answered(status, { error: { type, code, message: expect.stringContaining(inMessage) } }, 0);
}

describe('a mode as a client sees it', () => {
  it.each(Object.entries(SEEN))('%s', async (mode, isSeen) => {
    const openai = await start();
    openai.tell(mode === 'slow' ? { mode, delayMs: SLOW_MS } : ({ mode } as Script));
    await isSeen(openai);
  });

  it.each([500, 501, 502, 503, 504] as const)('server_error with the status %d', async (status) => {
    const openai = await start();
    openai.tell({ mode: 'server_error', status });
    await refused(status, 'server_error', null)(openai);
  });
});

describe("OpenAI's own client", () => {
  const create = (client: OpenAIClient) =>
    client.realtime.clientSecrets.create({
      expires_after: { anchor: 'created_at', seconds: 60 },
      session: { type: 'realtime', model: 'gpt-realtime-2.1-mini' },
    });

  it('gets a key', async () => {
    const openai = await start();
    const secret = await create(clientOf(openai));
    expect(secret.value).toMatch(EPHEMERAL_KEY);
    expect(secret.session).toMatchObject({ type: 'realtime', model: 'gpt-realtime-2.1-mini' });
  });

  it.each([
    ['unauthorized', AuthenticationError, 'invalid_api_key'],
    ['forbidden_country', PermissionDeniedError, 'unsupported_country_region_territory'],
    ['bad_request', BadRequestError, 'invalid_value'],
    ['rate_limited', RateLimitError, 'rate_limit_exceeded'],
    ['insufficient_quota', RateLimitError, 'insufficient_quota'],
    ['credit_balance_exhausted', RateLimitError, 'credit_balance_exhausted'],
    ['server_error', InternalServerError, null],
    ['html', InternalServerError, undefined],
    ['reset', APIConnectionError, undefined],
  ] as const)('throws its own error for %s', async (mode, errorClass, code) => {
    const openai = await start();
    openai.tell({ mode });
    const error = await create(clientOf(openai)).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(errorClass);
    expect(error).toMatchObject({ code });
  });

  it('throws its own error for an invalid key', async () => {
    const openai = await start();
    await expect(create(clientOf(openai, { apiKey: 'sk-other' }))).rejects.toBeInstanceOf(AuthenticationError);
  });

  it('throws its own error for an unknown model', async () => {
    const openai = await start();
    const creating = clientOf(openai).realtime.clientSecrets.create({
      session: { type: 'realtime', model: 'gpt-unreal' },
    });
    await expect(creating).rejects.toBeInstanceOf(NotFoundError);
  });

  it('throws its own error after a timeout', async () => {
    const openai = await start();
    openai.tell({ mode: 'hang' });
    await expect(create(clientOf(openai, { timeout: 50 }))).rejects.toBeInstanceOf(APIConnectionTimeoutError);
  });
});
