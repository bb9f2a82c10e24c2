import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { buildPage } from '../../../scripts/build-page.ts';
import { CHROMIUM_FLAGS, launchChromium } from '../../support/chromium.ts';
import { type ScriptedSite, startScriptedSite } from '../../support/scripted-site.ts';
import { violationsIn } from '../accessibility.ts';
import { everyState, LIVE, talk } from './every-state.ts';
import type { ScriptedState } from './scripted-call.ts';
import { become, buildScriptedPage, calledMethods, NOW, OPENAI, openPage, receive } from './scripted-page.ts';

declare global {
  interface Window {
    /** The element that plays the model's voice. */
    voice?: HTMLAudioElement;
  }
}

const MINUTE = 60_000;
/** The page ignores a second press within this time. */
const SAME_PRESS_MS = 500;
const SAID = 'response.output_audio_transcript';

describe('the page', { timeout: 120_000 }, () => {
  let folder: string;
  let site: ScriptedSite;
  let browser: Browser | undefined;
  /** What the page under test has requested, logged and thrown. */
  let requested: string[];
  let logged: string[];
  let thrown: Error[];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'page-'));
    await buildScriptedPage(folder);
    site = await startScriptedSite(folder);
  });
  beforeEach(async (context) => {
    browser ??= await launchChromium(context);
    [requested, logged, thrown] = [[], [], []];
  });
  afterEach(async () => {
    await Promise.all((browser?.contexts() ?? []).map((context) => context.close()));
  });
  afterAll(async () => {
    await browser?.close();
    await site.close();
    await rm(folder, { recursive: true });
  });

  function open(options: BrowserContextOptions = {}, prepare?: (page: Page) => unknown): Promise<Page> {
    if (browser === undefined) {
      throw new Error('Expected the browser to be launched before each test.');
    }
    return openPage(browser, site.origin, options, async (page) => {
      page.on('request', (request) => requested.push(request.url()));
      page.on('console', (message) => logged.push(message.text()));
      page.on('pageerror', (error) => thrown.push(error));
      await prepare?.(page);
    });
  }

  const text = (page: Page, id: string) => page.locator(`#${id}`).textContent();
  const mayPress = (page: Page) => page.locator('#button').isEnabled();
  const press = (page: Page) => page.locator('#button').press('Enter');

  describe('without a press', () => {
    it('loads only its own files, and never starts a call', async () => {
      const page = await open();
      await page.clock.runFor(60 * MINUTE);
      const own = ['/', '/config.json', '/demo.css', '/demo.js'];
      expect(requested.sort()).toEqual(own.map((path) => site.origin + path));
      expect([await text(page, 'headline'), await calledMethods(page)]).toEqual(['Ready when you are', []]);
      expect([logged, thrown]).toEqual([[], []]);
    });

    it('is smaller than 20 KB compressed, with the real call', async () => {
      const real = join(folder, 'real');
      await buildPage(real);
      const files = await readdir(real);
      const sizes = await Promise.all(files.map(async (file) => gzipSync(await readFile(join(real, file))).length));
      expect(files.sort()).toEqual(['demo.css', 'demo.js', 'index.html']);
      expect(sizes.reduce((sum, size) => sum + size)).toBeLessThan(20 * 1024);
    });
  });

  describe('its configuration', () => {
    it.each([
      ['absent', { status: 404, body: '{}' }],
      ['malformed', { status: 200, body: '{"openaiBaseUrl":""}' }],
    ])('%s: the page shows that it is not ready, and the console names the file', async (_case, answer) => {
      const page = await open({}, (loading) => loading.route('**/config.json', (route) => route.fulfill(answer)));
      expect([await text(page, 'headline'), await text(page, 'offer')]).toEqual([
        'This page is not ready',
        'Reload the page',
      ]);
      expect(logged.some((line) => line.startsWith('Invalid or missing config.json'))).toBe(true);
      await page.unroute('**/config.json');
      await press(page);
      await page.locator('#headline', { hasText: 'Ready when you are' }).waitFor();
    });
  });

  describe('the button', () => {
    it('treats a double click as one press', async () => {
      const page = await open();
      await page.locator('#button').dblclick();
      expect(await calledMethods(page)).toEqual(['start']);
      expect(await text(page, 'offer')).toBe('Cancel');
    });

    it('works with the keyboard, treats a key held down as one press, and keeps the focus', async () => {
      const page = await open();
      await page.keyboard.press('Tab');
      await page.keyboard.down('Enter');
      await page.clock.runFor(SAME_PRESS_MS);
      await page.keyboard.down('Enter');
      await page.keyboard.up('Enter');
      expect(await calledMethods(page)).toEqual(['start']);
      expect(await page.evaluate(() => document.activeElement?.id)).toBe('button');
    });

    it('ends the call that it started', async () => {
      const page = await open();
      await press(page);
      await page.clock.runFor(SAME_PRESS_MS);
      await become(page, LIVE);
      expect(await text(page, 'offer')).toBe('Hang up');
      await press(page);
      expect(await calledMethods(page)).toEqual(['start', 'stop']);
      expect(await text(page, 'offer')).toBe('Call again');
    });
  });

  describe('when a call is refused', () => {
    const refused = {
      name: 'refused',
      code: 'rate_limited',
      sentence: 'You have used <b>10 of 10</b> calls.',
      retryAt: NOW + 61 * MINUTE,
    } as const;

    it('counts down until the button works again, and never starts a call by itself', async () => {
      const page = await open();
      await become(page, refused);
      expect([await text(page, 'sentence'), await text(page, 'digits')]).toEqual([refused.sentence, '1:01:00']);
      await page.clock.runFor(5 * MINUTE);
      expect([await text(page, 'digits'), await mayPress(page)]).toEqual(['56:00', false]);
      await press(page);
      await page.clock.runFor(56 * MINUTE);
      expect([await text(page, 'headline'), await mayPress(page)]).toEqual(['You can call again', true]);
      await page.clock.runFor(5 * MINUTE);
      expect(await calledMethods(page)).toEqual([]);
      await press(page);
      expect(await calledMethods(page)).toEqual(['start']);
    });

    it('keeps the button enabled if the refusal has no time, and never presses it', async () => {
      const page = await open();
      await become(page, { ...refused, code: 'paused', retryAt: undefined });
      await page.clock.runFor(5 * MINUTE);
      expect([await mayPress(page), await calledMethods(page)]).toEqual([true, []]);
    });

    it('is correct immediately after its timers were stopped', async () => {
      const page = await open();
      await become(page, refused);
      await page.clock.setSystemTime(NOW + 20 * MINUTE);
      await page.evaluate(() => dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })));
      expect(await text(page, 'digits')).toBe('41:00');
      await page.clock.setSystemTime(NOW + 62 * MINUTE);
      await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
      expect([await text(page, 'headline'), await mayPress(page)]).toEqual(['You can call again', true]);
    });
  });

  describe('in a call', () => {
    it('shows what is said, as text, and clears it when the next call starts', async () => {
      const page = await open();
      await become(page, LIVE);
      await receive(
        page,
        { type: `${SAID}.done`, item_id: 'a', transcript: 'Hello. <b>Who</b> is there?' },
        { type: 'conversation.item.input_audio_transcription.completed', item_id: 'b', transcript: 'Me.' },
      );
      const paragraphs = page.locator('#captions p');
      expect(await paragraphs.allTextContents()).toEqual(['AssistantHello. <b>Who</b> is there?', 'YouMe.']);
      await press(page);
      expect(await paragraphs.count()).toBe(2);
      await page.clock.runFor(SAME_PRESS_MS);
      await press(page);
      expect(await paragraphs.count()).toBe(0);
    });

    it('gives a screen reader each sentence once, when it is complete', async () => {
      const page = await open();
      await become(page, LIVE);
      const announced = await page.evaluateHandle(recordAnnouncements);
      for (const delta of ['Good', ' morning. ', 'It is ', 'nine. ', 'Bye']) {
        await receive(page, { type: `${SAID}.delta`, item_id: 'a', delta });
      }
      expect(await announced.jsonValue()).toEqual(['Assistant', 'Good morning. ', 'It is nine. ']);
      expect(await text(page, 'captions')).toBe('AssistantGood morning. It is nine. Bye');
      await become(page, { name: 'ended', reason: 'silence' });
      expect(await announced.jsonValue()).toEqual(['Assistant', 'Good morning. ', 'It is nine. ', 'Bye']);
    });

    it('shows the newest caption, unless the visitor has scrolled back', async () => {
      const page = await open({ viewport: { width: 360, height: 740 } });
      await become(page, LIVE);
      const say = (id: string) =>
        receive(page, { type: `${SAID}.done`, item_id: id, transcript: `${'Many words. '.repeat(20)}${id}` });
      for (const id of ['first', 'second', 'third']) {
        await say(id);
      }
      const inSight = (id: string) =>
        page.locator(`#said-${id}`).evaluate((said) => {
          const [frame, { top, bottom }] = [
            said.closest('#log')?.getBoundingClientRect(),
            said.getBoundingClientRect(),
          ];
          return frame !== undefined && bottom > frame.top && top < frame.bottom;
        });
      expect([await inSight('first'), await inSight('third')]).toEqual([false, true]);
      await page.locator('#log').evaluate((log) => log.scrollTo(0, -log.scrollHeight));
      await say('fourth');
      expect([await inSight('first'), await inSight('fourth')]).toEqual([true, false]);
    });

    it('measures each side, and stops when the call ends', async () => {
      const page = await open();
      await press(page);
      await become(page, LIVE);
      const heard = (side: string) => page.locator(`#${side}-level`).getAttribute('data-heard');
      await expect
        .poll(
          async () => {
            await page.clock.runFor(50);
            return [await heard('visitor'), await heard('model')];
          },
          { timeout: 30_000 },
        )
        .toEqual(['false', 'true']);
      await become(page, { name: 'ended', reason: 'hung-up' });
      await page.clock.runFor(100);
      expect([await heard('visitor'), await heard('model')]).toEqual(['false', 'false']);
    });

    it('shows that the system muted the microphone, and does not restart the voice', async () => {
      const page = await open({}, (loading) => loading.addInitScript(countPlays));
      await become(page, LIVE);
      await become(page, { ...LIVE, notice: 'microphone-muted' });
      expect(await text(page, 'headline')).toBe('Your microphone is muted');
      await become(page, LIVE);
      expect(await text(page, 'headline')).toBe('You are connected');
      expect(await page.locator('html').getAttribute('data-plays')).toBe('1');
    });

    it('shows that the browser cannot play the voice', async () => {
      const page = await open({}, (loading) => loading.addInitScript(refuseToPlay, 'NotSupportedError'));
      await become(page, LIVE);
      await page.locator('#headline', { hasText: 'No sound in this browser' }).waitFor();
      await become(page, { name: 'reconnecting', attempt: 1, attempts: 5, step: { name: 'connecting' } });
      expect(await text(page, 'headline')).toBe('Connection lost');
    });

    it('shows that the system paused the voice, as when headphones are unplugged, and resumes it after a click', async () => {
      const page = await open({}, (loading) => loading.addInitScript(keepVoice));
      await become(page, LIVE);
      await page.locator('#headline', { hasText: 'You are connected' }).waitFor();
      await page.evaluate(() => window.voice?.pause());
      await page.locator('#headline', { hasText: 'The sound is paused' }).waitFor();
      await page.locator('#headline').click();
      await page.locator('#headline', { hasText: 'You are connected' }).waitFor();
      expect(await page.evaluate(() => window.voice?.paused)).toBe(false);
    });
  });

  describe('in a browser that plays sound only right after the visitor has touched the page', () => {
    let strict: Browser | undefined;
    beforeEach(async (context) => {
      strict ??= await launchChromium(context, [...CHROMIUM_FLAGS, '--autoplay-policy=user-gesture-required']);
    });
    afterEach(() => Promise.all((strict?.contexts() ?? []).map((context) => context.close())));
    afterAll(() => strict?.close());

    // Playwright's evaluations and locators count as a touch, so the test uses neither.
    it.each<[string, (page: Page) => Promise<void>]>([
      ['a click', ({ mouse }) => mouse.click(9, 9)],
      ['a tap', ({ touchscreen }) => touchscreen.tap(9, 9)],
      ['a letter key', ({ keyboard }) => keyboard.press('a')],
    ])('shows that the sound is paused, and %s starts it', async (_case, touch) => {
      const page = await strict?.newPage({ locale: 'en-GB', hasTouch: true });
      const showing = (headline: string) =>
        page?.waitForEvent('console', (message) => message.text().startsWith(headline));
      await page?.addInitScript(goLiveAndLog, LIVE);
      const paused = showing('The sound is paused');
      await page?.goto(site.origin);
      await paused;
      const plays = showing('You are connected');
      if (page !== undefined) {
        await touch(page);
      }
      await plays;
    });
  });

  describe('for each visitor', () => {
    it.each([
      ['ja-JP', 'ja', '音声デモ', '通話を始める'],
      ['fr-FR', 'en', 'Voice demo', 'Call'],
    ])('is in the browser’s language: %s', async (locale, language, title, offer) => {
      const page = await open({ locale });
      expect([await page.title(), await text(page, 'offer')]).toEqual([title, offer]);
      expect(await page.locator('html').getAttribute('lang')).toBe(language);
      expect(await page.evaluate(() => window.scriptedCall?.options)).toEqual({ openaiBaseUrl: OPENAI, language });
    });

    describe.each(['en', 'ja'] as const)('in %s', (language) => {
      it('fits a screen of 320 px in every state', async () => {
        const page = await open({ locale: language, viewport: { width: 320, height: 568 } });
        await become(page, LIVE);
        await receive(page, ...talk(language));
        const widths = new Map<string, number>();
        for (const [name, state] of everyState(language)) {
          await become(page, state);
          widths.set(name, await page.evaluate(() => document.documentElement.scrollWidth));
        }
        expect([...widths].filter(([, width]) => width !== 320)).toEqual([]);
      });

      it('tells before the first call, without scrolling, where the voice goes', async () => {
        for (const viewport of [
          { width: 320, height: 568 },
          { width: 390, height: 664 },
          { width: 667, height: 375 },
          { width: 1280, height: 720 },
        ]) {
          const page = await open({ locale: language, viewport });
          const box = await page.locator('#note').boundingBox();
          expect(await text(page, 'note')).toContain('OpenAI');
          expect((box?.y ?? Number.POSITIVE_INFINITY) + (box?.height ?? 0)).toBeLessThanOrEqual(viewport.height);
        }
      });

      it('violates no axe rule in any state, light or dark', async () => {
        const page = await open({ locale: language, reducedMotion: 'reduce' });
        expect(await violationsIn(page, everyState(language), talk(language))).toEqual([]);
      });
    });

    it('is not animated if the visitor prefers reduced motion', async () => {
      const page = await open();
      await become(page, { name: 'minting' });
      const breathing = () =>
        document.getAnimations().some((it) => 'animationName' in it && it.animationName === 'breathe');
      expect(await page.evaluate(breathing)).toBe(true);
      await page.emulateMedia({ reducedMotion: 'reduce' });
      expect(await page.evaluate(breathing)).toBe(false);
    });
  });
});

/** Runs in the page: records what a screen reader announces of the captions, from now on. */
function recordAnnouncements(): string[] {
  const announced: string[] = [];
  const isHidden = (node: Node) =>
    (node instanceof Element ? node : node.parentElement)?.closest('[aria-hidden]') !== null;
  new MutationObserver((changes) => {
    const added = changes.flatMap(({ addedNodes }) => [...addedNodes]);
    const parts = added.flatMap((node) => (node instanceof HTMLParagraphElement ? [...node.children] : [node]));
    announced.push(...parts.filter((part) => !isHidden(part)).map((part) => part.textContent ?? ''));
  }).observe(document.querySelector('#log') ?? document, { childList: true, subtree: true });
  return announced;
}

/** Runs in the page: counts how often a sound is started. */
function countPlays(): void {
  let plays = 0;
  HTMLMediaElement.prototype.play = () => {
    plays += 1;
    document.documentElement.dataset['plays'] = String(plays);
    return Promise.resolve();
  };
}

/** Runs in the page: plays no sound. */
function refuseToPlay(errorName: string): void {
  HTMLMediaElement.prototype.play = () => Promise.reject(new DOMException('no', errorName));
}

/** Runs in the page: gives the test the element that plays the voice. */
function keepVoice(): void {
  window.Audio = new Proxy(Audio, {
    construct(target) {
      const voice = new target();
      window.voice = voice;
      return voice;
    },
  });
}

/** Runs in the page: takes a call live by itself, and logs each headline from then on. */
function goLiveAndLog(live: ScriptedState): void {
  const timer = setInterval(() => {
    const headline = document.querySelector('#page:not([hidden]) #headline');
    if (headline !== null) {
      clearInterval(timer);
      new MutationObserver(() => console.info(headline.textContent)).observe(headline, { childList: true });
      window.scriptedCall?.become(live);
    }
  });
}
