/** Opens the page of a local stack in a real browser, and records what its calls requested, opened and left open. */
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, afterEach, beforeEach, expect } from 'vitest';
import { SESSION_PATH } from '../../contract/endpoint.ts';
import type { OpenAI } from '../../local/openai/server.ts';
import { CHROMIUM_FLAGS, launchChromium } from '../support/chromium.ts';
import type { TestStack } from '../support/stack.ts';

declare global {
  interface Window {
    /** Everything the page has opened. */
    opened: { readonly peers: RTCPeerConnection[]; readonly tracks: MediaStreamTrack[] };
  }
}

/** When a page disappears without closing its connection, the stand-in ends the call after about ten seconds. */
export const PATIENTLY = { timeout: 30_000 };
/** How often the page's clock is moved forward. */
const STEP_EVERY_MS = 400;

/** A request to /session. */
export interface Post {
  readonly status: () => Promise<number | undefined>;
}

export interface Caller {
  readonly standIn: () => OpenAI;
  /** The requests since the test began. */
  readonly posts: () => readonly Post[];
  /** Opens the page. Its clock runs, and jitter is 0, so retries happen immediately. */
  readonly open: (options?: BrowserContextOptions, on?: TestStack['addresses']) => Promise<Page>;
  readonly expectNothingHeld: (page: Page) => Promise<void>;
}

/**
 * Provides a browser for a suite. A test fails if its page throws.
 * @param stackOf returns the stack once it has started
 * @param flags of the browser
 */
export function createCaller(stackOf: () => TestStack, flags = CHROMIUM_FLAGS): Caller {
  let browser: Browser | undefined;
  let posts: Post[];
  let thrown: Error[];

  beforeEach(async (context) => {
    browser ??= await launchChromium(context, flags);
    [posts, thrown] = [[], []];
    standIn().reset();
  });
  afterEach(async () => {
    await Promise.all((browser?.contexts() ?? []).map((context) => context.close()));
    expect(thrown).toEqual([]);
  });
  afterAll(() => browser?.close());

  function standIn(): OpenAI {
    const { openai } = stackOf();
    if (openai === undefined) {
      throw new Error('Expected the stack to have started a stand-in for OpenAI.');
    }
    return openai;
  }

  return {
    standIn,
    posts: () => posts,
    async open(options = {}, { url } = stackOf().addresses) {
      const context = await browser?.newContext({ locale: 'en-GB', ...options });
      const page = await context?.newPage();
      if (page === undefined) {
        throw new Error('Expected the browser to be launched before each test.');
      }
      page.on('request', (request) => {
        if (new URL(request.url()).pathname === SESSION_PATH) {
          posts.push({ status: async () => (await request.response())?.status() });
        }
      });
      page.on('pageerror', (error) => thrown.push(error));
      await page.addInitScript(recordWhatIsOpened);
      await page.addInitScript(() => {
        Math.random = () => 0;
      });
      await page.clock.install();
      await page.goto(url);
      await page.locator('#page:not([hidden])').waitFor();
      return page;
    },
    async expectNothingHeld(page) {
      const held = await page.evaluate(() => ({
        peers: window.opened.peers.filter(({ connectionState }) => connectionState !== 'closed').length,
        tracks: window.opened.tracks.filter(({ readyState }) => readyState !== 'ended').length,
      }));
      expect(held).toEqual({ peers: 0, tracks: 0 });
      await expect.poll(() => standIn().heard().calls.open, PATIENTLY).toBe(0);
    },
  };
}

export const reach = (page: Page, state: string) =>
  page.locator(`#page[data-state=${state}]`).waitFor({ timeout: 45_000 });
/** Uses the keyboard: the button moves when captions appear, and a mouse click could miss it. */
export const press = (page: Page) => page.locator('#button').press('Enter');
export const text = (page: Page, id: string) => page.locator(`#${id}`).textContent();

export async function call(page: Page): Promise<void> {
  await press(page);
  await reach(page, 'live');
}

/** Moves the page's clock forward until the call reaches a state. @param stepMs the size of a step, one every 400 ms */
export async function passWaits(page: Page, until: string, stepMs: number): Promise<void> {
  const there = reach(page, until);
  const timer = setInterval(() => void page.clock.fastForward(stepMs).catch(() => undefined), STEP_EVERY_MS);
  await there.finally(() => clearInterval(timer));
}

/** Runs in the page, before it loads. */
function recordWhatIsOpened(): void {
  const opened: Window['opened'] = { peers: [], tracks: [] };
  window.opened = opened;
  window.RTCPeerConnection = class extends RTCPeerConnection {
    constructor(...options: ConstructorParameters<typeof RTCPeerConnection>) {
      super(...options);
      opened.peers.push(this);
    }
  };
  // Undefined on about:blank.
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
}
