/** A call that no connection comes of, in a real browser on the local stack: what it asks for, and when it gives up. */
import type { Route } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SESSION_PATH } from '../../../contract/endpoint.ts';
import { startTestStack, type TestStack } from '../../support/stack.ts';
import { createCaller, passWaits, press, reach, text } from '../caller.ts';

/** The page's clock may run that much faster, and an answer of the edge's is still there before the page gives it up. */
const HASTE_MS = 1_500;
/** Where nothing answers, nothing can be too late. */
const HASTE_WITHOUT_ANSWER_MS = 5_000;
const HANGS = 'an endpoint that hangs';

describe('a call in a browser', { timeout: 90_000 }, () => {
  let stack: TestStack;
  beforeAll(async () => {
    stack = await startTestStack();
  });
  afterAll(() => stack?.close());
  const { open, posts, standIn, expectNothingHeld } = createCaller(() => stack);

  describe('whose key does not come', () => {
    const HTML = { status: 502, contentType: 'text/html', body: '<h1>502 ERROR</h1>' };
    it.each<[string, (route: Route) => unknown, number]>([
      ['Lambda’s own 429', (route) => route.fulfill({ status: 429, json: { Reason: 'Concurrency' } }), 4],
      [
        'a 503 with Retry-After',
        (route) =>
          route.fulfill({ status: 503, headers: { 'retry-after': '2' }, json: { code: 'upstream_unavailable' } }),
        4,
      ],
      [
        'a 503 with a Retry-After that is too long',
        (route) =>
          route.fulfill({ status: 503, headers: { 'retry-after': '300' }, json: { code: 'upstream_unavailable' } }),
        1,
      ],
      ['an HTML 502', (route) => route.fulfill(HTML), 4],
      ['a dead endpoint', (route) => route.abort('connectionrefused'), 4],
      [HANGS, () => undefined, 2],
      [
        'an unpaid bill of the owner’s',
        (route) => route.fulfill({ status: 502, json: { code: 'upstream_refused' } }),
        1,
      ],
    ])('%s', async (name, answer, requests) => {
      const page = await open();
      await page.route(`**${SESSION_PATH}`, (route) => void answer(route));
      await press(page);
      await passWaits(page, 'failed', name === HANGS ? HASTE_WITHOUT_ANSWER_MS : HASTE_MS);
      expect(posts()).toHaveLength(requests);
      expect(await text(page, 'sentence')).not.toBe('');
      await expectNothingHeld(page);
    });
  });

  it.each(['NotAllowedError', 'NotFoundError'])('without a microphone spends no key: %s', async (name) => {
    const page = await open();
    await page.evaluate((errorName) => {
      navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException('no', errorName));
    }, name);
    await press(page);
    await reach(page, 'failed');
    expect(posts()).toEqual([]);
  });

  it('asked for with another hash fails at the edge, before it costs anything', async () => {
    const page = await open();
    const statuses = await page.evaluate(async (path) => {
      const ask = (hash: string) => fetch(path, { method: 'POST', headers: { 'x-amz-content-sha256': hash } });
      return [(await ask('0'.repeat(64))).status, (await fetch(path, { method: 'POST' })).status];
    }, SESSION_PATH);
    expect(statuses).toEqual([403, 403]);
    expect(standIn().heard().minted).toBe(0);
  });
});
