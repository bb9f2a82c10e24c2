/**
 * Bars over time, in panels one above the other that share their axes, as an SVG that is readable on light and on dark
 * pages. It holds no script and loads nothing.
 */

export interface Panel {
  readonly title: string;
  /** What to see in it; on the right. */
  readonly note: string;
  /** One bar after the other, from 0 on. */
  readonly values: readonly number[];
}

export interface BarChart {
  readonly title: string;
  readonly subtitle: string;
  /** What the x axis counts and how many of that one bar is wide. */
  readonly x: { readonly label: string; readonly barWidth: number; readonly ticks: readonly number[] };
  /** What the y axis counts. The last tick is the top of each panel. */
  readonly y: { readonly label: string; readonly ticks: readonly number[] };
  readonly panels: readonly Panel[];
}

const WIDTH = 820;
const LEFT = 76;
const RIGHT = 20;
const TOP = 96;
const PANEL = 104;
const GAP = 44;
const BOTTOM = 52;
const PLOT = WIDTH - LEFT - RIGHT;

const STYLE = `
  text { font: 13px system-ui, sans-serif; fill: #1f2328; }
  .title { font-size: 17px; font-weight: 600; }
  .panel { font-weight: 600; }
  .quiet { fill: #59636e; }
  .page { fill: #ffffff; }
  .grid { stroke: #d1d9e0; }
  .bar { fill: #0969da; }
  @media (prefers-color-scheme: dark) {
    text { fill: #f0f6fc; }
    .quiet { fill: #9198a1; }
    .page { fill: #0d1117; }
    .grid { stroke: #3d444d; }
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
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img">
<title>${escaped(title)}</title>
<style>${STYLE}
  .end { text-anchor: end; }
  .middle { text-anchor: middle; }
</style>
<rect class="page" width="100%" height="100%"/>
${label(LEFT, 28, 'title', title)}
${label(LEFT, 48, 'quiet', subtitle)}
${panels.map(drawPanel).join('\n')}
${x.ticks.map((tick) => label(atX(tick), axis + 20, 'quiet middle', String(tick))).join('\n')}
${label(LEFT + PLOT / 2, axis + 42, 'quiet middle', x.label)}
<text class="quiet middle" transform="translate(20 ${(TOP + axis) / 2}) rotate(-90)">${escaped(y.label)}</text>
</svg>
`;
}

function label(x: number, y: number, classes: string, text: string): string {
  return `<text class="${classes}" x="${round(x)}" y="${round(y)}">${escaped(text)}</text>`;
}

function line(x1: number, y1: number, x2: number, y2: number): string {
  return `<path class="grid" d="M${x1} ${round(y1)}L${x2} ${round(y2)}"/>`;
}

/** Two digits are a hundredth of a pixel. */
function round(value: number): number {
  return Math.round(value * 100) / 100;
}

function escaped(text: string): string {
  return text.replace(/[&<>]/g, (character) => `&#${character.charCodeAt(0)};`);
}
