/** Both pages in a real browser, on an origin that exists only there: the issuer is a script, and OpenAI is the stand-in. */
import { readFile } from 'node:fs/promises';
import { build } from 'esbuild';
import type { Browser, Page, Route } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type OpenAI, startOpenAI } from '../../local/openai/server.ts';
import { launchChromium } from '../support/chromium.ts';
import { bundleAsDocumented } from './documented-bundle.ts';

declare global {
  interface Window {
    /** Every `new Audio()` of the page. */
    speakers: HTMLAudioElement[];
  }
}

const ORIGIN = 'https://demo.example';
const API_KEY = 'sk-of-the-stand-in';
const HOUR_MS = 3_600_000;
/** On a busy machine. */
const PATIENTLY = { timeout: 30_000 };
const SENTENCE = 'You have used all your calls for now. You can call again in 40 minutes.';
const REFUSAL = {
  status: 429,
  contentType: 'application/problem+json',
  headers: { 'retry-after': '2400' },
  json: { code: 'rate_limited', detail: SENTENCE, retryable: false, retry_after: 2_400 },
};

let browser: Browser | undefined;
let openai: OpenAI;

beforeAll(async () => {
  openai = await startOpenAI({ apiKey: API_KEY });
});
beforeEach(async (context) => {
  browser ??= await launchChromium(context);
});
afterEach(() => Promise.all((browser?.contexts() ?? []).map((context) => context.close())));
afterAll(() => Promise.all([browser?.close(), openai.close()]));

/** A key of the stand-in's, as the issuer would hand it out. */
async function key(): Promise<object> {
  const response = await fetch(`${openai.baseUrl}/realtime/client_secrets`, {
    method: 'POST',
    headers: { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({ session: { type: 'realtime', model: 'gpt-realtime-2.1-mini' } }),
  });
  return { status: 200, json: await response.json() };
}

const openCalls = () => openai.heard().calls.open;

/** In the page, before it loads. */
function noteSpeakers(): void {
  window.speakers = [];
  window.Audio = new Proxy(Audio, {
    construct(target) {
      const speaker = new target();
      window.speakers.push(speaker);
      return speaker;
    },
  });
}

const playing = (page: Page) =>
  page.evaluate(() => window.speakers.filter(({ paused, srcObject }) => !paused && srcObject !== null).length);

let asked: number;
let thrown: unknown[];

beforeEach(() => {
  [asked, thrown] = [0, []];
});
afterEach(() => expect(thrown).toEqual([]));

/** @param files by their paths */
async function open(files: Readonly<Record<string, string>>, issuer: (route: Route) => unknown): Promise<Page> {
  const context = await browser?.newContext({ locale: 'en-GB' });
  const page = await context?.newPage();
  if (page === undefined) {
    throw new Error('the browser is launched before each test');
  }
  page.on('pageerror', (error) => thrown.push(error));
  await page.route('**', (route) => route.abort());
  for (const [path, body] of Object.entries(files)) {
    const contentType = path.endsWith('.js') ? 'text/javascript' : 'text/html';
    await page.route(`${ORIGIN}${path}`, (route) => route.fulfill({ contentType, body }));
  }
  await page.route(`${ORIGIN}/session`, (route) => {
    asked += 1;
    return issuer(route);
  });
  await page.route('https://api.openai.com/v1/realtime/calls', async (route) =>
    route.fulfill({ response: await route.fetch({ url: `${openai.baseUrl}/realtime/calls` }) }),
  );
  await page.addInitScript(noteSpeakers);
  await page.clock.install();
  await page.goto(`${ORIGIN}/`);
  return page;
}

const refuse = (route: Route) => route.fulfill(REFUSAL);
const admit = async (route: Route) => route.fulfill(await key());
const press = (page: Page, name: string) => page.getByRole('button', { name }).click();
const shows = (page: Page, sentence: string) => page.getByRole('status').getByText(sentence).waitFor();

describe.each(['client', 'react'])('examples/%s', (example) => {
  let files: Readonly<Record<string, string>>;

  beforeAll(async () => {
    const { outfile, path } = await bundleAsDocumented(example);
    const [html, script] = await Promise.all(
      [`examples/${example}/index.html`, path].map((file) => readFile(file, 'utf8')),
    );
    files = { '/': html ?? '', [`/${outfile}`]: script ?? '' };
  });

  it('requests no key until the visitor presses the button', async () => {
    const page = await open(files, refuse);
    await page.getByRole('button', { name: 'Call' }).waitFor();
    await page.clock.fastForward(HOUR_MS);
    expect(asked).toBe(0);
  });

  it("shows the server's sentence after a refusal and sends no further request", async () => {
    const page = await open(files, refuse);
    await press(page, 'Call');
    await shows(page, SENTENCE);
    await page.clock.fastForward(HOUR_MS);
    // A call that began by itself would change the button at once, and back when it is refused.
    await page.getByRole('button', { name: 'Call' }).waitFor();
    expect(asked).toBe(1);
  });

  it('requests no key without a microphone', async () => {
    const page = await open(files, admit);
    await page.evaluate(() => {
      navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException('no', 'NotAllowedError'));
    });
    await press(page, 'Call');
    await shows(page, 'The call failed.');
    expect(asked).toBe(0);
  });

  it('plays the call until the visitor hangs up', async () => {
    const page = await open(files, admit);
    await press(page, 'Call');
    await shows(page, 'Connected.');
    await expect.poll(() => playing(page)).toBe(1);
    await press(page, 'Hang up');
    await shows(page, 'The call has ended.');
    expect(await playing(page)).toBe(0);
    expect(asked).toBe(1);
    await expect.poll(openCalls, PATIENTLY).toBe(0);
  });
});

describe('useVoiceCall', () => {
  it('ends the call when its component is unmounted', async () => {
    const contents = `
      import { createElement } from 'react';
      import { createRoot } from 'react-dom/client';
      import { CallButton } from './call-button.tsx';
      const root = createRoot(document.body);
      root.render(createElement(CallButton));
      addEventListener('unmount', () => root.unmount());`;
    const { outputFiles } = await build({
      stdin: { contents, resolveDir: 'examples/react' },
      bundle: true,
      format: 'esm',
      write: false,
    });
    const script = outputFiles[0]?.text ?? '';
    const page = await open({ '/': '<script type="module" src="main.js"></script>', '/main.js': script }, admit);
    await press(page, 'Call');
    await shows(page, 'Connected.');
    expect(openCalls()).toBe(1);
    await page.evaluate(() => dispatchEvent(new Event('unmount')));
    await expect.poll(openCalls, PATIENTLY).toBe(0);
    expect(await playing(page)).toBe(0);
  });
});
