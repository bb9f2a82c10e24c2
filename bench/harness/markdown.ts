/** Markdown tables, aligned so that they can be read on a terminal too, and the places in documents where they belong. */

/** @param rows the heading first; all of them with the same number of cells */
export function markdownTable([heading = [], ...rows]: readonly (readonly string[])[]): string {
  const all = [heading, ...rows];
  const widths = heading.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]) => `| ${cells.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')} |`;
  return [line(heading), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n');
}

/**
 * Replaces what is between `<!-- NAME:begin -->` and `<!-- NAME:end -->`.
 * @throws Error if the text has no such pair of comments
 */
export function insertBetween(text: string, name: string, content: string): string {
  const beginning = `<!-- ${name}:begin -->`;
  const begin = text.indexOf(beginning);
  const end = text.indexOf(`<!-- ${name}:end -->`);
  if (begin === -1 || end < begin) {
    throw new Error(`The document has no ${beginning} with a matching end.`);
  }
  return `${text.slice(0, begin)}${beginning}\n\n${content}\n\n${text.slice(end)}`;
}
