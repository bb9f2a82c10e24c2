/**
 * Draws the output of a terminal as a picture for the documentation. It reads the output, with colours, from standard input and
 * draws the last screen.
 *
 *     timeout -s INT 5 script -qec 'npm run -s issuer -- watch --local' /dev/null | npx node scripts/terminal-picture.ts docs/watch.png
 */
import { argv, env, stdin } from 'node:process';
import { text } from 'node:stream/consumers';
import { chromium } from 'playwright-core';

const ESCAPE = '\u001b';
/** The codes that `styleText` uses, in the colours of common terminals. */
const COLOURS: Readonly<Record<string, string>> = {
  '1': 'font-weight:bold',
  '2': 'opacity:.6',
  '31': 'color:#ff6b68',
  '32': 'color:#5fd787',
  '33': 'color:#ffd75f',
  '36': 'color:#5fd7d7',
};
/** The sequences that `watch` and colours use: home, erase, colour on, colour off. */
const SEQUENCE = new RegExp(`${ESCAPE}\\[([0-9;]*)([A-Za-z])`, 'g');

const [path = 'terminal.png'] = argv.slice(2);
const lastScreen = (await text(stdin)).replaceAll('\r', '').split(`${ESCAPE}[H`).at(-1) ?? '';
const browser = await chromium.launch({
  executablePath: env['CHROMIUM_PATH'] ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu'],
});
const page = await browser.newPage({ deviceScaleFactor: 2 });
await page.setContent(`<pre style="display:inline-block;margin:0;padding:16px 20px;background:#16181d;color:#d8dee9;
  font:14px/1.35 'DejaVu Sans Mono','Noto Sans Mono CJK JP',monospace">${asHtml(lastScreen.trimEnd())}</pre>`);
await page.locator('pre').screenshot({ path });
await browser.close();

function asHtml(screen: string): string {
  const escaped = screen.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  return escaped.replace(SEQUENCE, (_, codes: string, letter: string) => {
    if (letter !== 'm') {
      return '';
    }
    const style = COLOURS[codes];
    return style === undefined ? '</span>' : `<span style="${style}">`;
  });
}
