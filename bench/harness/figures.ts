/** What a benchmark measured: each figure beside that of a peer or of a floor, and its target. */
import { markdownTable } from './markdown.ts';

export interface Figure {
  readonly what: string;
  /** Ours divided by the other's, or the reverse; `what` names the order. */
  readonly ratio: number;
  readonly target?: Target | undefined;
  /** Formatted, with its unit. */
  readonly ours: string;
  readonly other: string;
}

export interface Target {
  readonly at: 'least' | 'most';
  readonly ratio: number;
  /** Why it may be missed. Shown only if it is. */
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

/** One Markdown table with a section for each part, and the reason for every missed target. */
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

/** Rounded away from the target, so that a ratio just short of it does not look like a hit. */
function shown(ratio: number, target: Target | undefined): string {
  if (ratio >= 1_000) {
    return Math.round(ratio).toLocaleString('en');
  }
  if (target === undefined) {
    return ratio.toFixed(2);
  }
  const round = target.at === 'least' ? Math.floor : Math.ceil;
  // In floating point, 1.1 x 100 is 110.00000000000001.
  return (round(Number((ratio * 100).toFixed(6))) / 100).toFixed(2);
}
