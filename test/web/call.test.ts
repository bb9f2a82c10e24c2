/** The whole call, in a real browser on the local stack: page, edge, function, DynamoDB and OpenAI's stand-in. */
import type { Browser, BrowserContextOptions, Page, Route } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { SESSION_PATH } from '../../contract/endpoint.ts';
import { pause } from '../../lambda/kill-switch.ts';
import type { OpenAI } from '../../local/openai.ts';
import { launchChromium } from '../support/chromium.ts';
import { startTestStack, type TestStack } from '../support/stack.ts';
import { writeSwitch } from '../support/switch.ts';

declare global {
  interface Window {
    /** Everything the page has opened. */
    opened: { readonly peers: RTCPeerConnection[]; readonly tracks: MediaStreamTrack[] };
  }
}

const MINUTE = 60_000;
/** The page's clock may run that much faster, and what really takes its time still ends before the page gives it up. */
const HASTE = { everyMs: 400, stepMs: 1_500, withoutConnectionMs: 5_000 };

const PATIENTLY = { timeout: 15_000 };

describe('a call in a browser', { timeout: 90_000 }, () => {
  let stack: TestStack;
  let limited: TestStack;
  let browser: Browser | undefined;
  /** What came to /session. */
  let posts: { readonly status: () => Promise<number | undefined> }[];
  let thrown: Error[];

  beforeAll(async () => {
    [stack, limited] = await Promise.all([
      startTestStack({ environment: { CLIENT_LIMITS: '400/1h' } }),
      // A long window, so that no turn of it comes in the middle of a test.
      startTestStack({ environment: { CLIENT_LIMITS: '2/30d' } }),
    ]);
  });
  beforeEach(async (context) => {
    browser ??= await launchChromium(context);
    [posts, thrown] = [[], []];
    standIn().reset();
  });
  afterEach(async () => {
    await Promise.all((browser?.contexts() ?? []).map((context) => context.close()));
    expect(thrown).toEqual([]);
  });
  afterAll(async () => {
    await browser?.close();
    await Promise.all([stack?.close(), limited?.close()]);
  });

  function standIn(): OpenAI {
    if (stack.openai === undefined) {
      throw new Error('the stack has started a stand-in');
    }
    return stack.openai;
  }

  async function open(options: BrowserContextOptions = {}, { url } = stack.addresses): Promise<Page> {
    const context = await browser?.newContext({ locale: 'en-GB', ...options });
    const page = await context?.newPage();
    if (page === undefined) {
      throw new Error('the browser is launched before each test');
    }
    page.on('request', (request) => {
      if (new URL(request.url()).pathname === SESSION_PATH) {
        posts.push({ status: async () => (await request.response())?.status() });
      }
    });
    page.on('pageerror', (error) => thrown.push(error));
    await page.addInitScript(() => {
      const opened: Window['opened'] = { peers: [], tracks: [] };
      window.opened = opened;
      window.RTCPeerConnection = class extends RTCPeerConnection {
        constructor(...options: ConstructorParameters<typeof RTCPeerConnection>) {
          super(...options);
          opened.peers.push(this);
        }
      };
      // Not there on about:blank.
      const { mediaDevices } = navigator as { mediaDevices?: MediaDevices };
      const getUserMedia = mediaDevices?.getUserMedia.bind(mediaDevices);
      if (mediaDevices === undefined || getUserMedia === undefined) {
        return;
      }
      mediaDevices.getUserMedia = async (constraints) => {
        const stream = await getUserMedia(constraints);
        opened.tracks.push(...stream.getTracks());
        return stream;
      };
    });
    // Full jitter of 0: what comes back comes back at once.
    await page.addInitScript(() => {
      Math.random = () => 0;
    });
    await page.clock.install();
    await page.goto(url);
    await page.locator('#page:not([hidden])').waitFor();
    return page;
  }

  const reach = (page: Page, state: string) => page.locator(`#page[data-state=${state}]`).waitFor({ timeout: 45_000 });
  /** By the keyboard: the button moves when captions appear, and a mouse may come too late. */
  const press = (page: Page) => page.locator('#button').press('Enter');
  const text = (page: Page, id: string) => page.locator(`#${id}`).textContent();

  async function call(page: Page): Promise<void> {
    await press(page);
    await reach(page, 'live');
  }

  /** Goes on until the call is where it should be, without waiting as long as it does. */
  async function passWaits(page: Page, until: string, stepMs = HASTE.stepMs): Promise<void> {
    const there = reach(page, until);
    const timer = setInterval(() => void page.clock.fastForward(stepMs).catch(() => undefined), HASTE.everyMs);
    await there.finally(() => clearInterval(timer));
  }

  async function expectNothingHeld(page: Page): Promise<void> {
    const held = await page.evaluate(() => ({
      peers: window.opened.peers.filter(({ connectionState }) => connectionState !== 'closed').length,
      tracks: window.opened.tracks.filter(({ readyState }) => readyState !== 'ended').length,
    }));
    expect(held).toEqual({ peers: 0, tracks: 0 });
    await expect.poll(() => standIn().heard().calls.open, PATIENTLY).toBe(0);
  }

  it('is live, is heard on both sides, has captions, and holds nothing after it is hung up', async () => {
    const page = await open();
    const before = performance.now();
    await call(page);
    console.info(`live after ${Math.round(performance.now() - before)} ms`);
    expect(posts).toHaveLength(1);
    await page.locator('#captions', { hasText: 'Hello, this is the stand-in speaking.' }).waitFor();
    await page.locator('#captions', { hasText: 'Beep 1.' }).waitFor();
    await expect.poll(() => standIn().heard().calls.audioReceived, PATIENTLY).toBeGreaterThan(50);
    const received = () =>
      page.evaluate(async () => {
        const stats = await window.opened.peers[0]?.getStats();
        const inbound = [...(stats?.values() ?? [])].find(({ type }) => type === 'inbound-rtp');
        return { packets: inbound?.packetsReceived > 50, energy: inbound?.totalAudioEnergy > 0 };
      });
    await expect.poll(received, PATIENTLY).toEqual({ packets: true, energy: true });

    await press(page);
    await reach(page, 'ended');
    await expectNothingHeld(page);
  });

  it('comes back by itself after a drop, with a new key', async () => {
    const page = await open();
    await call(page);
    await page.locator('#captions', { hasText: 'Hello' }).waitFor();
    standIn().actOnCalls('drop');
    await reach(page, 'reconnecting');
    await reach(page, 'live');
    expect(standIn().heard()).toMatchObject({ minted: 2, calls: { opened: 2, open: 1 } });
    expect(posts).toHaveLength(2);
  });

  it('that drops whenever it has opened ends with a sentence, after six keys', async () => {
    standIn().tellCalls({ mode: 'drop', afterMs: 50 });
    const page = await open();
    await press(page);
    await reach(page, 'failed');
    expect(await text(page, 'sentence')).not.toBe('');
    expect(standIn().heard().minted).toBe(6);
    // On a busy machine one may have been "busy" first, and asked for again.
    const statuses = await Promise.all(posts.map(({ status }) => status()));
    expect(statuses.filter((status) => status === 200)).toHaveLength(6);
    await page.clock.fastForward(5 * MINUTE);
    expect(posts).toHaveLength(statuses.length);
    await expectNothingHeld(page);
  });

  it.each([
    ['refuses', { mode: 'refuse', status: 500 }],
    ['says nothing', { mode: 'stall' }],
  ] as const)('that OpenAI %s at first is not tried with another key', async (_case, script) => {
    standIn().tellCalls(script);
    const page = await open();
    await press(page);
    await passWaits(page, 'failed');
    expect(posts).toHaveLength(1);
    await expectNothingHeld(page);
  });

  it('ends kindly when OpenAI’s session has reached its end', async () => {
    const page = await open();
    await call(page);
    standIn().actOnCalls('expire');
    await reach(page, 'ended');
    expect(posts).toHaveLength(1);
    await expectNothingHeld(page);
  });

  describe('that is refused', () => {
    const SENTENCE = /limit|again/;

    async function expectStillFor5Minutes(page: Page, impatience = press): Promise<void> {
      const asked = posts.length;
      const counted = await limited.counters();
      for (let minute = 0; minute < 5; minute += 1) {
        await page.clock.fastForward(MINUTE);
        await impatience(page);
      }
      expect(posts).toHaveLength(asked);
      expect(await limited.counters()).toEqual(counted);
    }

    it('shows the server’s sentence and is still, until the time has come', async () => {
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
      expect(posts).toHaveLength(3);
      expect(await text(page, 'sentence')).toMatch(SENTENCE);
      await expectStillFor5Minutes(page);
      expect(Object.values(await limited.counters())).toContain(2);

      await page.clock.fastForward(30 * 24 * 60 * MINUTE);
      await press(page);
      await expect.poll(() => posts.length, PATIENTLY).toBe(4);
    });

    it('shows the operator’s words while it is paused, and is still', async () => {
      const message = { en: 'Back at nine.', ja: undefined };
      await pause(limited.table, { since: Date.now() / 1000, by: 'a test', message });
      // A container remembers for two seconds that a viewer is at its limit.
      await expect.poll(async () => (await limited.visit({ from: 2 })).status, PATIENTLY).toBe(403);
      await expect.poll(async () => (await limited.visit({ from: 1 })).json['code'], PATIENTLY).toBe('paused');
      const page = await open({}, limited.addresses);
      await press(page);
      await reach(page, 'refused');
      expect(await text(page, 'sentence')).toBe('Back at nine.');
      // Nobody knows until when: whoever presses may ask.
      await expectStillFor5Minutes(page, () => Promise.resolve());
      await writeSwitch(limited.table, { paused: false });
    });
  });

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
      ['an endpoint that hangs', () => undefined, 2],
      [
        'an unpaid bill of the owner’s',
        (route) => route.fulfill({ status: 502, json: { code: 'upstream_refused' } }),
        1,
      ],
    ])('%s', async (_case, answer, requests) => {
      const page = await open();
      await page.route(`**${SESSION_PATH}`, (route) => void answer(route));
      await press(page);
      await passWaits(page, 'failed', HASTE.withoutConnectionMs);
      expect(posts).toHaveLength(requests);
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
    expect(posts).toEqual([]);
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
  ])('stopped while it is %s holds nothing, and the next one comes about', async (state, prepare) => {
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

  it('is one call after a double click', async () => {
    const page = await open();
    await page.locator('#button').dblclick({ force: true });
    await reach(page, 'live');
    expect(posts).toHaveLength(1);
    expect(standIn().heard().calls.opened).toBe(1);
  });

  it('is a call of its own in each tab', async () => {
    const [one, other] = await Promise.all([open(), open()]);
    await Promise.all([call(one), call(other)]);
    expect(standIn().heard().calls.open).toBe(2);
    await press(one);
    await reach(one, 'ended');
    await expect.poll(() => standIn().heard().calls.open, PATIENTLY).toBe(1);
    expect(await other.locator('#page').getAttribute('data-state')).toBe('live');
  });

  it('waits while it is offline, and asks for nothing', async () => {
    const page = await open();
    await call(page);
    await page.context().setOffline(true);
    standIn().actOnCalls('drop');
    await reach(page, 'reconnecting');
    await page.clock.fastForward(MINUTE);
    expect(posts).toHaveLength(1);
    await page.context().setOffline(false);
    await reach(page, 'live');
    expect(posts).toHaveLength(2);
  });

  it('is hung up by leaving the page, which works again when one comes back', async () => {
    const page = await open();
    await call(page);
    await page.goto('about:blank');
    await expect.poll(() => standIn().heard().calls.open, PATIENTLY).toBe(0);
    await page.goBack();
    await page.locator('#page:not([hidden])').waitFor();
    await call(page);
    expect(posts).toHaveLength(2);
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
