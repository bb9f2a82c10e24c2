/** Builds the page with a scripted call, and opens it in a browser. Its clock is stopped until a test moves it. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Plugin } from 'esbuild';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { PAGE_CONFIG_FILE } from '../../../contract/page-config.ts';
import { buildPage } from '../../../scripts/build-page.ts';
import type { RealtimeEvent } from '../../../web/client/transport/realtime-event.ts';
import type { ScriptedState } from './scripted-call.ts';

/** The page's time, until a test moves its clock. */
export const NOW = Date.parse('2026-01-01T12:00:00Z');
export const OPENAI = 'https://openai.example/v1';

const SCRIPTED: Plugin = {
  name: 'scripted call',
  setup: ({ onResolve }) =>
    onResolve({ filter: /\/client\/index\.ts$/ }, () => ({ path: join(import.meta.dirname, 'scripted-call.ts') })),
};

/** @param folder an empty folder */
export async function buildScriptedPage(folder: string): Promise<void> {
  await buildPage(folder, [SCRIPTED]);
  await writeFile(join(folder, PAGE_CONFIG_FILE), JSON.stringify({ openaiBaseUrl: OPENAI }));
}

/** @param prepare runs before the page is loaded */
export async function openPage(
  browser: Browser,
  origin: string,
  options: BrowserContextOptions = {},
  prepare: (page: Page) => unknown = () => undefined,
): Promise<Page> {
  const context = await browser.newContext({ locale: 'en-GB', timezoneId: 'UTC', ...options });
  const page = await context.newPage();
  await prepare(page);
  // The clock can only be stopped at a later time than it shows, and loading takes a while on a busy machine.
  await page.clock.install({ time: NOW - 3_600_000 });
  await page.goto(origin);
  await page.locator('#page:not([hidden])').waitFor();
  await page.clock.pauseAt(NOW);
  return page;
}

export function become(page: Page, state: ScriptedState): Promise<void> {
  return page.evaluate((scripted) => window.scriptedCall?.become(scripted), state);
}

export function receive(page: Page, ...events: readonly RealtimeEvent[]): Promise<void> {
  return page.evaluate((all) => window.scriptedCall?.receive(...all), events);
}

export function calledMethods(page: Page): Promise<string[] | undefined> {
  return page.evaluate(() => window.scriptedCall?.called);
}
