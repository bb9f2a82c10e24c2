/** The whole call in a real browser on the local stack: page, edge, function, DynamoDB and the stand-in for OpenAI. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SESSION_PATH } from '../../contract/endpoint.ts';
import { pause } from '../../lambda/gate/kill-switch.ts';
import { startTestStack, type TestStack } from '../support/stack.ts';
import { writeSwitch } from '../support/switch.ts';
import { call, createCaller, PATIENTLY, passWaits, press, reach, text } from './caller.ts';

const MINUTE = 60_000;
/** How far the page's clock is moved in one step. Real work still finishes before the page's timeouts. */
const STEP_MS = 1_500;

describe('a call in a browser', { timeout: 90_000 }, () => {
  let stack: TestStack;
  let limited: TestStack;
  beforeAll(async () => {
    [stack, limited] = await Promise.all([
      startTestStack({ environment: { CLIENT_LIMITS: '400/1h' } }),
      // A long window, so that it does not end during a test.
      startTestStack({ environment: { CLIENT_LIMITS: '2/30d' } }),
    ]);
  });
  afterAll(() => Promise.all([stack?.close(), limited?.close()]));
  const { open, posts, standIn, expectNothingHeld } = createCaller(() => stack);

  it('goes live, carries audio in both directions, shows captions, and releases everything when it ends', async () => {
    const page = await open();
    const before = performance.now();
    await call(page);
    console.info(`live after ${Math.round(performance.now() - before)} ms`);
    expect(posts()).toHaveLength(1);
    await page.locator('#captions', { hasText: 'Hello, this is the stand-in speaking.' }).waitFor();
    await page.locator('#captions', { hasText: 'Beep 1.' }).waitFor();
    await expect.poll(() => standIn().heard().calls.audioReceived, PATIENTLY).toBeGreaterThan(50);
    const received = () =>
      page.evaluate(async () => {
        const stats = await window.opened.peers.at(-1)?.getStats();
        const inbound = [...(stats?.values() ?? [])].find(({ type }) => type === 'inbound-rtp');
        return { packets: inbound?.packetsReceived > 50, energy: inbound?.totalAudioEnergy > 0 };
      });
    await expect.poll(received, PATIENTLY).toEqual({ packets: true, energy: true });
    expect(await text(page, 'headline')).toBe('You are connected');

    await press(page);
    await reach(page, 'ended');
    await expectNothingHeld(page);
  });

  it('reconnects by itself after a drop, with a new key', async () => {
    const page = await open();
    await call(page);
    await page.locator('#captions', { hasText: 'Hello' }).waitFor();
    standIn().actOnCalls('drop');
    await reach(page, 'reconnecting');
    await reach(page, 'live');
    expect(standIn().heard()).toMatchObject({ minted: 2, calls: { opened: 2, open: 1 } });
    expect(posts()).toHaveLength(2);
  });

  it('ends with a message after six keys, if each connection drops as soon as it opens', async () => {
    standIn().tellCalls({ mode: 'drop', afterMs: 50 });
    const page = await open();
    await press(page);
    await reach(page, 'failed');
    expect(await text(page, 'sentence')).not.toBe('');
    expect(standIn().heard().minted).toBe(6);
    // On a busy machine, a request may have been answered "busy" first, and retried.
    const statuses = await Promise.all(posts().map(({ status }) => status()));
    expect(statuses.filter((status) => status === 200)).toHaveLength(6);
    await page.clock.fastForward(5 * MINUTE);
    expect(posts()).toHaveLength(statuses.length);
    await expectNothingHeld(page);
  });

  it.each([
    ['rejects the call', { mode: 'refuse', status: 500 }],
    ['does not respond', { mode: 'stall' }],
  ] as const)('does not request another key if OpenAI %s at first', async (_case, script) => {
    standIn().tellCalls(script);
    const page = await open();
    await press(page);
    await passWaits(page, 'failed', STEP_MS);
    expect(posts()).toHaveLength(1);
    await expectNothingHeld(page);
  });

  it('ends when OpenAI’s session expires', async () => {
    const page = await open();
    await call(page);
    standIn().actOnCalls('expire');
    await reach(page, 'ended');
    expect(posts()).toHaveLength(1);
    await expectNothingHeld(page);
  });

  describe('that the issuer refuses', () => {
    const SENTENCE = /limit|again/;

    async function expectNoRequestFor5Minutes(page: Page, everyMinute = press): Promise<void> {
      const requests = posts().length;
      const counted = await limited.counters();
      for (let minute = 0; minute < 5; minute += 1) {
        await page.clock.fastForward(MINUTE);
        await everyMinute(page);
      }
      expect(posts()).toHaveLength(requests);
      expect(await limited.counters()).toEqual(counted);
    }

    it('shows the server’s message, and sends no request until the wait is over', async () => {
      const page = await open({}, limited.addresses);
      for (let calls = 0; calls < 2; calls += 1) {
        await call(page);
        await page.clock.fastForward(1_000);
        await press(page);
        await reach(page, 'ended');
        await page.clock.fastForward(1_000);
      }
      await press(page);
      await reach(page, 'refused');
      expect(posts()).toHaveLength(3);
      expect(await text(page, 'sentence')).toMatch(SENTENCE);
      await expectNoRequestFor5Minutes(page);
      expect(Object.values(await limited.counters())).toContain(2);

      await page.clock.fastForward(30 * 24 * 60 * MINUTE);
      await press(page);
      await expect.poll(() => posts().length, PATIENTLY).toBe(4);
    });

    it('shows the operator’s message while the issuer is paused, and sends no request by itself', async () => {
      const message = { en: 'Back at nine.', ja: undefined };
      await pause(limited.table, { since: Date.now() / 1000, by: 'a test', message });
      // A container caches for two seconds that a viewer has reached its limit.
      await expect.poll(async () => (await limited.visit({ from: 2 })).status, PATIENTLY).toBe(403);
      await expect.poll(async () => (await limited.visit({ from: 1 })).json['code'], PATIENTLY).toBe('paused');
      const page = await open({}, limited.addresses);
      await press(page);
      await reach(page, 'refused');
      expect(await text(page, 'sentence')).toBe('Back at nine.');
      // The end of a pause is unknown, so the button stays enabled. It is not pressed here.
      await expectNoRequestFor5Minutes(page, () => Promise.resolve());
      await writeSwitch(limited.table, { paused: false });
    });
  });

  const hang = (page: Page) => page.route(`**${SESSION_PATH}`, () => undefined);
  it.each<[string, (page: Page) => unknown]>([
    [
      'asking-for-microphone',
      (page) =>
        page.evaluate(() => {
          navigator.mediaDevices.getUserMedia = () => new Promise(() => undefined);
        }),
    ],
    ['minting', hang],
    ['connecting', () => standIn().tellCalls({ mode: 'stall' })],
    ['live', () => undefined],
    [
      'reconnecting',
      async (page) => {
        await call(page);
        await hang(page);
        standIn().actOnCalls('drop');
      },
    ],
  ])('stopped while %s releases everything, and the next call succeeds', async (state, prepare) => {
    const page = await open();
    const getUserMedia = await page.evaluateHandle(() => navigator.mediaDevices.getUserMedia);
    await prepare(page);
    if (state !== 'reconnecting') {
      await press(page);
    }
    await reach(page, state);
    await page.clock.fastForward(1_000);
    await press(page);
    await reach(page, 'ended');
    await expectNothingHeld(page);

    await page.unroute(`**${SESSION_PATH}`);
    await page.evaluate((original) => {
      navigator.mediaDevices.getUserMedia = original;
    }, getUserMedia);
    standIn().tellCalls({ mode: 'ok' });
    await page.clock.fastForward(1_000);
    await call(page);
    expect(standIn().heard().calls.open).toBe(1);
  });

  it('starts only once after a double click', async () => {
    const page = await open();
    await page.locator('#button').dblclick({ force: true });
    await reach(page, 'live');
    expect(posts()).toHaveLength(1);
    expect(standIn().heard().calls.opened).toBe(1);
  });

  it('is independent of a call in another tab', async () => {
    const [one, other] = await Promise.all([open(), open()]);
    await Promise.all([call(one), call(other)]);
    expect(standIn().heard().calls.open).toBe(2);
    await press(one);
    await reach(one, 'ended');
    await expect.poll(() => standIn().heard().calls.open, PATIENTLY).toBe(1);
    expect(await other.locator('#page').getAttribute('data-state')).toBe('live');
  });

  it('waits while the browser is offline, and sends no request', async () => {
    const page = await open();
    await call(page);
    await page.context().setOffline(true);
    standIn().actOnCalls('drop');
    await reach(page, 'reconnecting');
    await page.clock.fastForward(MINUTE);
    expect(posts()).toHaveLength(1);
    await page.context().setOffline(false);
    await reach(page, 'live');
    expect(posts()).toHaveLength(2);
  });

  it('ends when the visitor leaves the page, which works again when the visitor returns', async () => {
    const page = await open();
    await call(page);
    await page.goto('about:blank');
    await expect.poll(() => standIn().heard().calls.open, PATIENTLY).toBe(0);
    await page.goBack();
    await page.locator('#page:not([hidden])').waitFor();
    await call(page);
    expect(posts()).toHaveLength(2);
  });
});
