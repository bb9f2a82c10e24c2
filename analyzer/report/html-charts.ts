/**
 * The page's charts as inline SVG. The page's style sets the colours, and every text is escaped. Shapes use one bar as
 * the unit and are stretched to the page's width. Texts are positioned in per cent of the width, so they keep their
 * size on a phone, where texts of class `extra` are hidden.
 */
import type { IntervalBar } from '../statistics/interval-histogram.ts';
import type { ClientTimeline, Timeline } from './report.ts';
import { printable, shortened } from './report-text.ts';

const HEIGHT = 200;
const AXIS = 174;
const HIGHEST_BAR = AXIS - 12;
const LONGEST_NAME = 24;
const MOST_INTERVAL_LABELS = 10;
/** Per cent of the width. A label that starts further right would not fit into the chart. */
const LAST_LABEL = 94;
const LAST_OF_FEW_LABELS = 80;

/** Draws retries per second over time, with the bars of the timeline. */
export function drawRetries({ from, bar_ms, retries }: Timeline): string {
  const perSecond = retries.map((inBar) => inBar / (bar_ms / 1_000));
  return drawBars('Retries per second over time', perSecond, timeTicks(from, perSecond.length * bar_ms, AXIS + 18));
}

/** Draws the histogram of intervals on a logarithmic axis. */
export function drawIntervals(histogram: readonly IntervalBar[]): string {
  const every = Math.max(1, Math.ceil(histogram.length / MOST_INTERVAL_LABELS));
  const labelled = histogram.filter((_, index) => index % every === 0);
  const ticks = labelled.flatMap(({ from_ms }, index) => {
    const x = (100 * index * every) / histogram.length;
    const classes = index % 3 === 0 && x <= LAST_OF_FEW_LABELS ? 'tick' : 'tick extra';
    return x <= LAST_LABEL ? [text(`${round(x)}%`, AXIS + 18, classes, wait(from_ms))] : [];
  });
  return drawBars(
    'Number of intervals by length',
    histogram.map(({ count }) => count),
    ticks,
  );
}

/** Draws one strip per client on the fleet's time axis. A darker bar has more events. */
export function drawClients({ from, bar_ms, events }: Timeline, clients: readonly ClientTimeline[]): string {
  const rows = clients.map(({ client_ip, pattern, events: bars }) => {
    const most = Math.max(1, ...bars);
    const strip = bars.flatMap((count, index) =>
      count === 0 ? [] : `<rect x="${index}" width="1" height="1" opacity="${round(0.35 + (0.65 * count) / most)}"/>`,
    );
    return `<div class="who">${escaped(`${shortened(client_ip, LONGEST_NAME)}, ${pattern.replaceAll('_', ' ')}`)}</div>
<svg class="strip" viewBox="0 0 ${Math.max(1, bars.length)} 1" preserveAspectRatio="none">${strip.join('')}</svg>`;
  });
  return `<div class="strips" role="img" aria-label="Requests of the worst clients over time">${rows.join('\n')}
<svg class="times" height="24">${timeTicks(from, events.length * bar_ms, 16).join('\n')}</svg></div>`;
}

export function escaped(value: string): string {
  return printable(value).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

function drawBars(label: string, values: readonly number[], ticks: readonly string[]): string {
  const top = niceTop(Math.max(1, ...values));
  const heightOf = (value: number) => (value / top) * HIGHEST_BAR;
  const bars = values.map((value, index) => bar(index, heightOf(value)));
  return `<svg class="chart" height="${HEIGHT}" role="img" aria-label="${label}">
${[0, top / 2, top].map((value) => grid(AXIS - heightOf(value), short(value))).join('\n')}
<svg width="100%" height="${AXIS}" viewBox="0 0 ${Math.max(1, values.length)} ${AXIS}" preserveAspectRatio="none"><path class="bar" d="${bars.join('')}"/></svg>
${ticks.join('\n')}</svg>`;
}

function bar(index: number, height: number): string {
  return height === 0 ? '' : `M${index} ${AXIS}v${-round(Math.max(1, height))}h.92V${AXIS}z`;
}

function grid(y: number, label: string): string {
  return `<line class="grid" x2="100%" y1="${round(y)}" y2="${round(y)}"/>${text('-8', y + 4, 'tick end', label)}`;
}

/** Times of day in UTC, with the date if the log covers more than a day. */
function timeTicks(from: number, span: number, y: number): string[] {
  const steps = timeOf(from, span).length > '12:00:00'.length ? 4 : 6;
  return Array.from({ length: steps + 1 }, (_, index) => {
    const anchor = ['', ' middle', ' end'][index === 0 ? 0 : 1 + Math.floor(index / steps)] ?? '';
    const extra = index % (steps / 2) === 0 ? '' : ' extra';
    const time = timeOf(from + (index * span) / steps, span);
    return text(`${round((100 * index) / steps)}%`, y, `tick${anchor}${extra}`, time);
  });
}

function timeOf(time: number, span: number): string {
  // Outside the range of dates, there is nothing to show.
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

function text(x: string, y: number, classes: string, content: string): string {
  return `<text class="${classes}" x="${x}" y="${round(y)}">${escaped(content)}</text>`;
}

/** @returns a round number that is not less than the value */
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
