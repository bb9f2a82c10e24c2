import { parseList } from 'structured-headers';
import { describe, expect, it } from 'vitest';
import { PROBLEMS } from '../../../contract/problems.ts';
import { answer } from '../../../lambda/answers/answers.ts';
import { LANGUAGES, type Language } from '../../../lambda/answers/language.ts';
import { sentence } from '../../../lambda/answers/sentences.ts';
import type { Verdict } from '../../../lambda/answers/verdict.ts';
import type { LimitState } from '../../../limiter/index.ts';
import { ALL_VERDICTS, CLIENT_LIMIT, FOR_THE_LOG, ISSUED, KEY, NOW } from '../../support/verdicts.ts';

type Refusal = Exclude<Verdict, { code: 'issued' | 'preflight' }>;

const REFUSALS = ALL_VERDICTS.filter(
  (verdict): verdict is Refusal => verdict.code !== 'issued' && verdict.code !== 'preflight',
);
const LIMIT_HEADERS = [
  'ratelimit',
  'ratelimit-policy',
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
];

function bodyOf(verdict: Verdict, language: Language = 'en'): Record<string, unknown> {
  return JSON.parse(answer(verdict, language, NOW).body);
}

function headersOf(verdict: Verdict): Readonly<Record<string, string>> {
  return answer(verdict, 'en', NOW).headers;
}

describe('complete responses', () => {
  it('200: the key, its expiry and its session', () => {
    expect(answer(ISSUED, 'en', NOW)).toEqual({
      statusCode: 200,
      headers: {
        'cache-control': 'no-store',
        'content-type': 'application/json',
        'x-ratelimit-limit': '10',
        'x-ratelimit-remaining': '3',
        'x-ratelimit-reset': '1796043600',
        'ratelimit-policy': '"client";q=10;w=3600',
        ratelimit: '"client";r=3;t=1740',
      },
      body: `{"value":"${KEY}","expires_at":1796041920,"session":{"type":"realtime","model":"gpt-realtime-2.1-mini"}}`,
    });
  });

  it('204: the allowed methods', () => {
    expect(answer({ code: 'preflight' }, 'ja', NOW)).toEqual({
      statusCode: 204,
      headers: { 'cache-control': 'no-store', allow: 'POST, OPTIONS' },
      body: '',
    });
  });

  it("429: the viewer's limit, the wait and the violated policy", () => {
    const limit: LimitState = { ...CLIENT_LIMIT, remaining: 0 };
    const { statusCode, headers, body } = answer(
      { code: 'rate_limited', limit, retryAt: limit.resetAt, cached: false },
      'ja',
      NOW,
    );
    expect(statusCode).toBe(429);
    expect(headers).toEqual({
      'cache-control': 'no-store',
      'content-type': 'application/problem+json',
      'content-language': 'ja',
      'retry-after': '1740',
      'x-ratelimit-limit': '10',
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset': '1796043600',
      'ratelimit-policy': '"client";q=10;w=3600',
      ratelimit: '"client";r=0;t=1740',
    });
    expect(JSON.parse(body)).toEqual({
      type: 'https://iana.org/assignments/http-problem-types#quota-exceeded',
      title: 'Request cannot be satisfied as assigned quota has been exceeded',
      status: 429,
      detail: '通話の回数が上限に達しました。29分後にもう一度お試しください。',
      code: 'rate_limited',
      retryable: false,
      retry_after: 1_740,
      'violated-policies': ['client'],
    });
  });

  it('500: no internal reason', () => {
    const { statusCode, headers, body } = answer({ code: 'internal', reason: FOR_THE_LOG }, 'en', NOW);
    expect(statusCode).toBe(500);
    expect(headers).toEqual({
      'cache-control': 'no-store',
      'content-type': 'application/problem+json',
      'content-language': 'en',
    });
    expect(JSON.parse(body)).toEqual({
      type: 'about:blank',
      title: 'Internal Server Error',
      status: 500,
      detail: 'The call cannot start because something went wrong on our side.',
      code: 'internal',
      retryable: false,
    });
  });
});

describe.each(LANGUAGES)('every error, in %s', (language) => {
  it.each(REFUSALS)('$code: has the status and retryable of the contract', (verdict) => {
    const { statusCode, body } = answer(verdict, language, NOW);
    const { status, retryable } = PROBLEMS[verdict.code];
    expect(statusCode).toBe(status);
    expect(JSON.parse(body)).toMatchObject({ code: verdict.code, status, retryable });
  });

  it.each(REFUSALS)('$code: has exactly these headers', (verdict) => {
    const { headers } = answer(verdict, language, NOW);
    expect(headers).toMatchObject({
      'cache-control': 'no-store',
      'content-type': 'application/problem+json',
      'content-language': language,
    });
    const expected = [
      'cache-control',
      'content-type',
      'content-language',
      ...(verdict.code === 'method_not_allowed' ? ['allow'] : []),
      ...('retryAt' in verdict ? ['retry-after'] : []),
      ...('limit' in verdict ? LIMIT_HEADERS : []),
    ];
    expect(Object.keys(headers).sort()).toEqual(expected.sort());
  });

  it.each(REFUSALS)('$code: has exactly these members', (verdict) => {
    const isQuota = verdict.code === 'rate_limited' || verdict.code === 'budget_exhausted';
    expect(Object.keys(bodyOf(verdict, language))).toEqual([
      'type',
      'title',
      'status',
      'detail',
      'code',
      'retryable',
      ...('retryAt' in verdict ? ['retry_after'] : []),
      ...(isQuota ? ['violated-policies'] : []),
    ]);
  });

  it.each(REFUSALS)('$code: contains nothing that is meant for the log', (verdict) => {
    expect(JSON.stringify(answer(verdict, language, NOW))).not.toContain(FOR_THE_LOG);
  });
});

describe('headers', () => {
  it('Allow lists the allowed methods', () => {
    expect(headersOf({ code: 'method_not_allowed' })).toMatchObject({ allow: 'POST, OPTIONS' });
  });

  it.each([
    [-60_000, 1],
    [0, 1],
    [1, 1],
    [1_000, 1],
    [1_001, 2],
    [4_999, 5],
    [5_000, 5],
    [86_400_000, 86_400],
  ])('Retry-After and retry_after for a time %i ms ahead are %i s, never too early', (ahead, seconds) => {
    const verdict: Verdict = { code: 'limiter_unavailable', reason: '', retryAt: NOW + ahead };
    expect(headersOf(verdict)['retry-after']).toBe(String(seconds));
    expect(bodyOf(verdict)).toMatchObject({ retry_after: seconds });
  });

  it.each([
    ['client', 10, 3_600_000, 3, 1_740_000],
    ['client', 1, 1_000, 0, 1],
    ['global', 1_000_000, 31 * 86_400_000, 999_999, 31 * 86_400_000],
    ['global', 500, 86_400_000, 0, -1_500],
  ])('RateLimit fields are RFC 9651 lists: %s', (scope, limit, windowMs, remaining, untilReset) => {
    const state: LimitState = { scope, limit, windowMs, remaining, resetAt: NOW + untilReset };
    const headers = headersOf({ code: 'upstream_refused', reason: '', limit: state });
    expect(parseList(headers['ratelimit-policy'] ?? '')).toEqual([
      [
        scope,
        new Map([
          ['q', limit],
          ['w', windowMs / 1_000],
        ]),
      ],
    ]);
    expect(parseList(headers['ratelimit'] ?? '')).toEqual([
      [
        scope,
        new Map([
          ['r', remaining],
          ['t', Math.max(0, Math.ceil(untilReset / 1_000))],
        ]),
      ],
    ]);
    expect(headers).toMatchObject({
      'x-ratelimit-limit': String(limit),
      'x-ratelimit-remaining': String(remaining),
      'x-ratelimit-reset': String(Math.ceil((NOW + untilReset) / 1_000)),
    });
  });
});

describe('body', () => {
  it.each([
    ['rate_limited', 'client'],
    ['budget_exhausted', 'global'],
  ] as const)('%s names the violated policy: %s', (code, scope) => {
    const limit: LimitState = { ...CLIENT_LIMIT, scope };
    const body = bodyOf({ code, limit, retryAt: limit.resetAt, cached: false });
    expect(body['violated-policies']).toEqual([scope]);
    expect(body['type']).toBe('https://iana.org/assignments/http-problem-types#quota-exceeded');
  });

  it.each([
    ['origin_not_allowed', 'Forbidden'],
    ['viewer_unknown', 'Forbidden'],
    ['not_found', 'Not Found'],
    ['method_not_allowed', 'Method Not Allowed'],
    ['body_not_allowed', 'Bad Request'],
    ['idempotency_key_invalid', 'Bad Request'],
  ] as const)('%s has the type about:blank and the title of its status, %s', (code, title) => {
    expect(bodyOf({ code })).toMatchObject({ type: 'about:blank', title });
  });

  it.each([
    ['upstream_refused', 'Bad Gateway'],
    ['misconfigured', 'Internal Server Error'],
    ['internal', 'Internal Server Error'],
  ] as const)('%s: %s', (code, title) => {
    expect(bodyOf({ code, reason: '' })).toMatchObject({ type: 'about:blank', title });
  });

  it.each(['upstream_unavailable', 'limiter_unavailable'] as const)('%s: Service Unavailable', (code) => {
    expect(bodyOf({ code, reason: '', retryAt: NOW })).toMatchObject({
      type: 'about:blank',
      title: 'Service Unavailable',
    });
  });

  const JA = '休止中です。';
  const EN = 'Closed today.';
  it.each<[string | undefined, string | undefined, string, string]>([
    [JA, EN, JA, EN],
    [JA, undefined, JA, JA],
    [undefined, EN, EN, EN],
    [undefined, undefined, sentence('paused', 'ja'), sentence('paused', 'en')],
    ['', EN, EN, EN],
    [JA, '', JA, JA],
    ['', ' \n', sentence('paused', 'ja'), sentence('paused', 'en')],
  ])("paused shows the operator's message, ja %j and en %j: %s / %s", (ja, en, inJapanese, inEnglish) => {
    const verdict: Verdict = { code: 'paused', paused: true, since: 0, by: FOR_THE_LOG, message: { ja, en } };
    expect(bodyOf(verdict, 'ja')['detail']).toBe(inJapanese);
    expect(bodyOf(verdict, 'en')['detail']).toBe(inEnglish);
  });

  it("shows the operator's message unchanged, whatever characters it contains", () => {
    const words = '"</script>" {wait} $& \\ \u2028 💤\n2';
    const verdict: Verdict = { code: 'paused', paused: true, since: 0, by: '', message: { ja: undefined, en: words } };
    expect(bodyOf(verdict)['detail']).toBe(words);
  });
});
