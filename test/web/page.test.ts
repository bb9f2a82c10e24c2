import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { BROWSER_TIMEOUT_MS } from '../../contract/times.ts';
import { buildPage } from '../../scripts/build-page.ts';
import { launchChromium } from '../support/chromium.ts';
import { type Answer, type ScriptedSite, startScriptedSite } from '../support/scripted-site.ts';

/** The page's clock and the server's stand here, until a test moves the page's. */
const NOW = Date.parse('2026-01-01T12:00:00Z');
const SECRET = 'ek_that_nobody_may_see';
const MINUTE = 60_000;
const HEADERS = { date: new Date(NOW).toUTCString() };

function key({ calls = 9, ttlSeconds = 60 } = {}): Answer {
  return {
    status: 200,
    headers: {
      ...HEADERS,
      'x-ratelimit-remaining': String(calls),
      'x-ratelimit-reset': String((NOW + 30 * MINUTE) / 1000),
    },
    body: JSON.stringify({
      value: SECRET,
      expires_at: NOW / 1000 + ttlSeconds,
      session: { type: 'realtime', model: 'gpt-realtime-2.1-mini' },
    }),
  };
}

function problem(status: number, code: string, detail: string, retryAfterSeconds?: number): Answer {
  const retryAfter = retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) };
  return { status, headers: { ...HEADERS, ...retryAfter }, body: JSON.stringify({ code, detail, status }) };
}

describe('the page', { timeout: 30_000 }, () => {
  let folder: string;
  let site: ScriptedSite;
  let browser: Browser | undefined;
  /** What the page under test has done, seen from outside. */
  let requested: string[];
  let printed: string[];
  let thrown: Error[];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'page-'));
    await buildPage(folder);
  });
  beforeEach(async (context) => {
    browser ??= await launchChromium(context);
    site = await startScriptedSite(folder);
    [requested, printed, thrown] = [[], [], []];
  });
  afterEach(async () => {
    await Promise.all((browser?.contexts() ?? []).map((context) => context.close()));
    await site?.close();
  });
  afterAll(async () => {
    await browser?.close();
    await rm(folder, { recursive: true });
  });

  async function open(options: BrowserContextOptions = {}): Promise<Page> {
    if (browser === undefined) {
      throw new Error('the browser is launched before each test');
    }
    const context = await browser.newContext({ locale: 'en-GB', timezoneId: 'UTC', ...options });
    const page = await context.newPage();
    page.on('request', (request) => requested.push(request.url()));
    page.on('console', (message) => printed.push(message.text()));
    page.on('pageerror', (error) => thrown.push(error));
    // Loading takes its time on a busy machine; the clock can only be halted ahead of where it is.
    await page.clock.install({ time: NOW - 60 * MINUTE });
    await page.goto(site.origin);
    await page.clock.pauseAt(NOW);
    return page;
  }

  const text = (page: Page, id: string) => page.locator(`#${id}`).textContent();
  const mayPress = (page: Page) => page.locator('#button').isEnabled();
  const press = (page: Page) => page.locator('#button').click();

  async function headline(page: Page, words: string): Promise<void> {
    await page.locator('#headline', { hasText: new RegExp(`^${words}$`) }).waitFor();
  }

  describe('by itself', () => {
    it('asks for no key, however long it stays open', async () => {
      const page = await open();
      await page.clock.runFor(60 * MINUTE);
      expect(await text(page, 'headline')).toBe('Ready when you are');
      expect(site.posts).toEqual([]);
    });

    it('loads three files of its own, nothing from anybody else, and says nothing to the console', async () => {
      await open();
      expect(requested.sort()).toEqual([`${site.origin}/`, `${site.origin}/demo.css`, `${site.origin}/demo.js`]);
      expect(printed).toEqual([]);
      expect(thrown).toEqual([]);
    });

    it('weighs at most 8 KB compressed', async () => {
      const files = await readdir(folder);
      const sizes = await Promise.all(files.map(async (file) => gzipSync(await readFile(join(folder, file))).length));
      expect(files.sort()).toEqual(['demo.css', 'demo.js', 'index.html']);
      expect(sizes.reduce((sum, size) => sum + size)).toBeLessThan(8 * 1024);
    });
  });

  describe('when the button is pressed', () => {
    it('sends one POST, with the body hash and the page’s language', async () => {
      site.answer = key();
      const page = await open();
      await press(page);
      await headline(page, 'Your key is ready');
      expect(site.posts).toHaveLength(1);
      expect(site.posts[0]).toMatchObject({
        'accept-language': 'en',
        'content-length': '0',
        'x-amz-content-sha256': 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
      });
    });

    it('takes no second press while the first is answered', async () => {
      const answer = Promise.withResolvers<Answer>();
      site.answer = answer.promise;
      const page = await open();
      await page.locator('#button').dblclick();
      await headline(page, 'One moment');
      expect(await mayPress(page)).toBe(false);
      await page.locator('#button').click({ force: true });
      answer.resolve(key());
      await headline(page, 'Your key is ready');
      expect(site.posts).toHaveLength(1);
    });

    it('works by keyboard, and the focus stays where it was', async () => {
      site.answer = key();
      const page = await open();
      await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      await headline(page, 'Your key is ready');
      expect(await page.evaluate('document.activeElement.id')).toBe('button');
    });
  });

  describe('with a key', () => {
    it('shows it nowhere: not in the document, the console, a storage or a global', async () => {
      site.answer = key();
      const page = await open();
      await press(page);
      await headline(page, 'Your key is ready');
      const kept = await page.evaluate<string>(
        `JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href,
          Object.values(window).filter((value) => typeof value === 'string')])`,
      );
      expect(await page.content()).not.toContain(SECRET);
      expect(kept).not.toContain(SECRET);
      expect(printed).toEqual([]);
    });

    it('counts down its life, says when it has ended, and offers the button again', async () => {
      site.answer = key();
      const page = await open();
      await press(page);
      await headline(page, 'Your key is ready');
      expect(await text(page, 'digits')).toBe('1:00');
      await page.clock.runFor(18_000);
      expect(await text(page, 'digits')).toBe('0:42');
      await page.clock.runFor(41_999);
      expect([await text(page, 'digits'), await mayPress(page)]).toEqual(['0:01', false]);
      await page.clock.runFor(1);
      expect(await text(page, 'headline')).toBe('The key has expired');
      expect([await text(page, 'digits'), await mayPress(page)]).toEqual(['', true]);
      expect(site.posts).toHaveLength(1);
    });

    it('says how many calls are left, also after the key’s end', async () => {
      site.answer = key({ calls: 1 });
      const page = await open();
      await press(page);
      await headline(page, 'Your key is ready');
      expect(await text(page, 'note')).toBe('1 more call until 12:30 · gpt-realtime-2.1-mini');
      await page.clock.runFor(MINUTE);
      expect(await text(page, 'note')).toBe('1 more call until 12:30');
    });
  });

  describe('when it is refused', () => {
    const SENTENCE = 'You have used <b>10 of 10</b> calls. Please come back in 24 minutes.';

    it('shows the server’s sentence as it is', async () => {
      site.answer = problem(429, 'rate_limited', SENTENCE, 1458);
      const page = await open();
      await press(page);
      await headline(page, 'Not just now');
      expect(await text(page, 'sentence')).toBe(SENTENCE);
      expect(await page.locator('b').count()).toBe(0);
    });

    it('counts down to the moment when the button works again, and sends nothing by itself', async () => {
      site.answer = problem(429, 'budget_exhausted', SENTENCE, 3661);
      const page = await open();
      await press(page);
      await headline(page, 'Not just now');
      expect(await text(page, 'digits')).toBe('1:01:01');
      await page.clock.runFor(5 * MINUTE);
      expect([await text(page, 'digits'), await mayPress(page)]).toEqual(['56:01', false]);
      await page.locator('#button').click({ force: true });
      await page.clock.runFor(56 * MINUTE + 1000);
      expect([await text(page, 'headline'), await mayPress(page)]).toEqual(['You can try again', true]);
      await page.clock.runFor(5 * MINUTE);
      expect(site.posts).toHaveLength(1);

      site.answer = key();
      await press(page);
      await headline(page, 'Your key is ready');
      expect(site.posts).toHaveLength(2);
    });

    it('leaves the button to the visitor where no time is named', async () => {
      site.answer = problem(403, 'paused', 'The demo is closed for today.');
      const page = await open();
      await press(page);
      await headline(page, 'Not just now');
      expect([await text(page, 'sentence'), await mayPress(page)]).toEqual(['The demo is closed for today.', true]);
      await page.clock.runFor(5 * MINUTE);
      expect(site.posts).toHaveLength(1);
    });

    it.each(['pageshow', 'visibilitychange'])('is right at once after its timers stood still (%s)', async (event) => {
      site.answer = problem(429, 'rate_limited', SENTENCE, 1458);
      const page = await open();
      await press(page);
      await headline(page, 'Not just now');
      await page.clock.setSystemTime(NOW + 20 * MINUTE);
      expect(await text(page, 'digits')).toBe('24:18');
      const wake = `(name) => (name === 'pageshow'
        ? dispatchEvent(new PageTransitionEvent(name, { persisted: true }))
        : document.dispatchEvent(new Event(name)))`;
      await page.evaluate(`(${wake})('${event}')`);
      expect(await text(page, 'digits')).toBe('4:18');
      await page.clock.setSystemTime(NOW + 60 * MINUTE);
      await page.evaluate(`(${wake})('${event}')`);
      expect([await text(page, 'headline'), await mayPress(page)]).toEqual(['You can try again', true]);
      expect(site.posts).toHaveLength(1);
    });
  });

  describe('when there is no answer', () => {
    it.each<[string, Answer, string, string]>([
      ['Lambda’s concurrency cap', { status: 429, body: '{"Reason":"x"}' }, 'All lines are busy', 'Many people'],
      ['an HTML 502', { status: 502, body: '<h1>502</h1>' }, 'That did not work', 'The service did not answer'],
      ['a 503 with a sentence', problem(503, 'limiter_unavailable', 'Down.'), 'That did not work', 'Down.'],
    ])('says so and sends nothing by itself: %s', async (_case, answer, words, sentence) => {
      site.answer = answer;
      const page = await open();
      await press(page);
      await headline(page, words);
      expect(await text(page, 'sentence')).toContain(sentence);
      await page.clock.runFor(5 * MINUTE);
      expect(await mayPress(page)).toBe(true);
      expect(site.posts).toHaveLength(1);
    });

    it('keeps the explanation after a short Retry-After', async () => {
      site.answer = problem(503, 'upstream_unavailable', 'The voice service is resting.', 2);
      const page = await open();
      await press(page);
      await headline(page, 'That did not work');
      expect([await text(page, 'digits'), await mayPress(page)]).toEqual(['0:02', false]);
      await page.clock.runFor(2000);
      expect([await text(page, 'sentence'), await mayPress(page)]).toEqual(['The voice service is resting.', true]);
    });

    it('gives up on a request that hangs', async () => {
      site.answer = Promise.withResolvers<Answer>().promise;
      const page = await open();
      await press(page);
      await headline(page, 'One moment');
      await page.clock.runFor(BROWSER_TIMEOUT_MS);
      await headline(page, 'That did not work');
      expect(await mayPress(page)).toBe(true);
    });
  });

  describe('for whoever looks at it', () => {
    it.each([
      ['ja-JP', 'ja', '音声デモ', 'キーを受け取る'],
      ['en-GB', 'en', 'Voice demo', 'Get a key'],
      ['fr-FR', 'en', 'Voice demo', 'Get a key'],
    ])('speaks the browser’s language: %s', async (locale, language, title, button) => {
      site.answer = problem(429, 'rate_limited', '上限に達しました。', 60);
      const page = await open({ locale });
      expect([await page.title(), await text(page, 'button')]).toEqual([title, button]);
      expect(await page.locator('html').getAttribute('lang')).toBe(language);
      await press(page);
      await page.locator('#sentence', { hasText: '上限に達しました。' }).waitFor();
      expect(site.posts[0]?.['accept-language']).toBe(language);
    });

    it('announces states, but not each second', async () => {
      const page = await open();
      expect(await page.locator('[aria-live=polite] #headline').count()).toBe(1);
      expect(await page.locator('[aria-live=polite] #digits').count()).toBe(0);
    });

    it.each(['en-GB', 'ja-JP'])('fits a phone of 320 px: %s', async (locale) => {
      site.answer = key();
      const page = await open({ locale, viewport: { width: 320, height: 568 } });
      await press(page);
      await page.locator('#digits', { hasText: '1:00' }).waitFor();
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320);
    });

    it('is dark where dark is preferred', async () => {
      const ground = 'getComputedStyle(document.body).backgroundColor';
      const light = await (await open({ colorScheme: 'light' })).evaluate(ground);
      const dark = await (await open({ colorScheme: 'dark' })).evaluate(ground);
      expect([light, dark]).toEqual(['rgb(246, 245, 241)', 'rgb(18, 22, 21)']);
    });

    it.each([
      ['no-preference', 1],
      ['reduce', 0],
    ] as const)('moves only where motion is welcome: %s', async (reducedMotion, moving) => {
      site.answer = Promise.withResolvers<Answer>().promise;
      const page = await open({ reducedMotion });
      await press(page);
      await headline(page, 'One moment');
      const breathing = `document.getAnimations().filter((it) => it.animationName === 'breathe').length`;
      expect(await page.evaluate(breathing)).toBe(moving);
    });
  });
});
