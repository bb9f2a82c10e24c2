/** Checks the page with axe-core in each state of a call. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';
import type { RealtimeEvent } from '../../web/client/transport/realtime-event.ts';
import type { ScriptedState } from './demo/scripted-call.ts';
import { become, receive } from './demo/scripted-page.ts';

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

declare global {
  interface Window {
    axe?: { readonly run: (options: object) => Promise<AxeResults> };
  }
}

/** The rules that depend on colours alone, and are checked in dark mode as well. */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block'];

/** @returns one line for each violated rule, with the name of the state */
export async function violationsIn(
  page: Page,
  states: ReadonlyMap<string, ScriptedState>,
  said: readonly RealtimeEvent[],
): Promise<string[]> {
  await page.evaluate(await readFile(AXE, 'utf8'));
  // axe uses timers itself.
  await page.clock.resume();
  const found: string[] = [];
  for (const [name, state] of states) {
    await become(page, state);
    if (name === 'live') {
      await receive(page, ...said);
    }
    await page.emulateMedia({ colorScheme: 'light' });
    const light = await run(page, {});
    await page.emulateMedia({ colorScheme: 'dark' });
    const dark = await run(page, { runOnly: COLOUR_RULES });
    found.push(...light.map((line) => `${name}: ${line}`), ...dark.map((line) => `${name}, dark: ${line}`));
  }
  return found;
}

function run(page: Page, options: object): Promise<string[]> {
  return page.evaluate(async (given) => {
    const results = await window.axe?.run({ resultTypes: ['violations'], ...given });
    return results === undefined
      ? ['axe did not run']
      : results.violations.map(({ id, nodes }) => `${id} ${nodes.map(({ html }) => html).join(' ')}`);
  }, options);
}
