/**
 * The browser that page tests run in: whatever Chromium this machine has, none is downloaded. Where there is none, the
 * tests that need it say so and are skipped; in CI that is a failure, because nothing else would notice.
 */
import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';
import type { TestContext } from 'vitest';

const PLACES = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/snap/bin/chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
];

/** Quiet (no request of the browser's own, no GPU), and with a microphone that needs no permission and no hardware. */
export const CHROMIUM_FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--use-fake-device-for-media-stream',
  '--use-fake-ui-for-media-stream',
  '--allow-loopback-in-peer-connection',
];

/** Path of an executable. `CHROMIUM_PATH` comes first, then the usual places, then what Playwright has downloaded. */
export function findChromium(): string | undefined {
  return [process.env['CHROMIUM_PATH'] ?? '', ...PLACES, chromium.executablePath()].find((path) => existsSync(path));
}

/** A browser, or the test is skipped with the reason. The caller closes it. */
export async function launchChromium(context: TestContext): Promise<Browser> {
  const executablePath = findChromium();
  if (executablePath === undefined) {
    const reason = 'no Chromium found; set CHROMIUM_PATH';
    if (process.env['CI']) {
      throw new Error(reason);
    }
    return context.skip(reason);
  }
  return await chromium.launch({ executablePath, args: CHROMIUM_FLAGS });
}
