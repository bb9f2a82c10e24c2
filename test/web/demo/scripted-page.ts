/** The page with a scripted call in it, built and opened in a browser, on a clock that stands still until it is moved. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Plugin } from 'esbuild';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { PAGE_CONFIG_FILE } from '../../../contract/page-config.ts';
import { buildPage } from '../../../scripts/build-page.ts';
import type { RealtimeEvent } from '../../../web/client/transport/realtime-event.ts';
import type { ToldState } from './scripted-call.ts';

/** The page's clock stands here, until a test moves it. */
export const NOW = Date.parse('2026-01-01T12:00:00Z');
export const OPENAI = 'https://openai.example/v1';

const SCRIPTED: Plugin = {
  name: 'scripted call',
  setup: ({ onResolve }) =>
    onResolve({ filter: /\/client\/index\.ts$/ }, () => ({ path: join(import.meta.dirname, 'scripted-call.ts') })),
};

/** @param folder an empty one */
export async function buildScriptedPage(folder: string): Promise<void> {
  await buildPage(folder, [SCRIPTED]);
  await writeFile(join(folder, PAGE_CONFIG_FILE), JSON.stringify({ openaiBaseUrl: OPENAI }));
}

/** @param prepare what is to be done before the page is loaded */
export async function openPage(
  browser: Browser,
  origin: string,
  options: BrowserContextOptions = {},
  prepare: (page: Page) => unknown = () => undefined,
): Promise<Page> {
  const context = await browser.newContext({ locale: 'en-GB', timezoneId: 'UTC', ...options });
  const page = await context.newPage();
  await prepare(page);
  // Loading takes its time on a busy machine; the clock can only be halted ahead of where it is.
  await page.clock.install({ time: NOW - 3_600_000 });
  await page.goto(origin);
  await page.locator('#page:not([hidden])').waitFor();
  await page.clock.pauseAt(NOW);
  return page;
}

export function become(page: Page, state: ToldState): Promise<void> {
  return page.evaluate((told) => window.scriptedCall?.become(told), state);
}

export function receive(page: Page, ...events: readonly RealtimeEvent[]): Promise<void> {
  return page.evaluate((all) => window.scriptedCall?.receive(...all), events);
}

export function asked(page: Page): Promise<string[] | undefined> {
  return page.evaluate(() => window.scriptedCall?.asked);
}
