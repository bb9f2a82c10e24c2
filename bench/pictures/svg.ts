/**
 * The common parts of the charts: an SVG that is readable on light and dark pages, contains no script and loads nothing.
 */

export const WIDTH = 820;

const STYLE = `
  text { font: 13px system-ui, sans-serif; fill: #1f2328; }
  .title { font-size: 17px; font-weight: 600; }
  .panel { font-weight: 600; }
  .quiet { fill: #59636e; }
  .page { fill: #ffffff; }
  .grid { stroke: #d1d9e0; }
  .end { text-anchor: end; }
  .middle { text-anchor: middle; }
  @media (prefers-color-scheme: dark) {
    text { fill: #f0f6fc; }
    .quiet { fill: #9198a1; }
    .page { fill: #0d1117; }
    .grid { stroke: #3d444d; }
  }`;

/** @param style CSS for the chart's own classes; it comes last and overrides the common style */
export function svg(title: string, height: number, style: string, body: readonly string[]): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img">
<title>${escaped(title)}</title>
<style>${STYLE}${style}
</style>
<rect class="page" width="100%" height="100%"/>
${body.join('\n')}
</svg>
`;
}

export function label(x: number, y: number, classes: string, text: string): string {
  return `<text class="${classes}" x="${round(x)}" y="${round(y)}">${escaped(text)}</text>`;
}

export function line(x1: number, y1: number, x2: number, y2: number, classes = 'grid'): string {
  return `<path class="${classes}" d="M${x1} ${round(y1)}L${x2} ${round(y2)}"/>`;
}

/** Rounds to a hundredth of a pixel. */
export function round(value: number): number {
  return Math.round(value * 100) / 100;
}

export function escaped(text: string): string {
  return text.replace(/[&<>]/g, (character) => `&#${character.charCodeAt(0)};`);
}
