/**
 * Takes pictures of the page in every state, to look at: in both languages, light and dark, phone and desktop, with a contact
 * sheet for each combination. They go to .local/page-pictures (ignored by git). Also renews the README's docs/page.png.
 *
 *     npx node test/web/demo/page-pictures.ts
 */
import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { CHROMIUM_FLAGS, findChromium } from '../../support/chromium.ts';
import { startScriptedSite } from '../../support/scripted-site.ts';
import { everyState, LIVE, talk } from './every-state.ts';
import { become, buildScriptedPage, openPage, receive } from './scripted-page.ts';

const ROOT = join(import.meta.dirname, '../../..');
const FOLDER = join(ROOT, '.local/page-pictures');
const SIZES = { phone: { width: 360, height: 740 }, desktop: { width: 1280, height: 800 } } as const;

await rm(FOLDER, { recursive: true, force: true });
const built = join(FOLDER, 'page');
await buildScriptedPage(built);
const site = await startScriptedSite(built);
const executablePath = findChromium();
const browser = await chromium.launch({ args: CHROMIUM_FLAGS, ...(executablePath && { executablePath }) });
try {
  for (const language of ['en', 'ja'] as const) {
    for (const colorScheme of ['light', 'dark'] as const) {
      for (const [size, viewport] of Object.entries(SIZES)) {
        await pictureSet(`${language}-${colorScheme}-${size}`, language, { colorScheme, viewport });
      }
    }
  }
  await readmePicture();
} finally {
  await browser.close();
  await site.close();
}

async function pictureSet(
  set: string,
  language: 'en' | 'ja',
  options: { colorScheme: 'light' | 'dark'; viewport: { width: number; height: number } },
): Promise<void> {
  const folder = join(FOLDER, set);
  await mkdir(folder);
  const page = await openPage(browser, site.origin, { locale: language === 'en' ? 'en-US' : 'ja-JP', ...options });
  const pictures: string[] = [];
  for (const [name, state] of everyState(language)) {
    if (name === 'refused') {
      // Most refused calls are the first of a visit, with no captions yet.
      await page.reload();
      await page.locator('#page:not([hidden])').waitFor();
    }
    await become(page, state);
    if (name === 'live-last-minute') {
      await receive(page, ...talk(language));
    }
    await settle(page);
    const path = join(folder, `${String(pictures.length).padStart(2, '0')}-${name}.png`);
    await page.screenshot({ path, animations: 'disabled' });
    pictures.push(path);
  }
  await page.context().close();
  await sheet(browser, join(FOLDER, `${set}.png`), pictures, options.viewport.width < 500 ? 9 : 5);
}

/** Lets the meters move, because the page's clock is stopped. */
async function settle(page: Page): Promise<void> {
  for (let frame = 0; frame < 8; frame++) {
    await page.clock.runFor(20);
  }
}

async function sheet(browser: Browser, path: string, pictures: readonly string[], columns: number): Promise<void> {
  const page = await browser.newPage({ viewport: { width: 1900, height: 600 } });
  const images = await Promise.all(pictures.map((picture) => readFile(picture, 'base64')));
  await page.setContent(
    `<style>body{margin:8px;display:grid;gap:8px;grid-template-columns:repeat(${columns},1fr);background:#888}img{width:100%}</style>
     ${images.map((image) => `<img src="data:image/png;base64,${image}">`).join('')}`,
  );
  await page.screenshot({ path, fullPage: true });
  await page.close();
}

async function readmePicture(): Promise<void> {
  const page = await openPage(browser, site.origin, {
    locale: 'en-US',
    viewport: { width: 1120, height: 680 },
    deviceScaleFactor: 1.5,
  });
  await page.locator('#button').click();
  await become(page, LIVE);
  await receive(page, ...talk('en'));
  await page.waitForTimeout(1000);
  await settle(page);
  await page.screenshot({ path: join(ROOT, 'docs/page.png'), animations: 'disabled' });
}
