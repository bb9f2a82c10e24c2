/** The page's charts, as SVG inside it: colours come from the page's style, every text is escaped. */
import type { ClientTimeline, IntervalBar, Timeline } from './report.ts';
import { printable } from './report-words.ts';

const WIDTH = 960;
const LEFT = 56;
const PLOT = WIDTH - LEFT - 8;
const BOTTOM = 26;
const LONGEST_NAME = 24;

/** Bars of retries per second over time; a bar's length is that of the timeline. */
export function drawRetries({ from, bar_ms, retries }: Timeline): string {
  const perSecond = retries.map((inBar) => inBar / (bar_ms / 1_000));
  const height = 200;
  const axis = height - BOTTOM;
  const top = niceTop(Math.max(1, ...perSecond));
  const width = PLOT / Math.max(1, perSecond.length);
  const bars = perSecond.map((value, index) => bar(LEFT + index * width, axis, width, (value / top) * (axis - 12)));
  return svg(height, 'Retries per second over time', [
    ...[0, top / 2, top].map((value) => grid(axis - (value / top) * (axis - 12), short(value))),
    `<path class="bar" d="${bars.join('')}"/>`,
    ...timeTicks(from, perSecond.length * bar_ms, axis + 18),
  ]);
}

/** Intervals on a logarithmic axis. */
export function drawIntervals(histogram: readonly IntervalBar[]): string {
  const height = 200;
  const axis = height - BOTTOM;
  const top = niceTop(Math.max(1, ...histogram.map(({ count }) => count)));
  const width = PLOT / Math.max(1, histogram.length);
  const bars = histogram.map(({ count }, index) => bar(LEFT + index * width, axis, width, (count / top) * (axis - 12)));
  const every = Math.max(1, Math.ceil(histogram.length / 10));
  const ticks = histogram.flatMap(({ from_ms }, index) =>
    index % every === 0 ? [text(LEFT + index * width, axis + 18, 'tick', wait(from_ms))] : [],
  );
  return svg(height, 'How long the intervals are', [
    ...[0, top / 2, top].map((value) => grid(axis - (value / top) * (axis - 12), short(value))),
    `<path class="bar" d="${bars.join('')}"/>`,
    ...ticks,
  ]);
}

/** One strip for each client on the fleet's axis; the darker, the more events. */
export function drawClients({ from, bar_ms, events }: Timeline, clients: readonly ClientTimeline[]): string {
  const left = 300;
  const strip = 18;
  const height = clients.length * strip + BOTTOM + 4;
  const width = (WIDTH - left - 8) / Math.max(1, events.length);
  const strips = clients.flatMap(({ client_ip, pattern, events: bars }, row) => {
    const most = Math.max(1, ...bars);
    const name = client_ip.length > LONGEST_NAME ? `${client_ip.slice(0, LONGEST_NAME - 1)}…` : client_ip;
    const label = `${name}, ${pattern.replaceAll('_', ' ')}`;
    const y = row * strip + 2;
    const ticks = bars.flatMap((count, index) =>
      count === 0
        ? []
        : `<rect x="${round(left + index * width)}" y="${y}" width="${round(Math.max(1.2, width))}" height="${strip - 5}" opacity="${round(0.35 + (0.65 * count) / most)}"/>`,
    );
    return [
      text(left - 10, y + 11, 'tick end', label),
      `<path class="grid" d="M${left} ${y + strip - 4}H${WIDTH - 8}"/>`,
      `<g class="strip">${ticks.join('')}</g>`,
    ];
  });
  return svg(height, 'When the worst clients asked', [
    ...strips,
    ...timeTicks(from, events.length * bar_ms, height - 8, left),
  ]);
}

export function escaped(value: string): string {
  return printable(value).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

function svg(height: number, label: string, body: readonly string[]): string {
  return `<svg viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${label}">${body.join('\n')}</svg>`;
}

function bar(x: number, axis: number, width: number, height: number): string {
  return height === 0
    ? ''
    : `M${round(x)} ${axis}v${-round(Math.max(1, height))}h${round(Math.max(1, width * 0.92))}V${axis}z`;
}

function grid(y: number, label: string): string {
  return `<path class="grid" d="M${LEFT} ${round(y)}H${WIDTH - 8}"/>${text(LEFT - 8, y + 4, 'tick end', label)}`;
}

/** Times of day in UTC, and the date where the log is longer than a day. */
function timeTicks(from: number, span: number, y: number, left = LEFT): string[] {
  const step = span / 6;
  return Array.from({ length: 7 }, (_, index) => {
    const anchor = ['', ' middle', ' end'][index === 0 ? 0 : 1 + Math.floor(index / 6)] ?? '';
    const x = left + ((WIDTH - 8 - left) * index) / 6;
    return text(x, y, `tick${anchor}`, timeOf(from + index * step, span));
  });
}

function timeOf(time: number, span: number): string {
  // Beyond the years that a date can have there is nothing to show.
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) {
    return '';
  }
  const iso = date.toISOString();
  if (span > 86_400_000) {
    return iso.slice(5, 16).replace('T', ' ');
  }
  return iso.slice(11, span < 60_000 ? 21 : 19);
}

function text(x: number, y: number, classes: string, content: string): string {
  return `<text class="${classes}" x="${round(x)}" y="${round(y)}">${escaped(content)}</text>`;
}

/** A round number, not below the value. */
function niceTop(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  return ([1, 2, 3, 5, 10].find((factor) => factor * power >= value) ?? 10) * power;
}

function short(value: number): string {
  return value.toLocaleString('en', { maximumFractionDigits: 1, notation: value >= 100_000 ? 'compact' : 'standard' });
}

function wait(milliseconds: number): string {
  return milliseconds < 1_000 ? `${Math.round(milliseconds)} ms` : `${short(milliseconds / 1_000)} s`;
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
