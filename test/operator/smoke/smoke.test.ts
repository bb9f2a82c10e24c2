import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BODY_HASH_HEADER } from '../../../contract/endpoint.ts';
import { type CheckName, runSmoke } from '../../../operator/smoke/smoke.ts';
import type { TestStack } from '../../support/stack.ts';
import { isMint, type Saboteur } from './sabotaged-site.ts';
import {
  always,
  answeringFromMemory,
  HOME_PAGE,
  honest,
  onKeys,
  trusting,
  withBody,
  withHeaders,
  withRemaining,
} from './saboteurs.ts';
import { checkIn, namesOf, SHOP, smoke, startRoomyStack } from './smoked.ts';

let stack: TestStack;
beforeAll(async () => {
  stack = await startRoomyStack();
});
afterAll(() => stack.close());

describe('a local stack', () => {
  it('passes every check, for two keys', async () => {
    const report = await runSmoke({ url: new URL(stack.addresses.url), origin: SHOP });

    expect(namesOf(report, 'fail')).toEqual([]);
    expect(report).toMatchObject({ passed: true, keysUsed: 2, url: stack.addresses.url });
    expect(checkIn(report, 'function-url')?.result).toBe('pass');
  });

  it('passes through a proxy that breaks nothing, which hears eleven requests, two of them for a key', async () => {
    const { report, requests } = await smoke(stack, honest);

    expect(namesOf(report, 'fail')).toEqual([]);
    expect(requests.filter(isMint)).toHaveLength(2);
    expect(requests).toHaveLength(11);
  });

  it('notes what was not asked for', async () => {
    const { report } = await smoke(stack, honest, { functionUrl: undefined, origin: undefined });

    expect(namesOf(report, 'note')).toEqual(expect.arrayContaining(['function-url', 'allowed-origin']));
    expect(report.passed).toBe(true);
  });
});

const SABOTAGES: readonly [CheckName, string, () => Saboteur][] = [
  [
    'page',
    'the bucket is empty',
    () => (request, passOn) =>
      request.path === '/'
        ? { status: 403, headers: { 'content-type': 'application/xml' }, body: '<Error/>' }
        : passOn(request),
  ],
  [
    'key',
    'the answer echoes the instructions',
    () => onKeys((answer) => withBody(answer, { session: { type: 'realtime', model: 'm', instructions: 'Be kind.' } })),
  ],
  ['key', 'the answer has one member more', () => onKeys((answer) => withBody(answer, { id: 'sess_1' }))],
  ['key', 'the key has another form', () => onKeys((answer) => withBody(answer, { value: crypto.randomUUID() }))],
  ['key', 'the key has expired', () => onKeys((answer) => withBody(answer, { expires_at: 1_600_000_000 }))],
  [
    'key',
    'the key lives for a day',
    () => onKeys((answer) => withBody(answer, { expires_at: Math.floor(Date.now() / 1_000) + 86_400 })),
  ],
  [
    'key',
    'expires_at is in milliseconds',
    () => onKeys((answer) => withBody(answer, { expires_at: Date.now() + 60_000 })),
  ],
  ['key', 'expires_at is missing', () => onKeys((answer) => withBody(answer, { expires_at: undefined }))],
  ['key', 'the model is missing', () => onKeys((answer) => withBody(answer, { session: { type: 'realtime' } }))],
  ['counting', 'the counter stands still', () => onKeys((answer) => withRemaining(answer, 9))],
  ['counting', 'each key counts twice', () => onKeys((answer, nth) => withRemaining(answer, 9 - 2 * nth))],
  ['forged-address', 'X-Forwarded-For is trusted', () => trusting('x-forwarded-for')],
  ['forged-address', "a visitor's CloudFront-Viewer-Address is trusted", () => trusting('cloudfront-viewer-address')],
  ['forged-address', 'Forwarded is trusted', () => trusting('forwarded')],
  ['forged-address', 'True-Client-IP is trusted', () => trusting('true-client-ip')],
  ['forged-address', 'X-Real-IP is trusted', () => trusting('x-real-ip')],
  [
    'body-hash',
    'nobody compares the body with its hash',
    () => (request, passOn) => {
      const hash = createHash('sha256').update(request.body).digest('hex');
      return passOn({ ...request, headers: { ...request.headers, [BODY_HASH_HEADER]: hash } });
    },
  ],
  [
    'foreign-origin',
    'every site is allowed to read',
    () =>
      always((answer, { headers }) =>
        withHeaders(answer, {
          'access-control-allow-origin': headers['origin'] ?? answer.headers['access-control-allow-origin'],
        }),
      ),
  ],
  [
    'foreign-origin',
    'every Origin is taken for our own',
    () => (request, passOn) => passOn({ ...request, headers: { ...request.headers, 'sec-fetch-site': 'same-origin' } }),
  ],
  [
    'allowed-origin',
    'Retry-After is not exposed',
    () =>
      always((answer) =>
        withHeaders(answer, {
          'access-control-expose-headers': answer.headers['access-control-expose-headers']?.replace(
            'retry-after, ',
            '',
          ),
        }),
      ),
  ],
  [
    'allowed-origin',
    "the preflight lacks the hash's header",
    () =>
      always((answer) =>
        withHeaders(answer, {
          'access-control-allow-headers': answer.headers['access-control-allow-headers']?.replace(BODY_HASH_HEADER, ''),
        }),
      ),
  ],
  [
    'allowed-origin',
    'OPTIONS is not served',
    () => (request, passOn) =>
      request.method === 'OPTIONS' ? { status: 403, headers: {}, body: '' } : passOn(request),
  ],
  [
    'error-bodies',
    'a 404 becomes the home page',
    () => always((answer) => (answer.status === 404 ? HOME_PAGE : answer)),
  ],
  ['error-bodies', 'Allow is withheld', () => always((answer) => withHeaders(answer, { allow: undefined }))],
  [
    'rate-limit-headers',
    'RateLimit is withheld',
    () => onKeys((answer) => withHeaders(answer, { ratelimit: undefined })),
  ],
  [
    'rate-limit-headers',
    'the two disagree',
    () => onKeys((answer) => withHeaders(answer, { ratelimit: '"client";r=0;t=60' })),
  ],
  [
    'rate-limit-headers',
    'X-RateLimit-Reset is in milliseconds',
    () => onKeys((answer) => withHeaders(answer, { 'x-ratelimit-reset': `${answer.headers['x-ratelimit-reset']}000` })),
  ],
  [
    'no-store',
    'Cache-Control is stripped',
    () => always((answer, { path }) => (path === '/' ? answer : withHeaders(answer, { 'cache-control': undefined }))),
  ],
  [
    'no-store',
    'one answer may be stored for a minute',
    () => always((answer) => (answer.status === 405 ? withHeaders(answer, { 'cache-control': 'max-age=60' }) : answer)),
  ],
  ['not-cached', 'a POST is answered from memory', answeringFromMemory],
  ['not-cached', 'answers have an Age', () => always((answer) => withHeaders(answer, { age: '3' }))],
  [
    'not-cached',
    'an error comes out of the cache',
    () =>
      always((answer) => (answer.status === 405 ? withHeaders(answer, { 'x-cache': 'Hit from cloudfront' }) : answer)),
  ],
];

describe('a site with one thing broken fails in exactly that', () => {
  it.each(SABOTAGES)('%s: %s', async (name, _what, saboteur) => {
    const { report } = await smoke(stack, saboteur());

    expect(namesOf(report, 'fail')).toEqual([name]);
    expect(report.passed).toBe(false);
    expect(checkIn(report, name)).toMatchObject({
      meaning: expect.stringMatching(/\.$/),
      mend: expect.stringMatching(/[.:]$/),
    });
  });

  it('function-url: the Function URL serves everybody', async () => {
    const { report } = await smoke(stack, honest, { functionUrl: new URL(stack.addresses.url) });

    expect(namesOf(report, 'fail')).toEqual(['function-url']);
  });

  it('allowed-origin: the origin is not on the list', async () => {
    const { report } = await smoke(stack, honest, { origin: 'https://other.example' });

    expect(namesOf(report, 'fail')).toEqual(['allowed-origin']);
  });
});

describe('the hash of an empty body', () => {
  it('is never a failure: where a POST without it is served, that is noted as seen', async () => {
    const { report } = await smoke(stack, (request, passOn) => {
      const isEmpty = request.method === 'POST' && request.body.length === 0;
      const hash = createHash('sha256').update('').digest('hex');
      return passOn(isEmpty ? { ...request, headers: { ...request.headers, [BODY_HASH_HEADER]: hash } } : request);
    });

    expect(namesOf(report, 'fail')).toEqual([]);
    expect(checkIn(report, 'empty-body-hash')).toMatchObject({
      result: 'note',
      sentence: expect.stringContaining('reaches the function'),
    });
    expect(report.keysUsed).toBe(2);
  });
});
