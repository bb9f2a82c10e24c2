/**
 * Draws a line chart over time in each of a few panels. The text is large enough for a phone, whose screen is less than half as
 * wide as the drawing. Each line has its label next to it instead of a legend.
 */
import { escaped, label, line, round, svg, WIDTH } from './svg.ts';

export type Tone = 'good' | 'bad';

export interface LinePanel {
  readonly title: string;
  /** The result, printed after the title. */
  readonly note: string;
  readonly tone: Tone;
  readonly height: number;
  /** The corners of the line. */
  readonly points: readonly (readonly [x: number, y: number])[];
  /** The end of the y axis. */
  readonly top: number;
  /** A dashed horizontal line across the panel. */
  readonly mark: { readonly y: number; readonly label: string };
  /** A label for the line. The text ends at this point. */
  readonly callout?: { readonly text: string; readonly x: number; readonly y: number };
  /** Cells below the plot, one for each span of the x axis. */
  readonly cells: readonly { readonly text: string; readonly tone: Tone }[];
}

export interface LineChart {
  readonly title: string;
  readonly subtitle: string;
  /** The names of the equal spans of the x axis, and the end of the axis. */
  readonly x: { readonly spans: readonly string[]; readonly end: number };
  readonly panels: readonly LinePanel[];
}

const LEFT = 116;
const MARGIN = 20;
const TOP = 112;
const HEADING = 44;
const CELL = 40;
const GAP = 40;
const BOTTOM = 44;
const PLOT = WIDTH - LEFT - MARGIN;

const STYLE = `
  text { font-size: 22px; }
  .title { font-size: 28px; }
  .panel { font-size: 24px; }
  .good { fill: #1a7f37; }
  .bad { fill: #cf222e; }
  .cell, .under { fill-opacity: 0.14; }
  .line { stroke-width: 4; stroke-linejoin: round; }
  .line.good { fill: none; stroke: #1a7f37; }
  .line.bad { fill: none; stroke: #cf222e; }
  .mark { stroke: #1f2328; stroke-width: 2; stroke-dasharray: 8 6; }
  @media (prefers-color-scheme: dark) {
    .good { fill: #3fb950; }
    .bad { fill: #f85149; }
    .line.good { stroke: #3fb950; }
    .line.bad { stroke: #f85149; }
    .mark { stroke: #f0f6fc; }
  }`;

export function lineChart({ title, subtitle, x, panels }: LineChart): string {
  const atX = (value: number) => round(LEFT + (value / x.end) * PLOT);
  const span = PLOT / x.spans.length;

  function drawPanel(panel: LinePanel, from: number): string {
    const { callout } = panel;
    const base = from + HEADING + panel.height;
    const atY = (value: number) => round(base - (value / panel.top) * panel.height);
    const corners = panel.points.map(([px, py]) => `${atX(px)} ${atY(py)}`);
    const cells = panel.cells.flatMap(({ text, tone }, index) => [
      `<rect class="cell ${tone}" x="${round(LEFT + index * span + 2)}" y="${base + 6}" width="${round(span - 4)}" height="${CELL - 6}" rx="6"/>`,
      label(LEFT + (index + 0.5) * span, base + 31, `${tone} panel middle`, text),
    ]);
    return [
      `<text x="${MARGIN}" y="${from + 24}"><tspan class="panel ${panel.tone}">${escaped(panel.title)}</tspan> ${escaped(panel.note)}</text>`,
      line(LEFT, base, WIDTH - MARGIN, base),
      `<path class="under ${panel.tone}" d="M${LEFT} ${base}L${corners.join('L')}V${base}z"/>`,
      `<path class="line ${panel.tone}" d="M${corners.join('L')}"/>`,
      line(LEFT, atY(panel.mark.y), WIDTH - MARGIN, atY(panel.mark.y), 'mark'),
      label(LEFT - 10, atY(panel.mark.y) + 7, 'end', panel.mark.label),
      ...(callout === undefined ? [] : [label(atX(callout.x), atY(callout.y), `${panel.tone} end`, callout.text)]),
      ...cells,
    ].join('\n');
  }

  let from = TOP;
  const drawn = panels.map((panel) => {
    const text = drawPanel(panel, from);
    from += HEADING + panel.height + CELL + GAP;
    return text;
  });
  const end = from - GAP;
  return svg(title, end + BOTTOM, STYLE, [
    label(MARGIN, 46, 'title', title),
    label(MARGIN, 80, 'quiet', subtitle),
    ...drawn,
    ...x.spans.map((name, index) => label(LEFT + (index + 0.5) * span, end + 28, 'quiet middle', name)),
  ]);
}
