/** What a benchmark found: each figure beside its peer or its floor, and the target that it was to reach. */
import { markdownTable } from './markdown.ts';

export interface Figure {
  readonly what: string;
  /** Ours of the other's, in whatever unit both have. */
  readonly ratio: number;
  readonly target?: Target | undefined;
  /** With its unit, as it is shown. */
  readonly ours: string;
  readonly other: string;
}

export interface Target {
  readonly at: 'least' | 'most';
  readonly ratio: number;
  /** Why it may be missed; shown only if it is. */
  readonly reason: string;
}

export interface Part {
  readonly name: string;
  readonly figures: readonly Figure[];
}

export function isMissed({ ratio, target }: Figure): boolean {
  if (target === undefined) {
    return false;
  }
  return target.at === 'least' ? !(ratio >= target.ratio) : !(ratio <= target.ratio);
}

/** A table for each part, in Markdown that can be read on a terminal too, and the reason for every target that was missed. */
export function renderParts(parts: readonly Part[]): string {
  const heading = ['', 'ratio', 'target', 'ours', 'beside'];
  const all = parts.flatMap(({ name, figures }) => [[`**${name}**`, '', '', '', ''], ...figures.map(cellsOf)]);
  const table = markdownTable([heading, ...all]);
  const missed = parts.flatMap(({ figures }) => figures.filter(isMissed));
  const reasons = missed.map(({ what, target }) => `- Missed: ${what}. ${target?.reason}`);
  return [table, ...(reasons.length === 0 ? [] : [reasons.join('\n')])].join('\n\n');
}

function cellsOf(figure: Figure): string[] {
  const { what, ratio, target, ours, other } = figure;
  const bound = target === undefined ? '' : `${target.at === 'least' ? '≥' : '≤'} ${target.ratio}`;
  return [what, ratio.toFixed(2), `${bound}${isMissed(figure) ? ' missed' : ''}`, ours, other];
}
