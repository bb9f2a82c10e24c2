import { describe, expect, it } from 'vitest';
import { createFleet } from '../../../analyzer/fleet.ts';
import { formatHtml } from '../../../analyzer/report/format-html.ts';
import { formatTable } from '../../../analyzer/report/format-table.ts';
import type { FleetReport } from '../../../analyzer/report/report.ts';
import { reportStorm } from '../../../bench/retry-logs/storm-report.ts';
import { launchChromium } from '../../support/chromium.ts';
import { batch, type Row, START } from '../statistics/batches.ts';

const ESCAPE = '\u001b';
const HOSTILE = `"><script>document.title='taken'</script><img src=x onerror="document.title='taken'">&amp;${ESCAPE}[2J\u202e`;

function hostile(name = HOSTILE): FleetReport {
  const fleet = createFleet({ maxClients: 10, threshold: 5, latenessMs: 0, now: () => START });
  const rows = Array.from({ length: 6 }, (_, index): Row => [index * 1_000, name, 'retry', 1_000]);
  fleet.add(
    batch([...rows, ...rows.map(([at, , ...rest]): Row => [at, '2001:db8::1', ...rest]), [undefined, 'b', 'connect']]),
  );
  return fleet.report();
}

/** A report with retries spread over that time, after waits of all lengths. */
function ofSpan(milliseconds: number): FleetReport {
  const fleet = createFleet({ maxClients: 10, threshold: 5, latenessMs: 0, now: () => START });
  fleet.add(
    batch(
      Array.from(
        { length: 201 },
        (_, index): Row => [(index * milliseconds) / 200, `${index % 3}.${'long'.repeat(9)}`, 'retry', 1.09 ** index],
      ),
    ),
  );
  return fleet.report();
}

/**
 * Finds elements that scroll sideways, and chart labels that overlap or are cut off. It runs in the page, so it is
 * untyped text.
 */
const FAULTS = `
  const scrolling = [...document.querySelectorAll('html, body, .card, .scroll')]
    .filter((element) => element.scrollWidth > element.clientWidth)
    .map((element) => element.tagName + '.' + element.className + ' scrolls');
  const labels = [...document.querySelectorAll('[role=img]')].flatMap((chart) => {
    const boxes = [...chart.querySelectorAll('text, .who')]
      .map((label) => {
        const range = document.createRange();
        range.selectNodeContents(label);
        const { left, right, top, bottom } = range.getBoundingClientRect();
        return { text: label.textContent, left, right, top, bottom };
      })
      .filter(({ left, right }) => right > left);
    const card = chart.closest('.card').getBoundingClientRect();
    const outside = boxes.filter(({ left, right }) => left < card.left || right > card.right);
    const over = boxes.filter((one, index) =>
      boxes.some((other, place) => place > index && one.left < other.right && other.left < one.right && one.top + 2 < other.bottom && other.top + 2 < one.bottom));
    return [...outside.map(({ text }) => text + ' is cut off'), ...over.map(({ text }) => text + ' overlaps another label')];
  });
  [...scrolling, ...labels]`;

describe('the table', () => {
  it('fits the terminal and lists the worst client first', () => {
    const lines = formatTable(reportStorm(), { columns: 80 }).split('\n');
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
    const heading = lines.findIndex((line) => line.startsWith('client '));
    expect(lines[heading + 1]).toMatch(/^192\.0\.2\.\d+ .* no +CRITICAL$/);
    expect(lines.at(-1)).toMatch(/^\d+ more clients are not shown/);
  });

  it('agrees with the verdict on jitter, and shows no average if the log has no intervals', () => {
    const fleet = createFleet({ maxClients: 10, threshold: 5, latenessMs: 0 });
    fleet.add(batch([500, 1_000, 2_000, 4_000, 8_000].map((wait): Row => [wait, 'grows', 'retry', wait])));
    fleet.add(batch([0, 3_000, 6_000, 9_000].map((at): Row => [10_000 + at, 'gaps', 'retry'])));
    const table = formatTable(fleet.report());
    expect(table).toMatch(/^grows .* 3100\.00 {2}no /m);
    expect(table).toMatch(/^gaps .* - {2}no /m);
  });

  it.each([
    [90_000, '90 s'],
    [90 * 60_000, '90 min'],
    [30 * 3_600_000, '30 h'],
    [850.6 * 3_600_000, '35.4 days'],
  ])('prints the duration of a log in a suitable unit: %d ms', (long, words) => {
    const fleet = createFleet({ maxClients: 10, threshold: 5, latenessMs: 0 });
    fleet.add(batch([0, long].map((at): Row => [at, 'a', 'connect'])));
    expect(formatTable(fleet.report(), { columns: 1_000 })).toContain(`within ${words}.`);
  });

  it('does not mention waves if the log has no retries', () => {
    const fleet = createFleet({ maxClients: 10, threshold: 5, latenessMs: 0 });
    fleet.add(batch(Array.from({ length: 20 }, (_, index): Row => [index * 60_000, 'a', 'connect'])));
    const table = formatTable(fleet.report(), { columns: 1_000 });
    expect(table).toContain('The log has no retries');
    expect(table).toContain('It never retried');
    expect(table).toContain('number of requests: 20 in total, at most 1 per minute');
  });

  it('has colours only if the option is set', () => {
    expect(formatTable(reportStorm())).not.toContain(ESCAPE);
    expect(formatTable(reportStorm(), { color: true })).toContain(`${ESCAPE}[31;1m`);
  });

  it("does not pass a log's escape sequences to the terminal", () => {
    const table = formatTable(hostile(), { notes: [`line 3: ${ESCAPE}[2J`] });
    expect(table).not.toContain(ESCAPE);
    expect(table).not.toContain('\u202e');
  });

  it('lists incomplete data and the notes', () => {
    const table = formatTable(hostile(), { notes: ['2 lines are not events.'] });
    expect(table).toContain('1 event had no timestamp');
    expect(table).toContain('2 lines are not events.');
  });
});

describe('the page', () => {
  it('stays small even if a name is very long', () => {
    expect(formatHtml(hostile('x'.repeat(1_000_000))).length).toBeLessThan(50_000);
  });

  it('is the same for the same report', () => {
    expect(formatHtml(reportStorm())).toBe(formatHtml(reportStorm()));
  });

  it('shows hostile names as text, loads nothing and runs nothing, in a browser', async (context) => {
    const browser = await launchChromium(context);
    try {
      const page = await browser.newPage();
      const requested: string[] = [];
      const messages: string[] = [];
      page.on('request', (request) => requested.push(request.url()));
      page.on('console', (message) => messages.push(message.text()));
      await page.route('**', (route) => route.fulfill({ contentType: 'text/html', body: formatHtml(hostile()) }));
      await page.goto('http://report.test/');
      expect(await page.title()).toBe('Retries');
      expect(await page.locator('td.name').first().textContent()).toContain('<script>');
      expect(await page.locator('script, img').count()).toBe(0);
      expect(await page.locator('[role=img]').count()).toBe(3);
      expect(requested.filter((url) => !url.endsWith('/favicon.ico'))).toEqual(['http://report.test/']);
      expect(messages.filter((text) => !text.includes('favicon'))).toEqual([]);
    } finally {
      await browser.close();
    }
  });

  it('fits every window from phone size up, without overlapping labels', async (context) => {
    const browser = await launchChromium(context);
    try {
      const page = await browser.newPage();
      for (const report of [reportStorm(), hostile('x'.repeat(300)), ofSpan(30_000), ofSpan(3 * 86_400_000)]) {
        await page.setContent(formatHtml(report));
        for (const width of [390, 640, 900, 901, 1_280]) {
          await page.setViewportSize({ width, height: 800 });
          expect(await page.evaluate<string[]>(FAULTS), `${width} px`).toEqual([]);
        }
      }
    } finally {
      await browser.close();
    }
  });

  it('is readable in light and dark', async (context) => {
    const browser = await launchChromium(context);
    try {
      const page = await browser.newPage();
      await page.setContent(formatHtml(reportStorm()));
      const colours = [];
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        colours.push(await page.evaluate('getComputedStyle(document.body).backgroundColor'));
      }
      expect(colours).toEqual(['rgb(255, 255, 255)', 'rgb(13, 17, 23)']);
    } finally {
      await browser.close();
    }
  });
});
