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
  const byReason = Map.groupBy(missed, ({ target }) => target?.reason);
  const reasons = [...byReason].map(
    ([reason, figures]) => `- Missed: ${figures.map(({ what }) => what).join('; ')}. ${reason}`,
  );
  return [table, ...(reasons.length === 0 ? [] : [reasons.join('\n')])].join('\n\n');
}

function cellsOf(figure: Figure): string[] {
  const { what, ratio, target, ours, other } = figure;
  const bound = target === undefined ? '' : `${target.at === 'least' ? '≥' : '≤'} ${target.ratio}`;
  return [what, shown(ratio, target), `${bound}${isMissed(figure) ? ' missed' : ''}`, ours, other];
}

/** Rounded away from the target: what falls short of it must not look as if it did not. */
function shown(ratio: number, target: Target | undefined): string {
  if (ratio >= 1_000) {
    return Math.round(ratio).toLocaleString('en');
  }
  if (target === undefined) {
    return ratio.toFixed(2);
  }
  const round = target.at === 'least' ? Math.floor : Math.ceil;
  // 1.1 x 100 is 110.00000000000001.
  return (round(Number((ratio * 100).toFixed(6))) / 100).toFixed(2);
}
