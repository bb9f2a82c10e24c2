import { readFileSync } from 'node:fs';
import type { Locator } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { insertBetween } from '../../../bench/harness/markdown.ts';
import { drawIncident } from '../../../bench/incident/incident-picture.ts';
import type { IncidentReport } from '../../../bench/incident/incident-report.ts';
import { renderTable } from '../../../bench/incident/incident-table.ts';
import { launchChromium } from '../../support/chromium.ts';

const figures: IncidentReport = JSON.parse(readFileSync('docs/incident.json', 'utf8'));

/** The figures as they would be of more or fewer hours. */
function ofHours(windows: number): IncidentReport {
  const results = figures.results.map((result) => ({
    ...result,
    highestCounter: result.highestCounter === 4_800 ? windows * 1_200 : result.highestCounter,
    admittedPerWindow: Array.from({ length: windows }, (_, index) => result.admittedPerWindow[Math.min(index, 3)] ?? 0),
    counter: [[0, 1] as const, [windows * 3_600 - 3, result.highestCounter] as const],
  }));
  return { ...figures, windows, results };
}

describe('what the documentation shows of the incident', () => {
  it('comes from four hours on DynamoDB Local', () => {
    expect(figures).toMatchObject({ engine: 'DynamoDB Local', window: '1h', windows: 4, askedEverySeconds: 3 });
  });

  it('is the table of those figures', () => {
    const story = readFileSync('docs/why.md', 'utf8');
    expect(insertBetween(story, 'simulate', renderTable(figures))).toBe(story);
  });

  it('is the picture of those figures', () => {
    expect(readFileSync('docs/incident.svg', 'utf8')).toBe(drawIncident(figures));
  });
});

describe('the table', () => {
  it('is aligned, and says of a wait that had no end how long it was by then', () => {
    const [counterExample, , , bucket] = figures.results;
    const results = [counterExample, bucket].flatMap((each) => each ?? []);
    expect(renderTable({ ...figures, results }).split('\n')).toEqual([
      '|                        | let in, hour by hour | highest counter | writes | longest wait                        |',
      '| ---------------------- | -------------------- | --------------- | ------ | ----------------------------------- |',
      '| add, then compare      | 10, 0, 0, 0          | 4,800           | 4,800  | still waiting after 3 h 59 min 30 s |',
      '| `bucket 10/1h burst 3` | 12, 10, 10, 10       | 3               | 4,841  | 5 min 57 s                          |',
    ]);
  });

  it('replaces what is between its marks, and nothing else', () => {
    const text = 'before\n<!-- simulate:begin -->\nold\n<!-- simulate:end -->\nafter\n';
    expect(insertBetween(text, 'simulate', 'new')).toBe(
      'before\n<!-- simulate:begin -->\n\nnew\n\n<!-- simulate:end -->\nafter\n',
    );
  });

  it.each(['', '<!-- simulate:begin -->', '<!-- simulate:end --> <!-- simulate:begin -->'])(
    'has no place in %j',
    (text) => {
      expect(() => insertBetween(text, 'simulate', 'new')).toThrow('<!-- simulate:begin -->');
    },
  );
});

describe('the picture', () => {
  it('has no text that is cut off or covers another, from one hour to twelve', async (context) => {
    const browser = await launchChromium(context);
    const page = await browser.newPage();
    for (const hours of [1, 4, 5, 6, 12]) {
      await page.setContent(drawIncident(ofHours(hours)));
      const drawing = await boxOf(page.locator('svg'));
      const texts = await Promise.all((await page.locator('svg text').all()).map(boxOf));
      const cut = texts.filter(({ left, right }) => left < drawing.left || right > drawing.right);
      const covered = texts.filter((text, index) => texts.slice(index + 1).some((other) => overlap(text, other)));

      expect([...cut, ...covered], `${hours} hours`).toEqual([]);
    }
    await browser.close();
  });
});

interface Box {
  readonly words: string | null;
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

async function boxOf(element: Locator): Promise<Box> {
  const { x, y, width, height } = (await element.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
  return { words: await element.textContent(), left: x, right: x + width, top: y, bottom: y + height };
}

function overlap(one: Box, other: Box): boolean {
  return one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;
}
