import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BODY_HASH_HEADER } from '../../../contract/endpoint.ts';
import { type CheckName, runSmoke } from '../../../operator/smoke/smoke.ts';
import type { TestStack } from '../../support/stack.ts';
import { isMint, type Saboteur } from './sabotaged-site.ts';
import {
  always,
  HOME_PAGE,
  honest,
  onKeys,
  repeatingResponse,
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
  it('passes every check, with two keys', async () => {
    const report = await runSmoke({ url: new URL(stack.addresses.url), origin: SHOP });

    expect(namesOf(report, 'fail')).toEqual([]);
    expect(report).toMatchObject({ passed: true, keysUsed: 2, url: stack.addresses.url });
    expect(checkIn(report, 'function-url')?.result).toBe('pass');
  });

  it('passes through a proxy that changes nothing, with eleven requests, two of them for a key', async () => {
    const { report, requests } = await smoke(stack, honest);

    expect(namesOf(report, 'fail')).toEqual([]);
    expect(requests.filter(isMint)).toHaveLength(2);
    expect(requests).toHaveLength(11);
  });

  it('has a note for each check that was not requested', async () => {
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
    'the response contains the instructions',
    () => onKeys((answer) => withBody(answer, { session: { type: 'realtime', model: 'm', instructions: 'Be kind.' } })),
  ],
  ['key', 'the response has one more member', () => onKeys((answer) => withBody(answer, { id: 'sess_1' }))],
  ['key', 'the key has another format', () => onKeys((answer) => withBody(answer, { value: crypto.randomUUID() }))],
  ['key', 'the key has expired', () => onKeys((answer) => withBody(answer, { expires_at: 1_600_000_000 }))],
  [
    'key',
    'the key is valid for a day',
    () => onKeys((answer) => withBody(answer, { expires_at: Math.floor(Date.now() / 1_000) + 86_400 })),
  ],
  [
    'key',
    'expires_at is in milliseconds',
    () => onKeys((answer) => withBody(answer, { expires_at: Date.now() + 60_000 })),
  ],
  ['key', 'expires_at is missing', () => onKeys((answer) => withBody(answer, { expires_at: undefined }))],
  ['key', 'the model is missing', () => onKeys((answer) => withBody(answer, { session: { type: 'realtime' } }))],
  ['counting', 'the counter does not change', () => onKeys((answer) => withRemaining(answer, 9))],
  ['counting', 'each key counts twice', () => onKeys((answer, nth) => withRemaining(answer, 9 - 2 * nth))],
  ['forged-address', 'X-Forwarded-For is trusted', () => trusting('x-forwarded-for')],
  ['forged-address', "a visitor's CloudFront-Viewer-Address is trusted", () => trusting('cloudfront-viewer-address')],
  ['forged-address', 'Forwarded is trusted', () => trusting('forwarded')],
  ['forged-address', 'True-Client-IP is trusted', () => trusting('true-client-ip')],
  ['forged-address', 'X-Real-IP is trusted', () => trusting('x-real-ip')],
  [
    'body-hash',
    'the body is not compared with its hash',
    () => (request, passOn) => {
      const hash = createHash('sha256').update(request.body).digest('hex');
      return passOn({ ...request, headers: { ...request.headers, [BODY_HASH_HEADER]: hash } });
    },
  ],
  [
    'foreign-origin',
    'every site may read the response',
    () =>
      always((answer, { headers }) =>
        withHeaders(answer, {
          'access-control-allow-origin': headers['origin'] ?? answer.headers['access-control-allow-origin'],
        }),
      ),
  ],
  [
    'foreign-origin',
    "every Origin is treated as the page's own",
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
    'the preflight lacks the header of the hash',
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
  ['error-bodies', 'Allow is removed', () => always((answer) => withHeaders(answer, { allow: undefined }))],
  [
    'rate-limit-headers',
    'RateLimit is removed',
    () => onKeys((answer) => withHeaders(answer, { ratelimit: undefined })),
  ],
  [
    'rate-limit-headers',
    'the headers disagree',
    () => onKeys((answer) => withHeaders(answer, { ratelimit: '"client";r=0;t=60' })),
  ],
  [
    'rate-limit-headers',
    'X-RateLimit-Reset is in milliseconds',
    () => onKeys((answer) => withHeaders(answer, { 'x-ratelimit-reset': `${answer.headers['x-ratelimit-reset']}000` })),
  ],
  [
    'no-store',
    'Cache-Control is removed',
    () => always((answer, { path }) => (path === '/' ? answer : withHeaders(answer, { 'cache-control': undefined }))),
  ],
  [
    'no-store',
    'one response may be cached for a minute',
    () => always((answer) => (answer.status === 405 ? withHeaders(answer, { 'cache-control': 'max-age=60' }) : answer)),
  ],
  ['not-cached', 'the response to a POST is repeated', repeatingResponse],
  ['not-cached', 'responses have an Age', () => always((answer) => withHeaders(answer, { age: '3' }))],
  [
    'not-cached',
    'an error comes from a cache',
    () =>
      always((answer) => (answer.status === 405 ? withHeaders(answer, { 'x-cache': 'Hit from cloudfront' }) : answer)),
  ],
];

describe('a site with one thing broken fails exactly that check', () => {
  it.each(SABOTAGES)('%s: %s', async (name, _what, saboteur) => {
    const { report } = await smoke(stack, saboteur());

    expect(namesOf(report, 'fail')).toEqual([name]);
    expect(report.passed).toBe(false);
    expect(checkIn(report, name)).toMatchObject({
      meaning: expect.stringMatching(/\.$/),
      mend: expect.stringMatching(/[.:]$/),
    });
  });

  it('function-url: the Function URL is open to everybody', async () => {
    const { report } = await smoke(stack, honest, { functionUrl: new URL(stack.addresses.url) });

    expect(namesOf(report, 'fail')).toEqual(['function-url']);
  });

  it('allowed-origin: the origin is not allowed', async () => {
    const { report } = await smoke(stack, honest, { origin: 'https://other.example' });

    expect(namesOf(report, 'fail')).toEqual(['allowed-origin']);
  });
});

describe('the hash of an empty body', () => {
  it('is never a failure: if a POST without it is served, the report has a note', async () => {
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
