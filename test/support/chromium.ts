/**
 * The browser for page tests: the Chromium that is installed on this machine. None is downloaded. Without one, the tests that need
 * it are skipped with a reason; in CI they fail, because otherwise nobody would notice.
 */
import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';
import type { TestContext } from 'vitest';

const USUAL_PATHS = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/snap/bin/chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
];

/** No requests of the browser itself, no GPU, and a fake microphone that needs neither permission nor hardware. */
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

/** @returns the path of an executable: `CHROMIUM_PATH`, or one of the usual paths, or the one that Playwright downloaded */
export function findChromium(): string | undefined {
  return [process.env['CHROMIUM_PATH'] ?? '', ...USUAL_PATHS, chromium.executablePath()].find((path) =>
    existsSync(path),
  );
}

/** Starts a browser, which the caller must close. Skips the test if there is none. */
export async function launchChromium(context: TestContext, flags = CHROMIUM_FLAGS): Promise<Browser> {
  const executablePath = findChromium();
  if (executablePath === undefined) {
    const reason = 'no Chromium found; set CHROMIUM_PATH';
    if (process.env['CI']) {
      throw new Error(reason);
    }
    return context.skip(reason);
  }
  return await chromium.launch({ executablePath, args: flags });
}
