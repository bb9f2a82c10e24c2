/** Draws bar charts over time as stacked panels with the same axes. */
import { escaped, label, line, round, svg, WIDTH } from './svg.ts';

export interface Panel {
  readonly title: string;
  /** The result, printed on the right. */
  readonly note: string;
  /** The heights of the bars, starting at 0 on the x axis. */
  readonly values: readonly number[];
}

export interface BarChart {
  readonly title: string;
  readonly subtitle: string;
  /** The unit of the x axis, and the width of a bar in that unit. */
  readonly x: { readonly label: string; readonly barWidth: number; readonly ticks: readonly number[] };
  /** The unit of the y axis. The last tick is the top of each panel. */
  readonly y: { readonly label: string; readonly ticks: readonly number[] };
  readonly panels: readonly Panel[];
}

const LEFT = 76;
const RIGHT = 20;
const TOP = 96;
const PANEL = 104;
const GAP = 44;
const BOTTOM = 52;
const PLOT = WIDTH - LEFT - RIGHT;

const STYLE = `
  .bar { fill: #0969da; }
  @media (prefers-color-scheme: dark) {
    .bar { fill: #4493f8; }
  }`;

export function barChart({ title, subtitle, x, y, panels }: BarChart): string {
  const height = TOP + panels.length * (PANEL + GAP) - GAP + BOTTOM;
  const top = Math.max(...y.ticks);
  const right = Math.max(...x.ticks);
  const atX = (value: number) => round(LEFT + (value / right) * PLOT);
  const heightOf = (value: number) => round((value / top) * PANEL);

  function drawPanel(panel: Panel, index: number): string {
    const base = TOP + index * (PANEL + GAP) + PANEL;
    const bars = panel.values.flatMap((value, bar) =>
      value === 0 || bar * x.barWidth >= right
        ? []
        : `M${atX(bar * x.barWidth)} ${base}v${-heightOf(value)}h${round((x.barWidth / right) * PLOT)}v${heightOf(value)}z`,
    );
    return [
      label(LEFT, base - PANEL - 10, 'panel', panel.title),
      label(WIDTH - RIGHT, base - PANEL - 10, 'quiet end', panel.note),
      ...y.ticks.map((tick) => line(LEFT, base - heightOf(tick), WIDTH - RIGHT, base - heightOf(tick))),
      ...y.ticks.map((tick) => label(LEFT - 8, base - heightOf(tick) + 4, 'quiet end', String(tick))),
      `<path class="bar" d="${bars.join('')}"/>`,
    ].join('\n');
  }

  const axis = height - BOTTOM;
  return svg(title, height, STYLE, [
    label(LEFT, 28, 'title', title),
    label(LEFT, 48, 'quiet', subtitle),
    ...panels.map(drawPanel),
    ...x.ticks.map((tick) => label(atX(tick), axis + 20, 'quiet middle', String(tick))),
    label(LEFT + PLOT / 2, axis + 42, 'quiet middle', x.label),
    `<text class="quiet middle" transform="translate(20 ${(TOP + axis) / 2}) rotate(-90)">${escaped(y.label)}</text>`,
  ]);
}
