/** A call that gets no key, in a real browser on the local stack: which requests it sends, and when it gives up. */
import type { Route } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SESSION_PATH } from '../../../contract/endpoint.ts';
import { startTestStack, type TestStack } from '../../support/stack.ts';
import { createCaller, passWaits, press, text } from '../caller.ts';

/** How far the page's clock is moved in one step. A response of the edge still arrives before the page's timeout. */
const STEP_MS = 1_500;
/** For an endpoint that never responds, so that no response can be too late. */
const LONG_STEP_MS = 5_000;
const HANGS = 'an endpoint that hangs';

describe('a call in a browser', { timeout: 90_000 }, () => {
  let stack: TestStack;
  beforeAll(async () => {
    stack = await startTestStack();
  });
  afterAll(() => stack?.close());
  const { open, posts, standIn, expectNothingHeld } = createCaller(() => stack);

  describe('that gets no key', () => {
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
      ['a refused connection', (route) => route.abort('connectionrefused'), 4],
      [HANGS, () => undefined, 2],
      ['an unpaid bill of the owner', (route) => route.fulfill({ status: 502, json: { code: 'upstream_refused' } }), 1],
    ])('fails with a message after %s', async (name, answer, requests) => {
      const page = await open();
      await page.route(`**${SESSION_PATH}`, (route) => void answer(route));
      await press(page);
      await passWaits(page, 'failed', name === HANGS ? LONG_STEP_MS : STEP_MS);
      expect(posts()).toHaveLength(requests);
      expect(await text(page, 'sentence')).not.toBe('');
      await expectNothingHeld(page);
    });
  });

  it('is rejected at the edge if the body hash is invalid or missing, before it costs anything', async () => {
    const page = await open();
    const statuses = await page.evaluate(async (path) => {
      const ask = (hash: string) => fetch(path, { method: 'POST', headers: { 'x-amz-content-sha256': hash } });
      return [(await ask('0'.repeat(64))).status, (await fetch(path, { method: 'POST' })).status];
    }, SESSION_PATH);
    expect(statuses).toEqual([403, 403]);
    expect(standIn().heard().minted).toBe(0);
  });
});
