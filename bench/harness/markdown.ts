/** Tables in Markdown that can be read on a terminal too, and their places in a document. */

/** @param rows the heading first */
export function markdownTable([heading = [], ...rows]: readonly (readonly string[])[]): string {
  const all = [heading, ...rows];
  const widths = heading.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]) => `| ${cells.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')} |`;
  return [line(heading), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n');
}

/**
 * Puts the content between `<!-- NAME:begin -->` and `<!-- NAME:end -->`.
 * @throws Error if the text has no such place
 */
export function insertBetween(text: string, name: string, content: string): string {
  const beginning = `<!-- ${name}:begin -->`;
  const begin = text.indexOf(beginning);
  const end = text.indexOf(`<!-- ${name}:end -->`);
  if (begin === -1 || end < begin) {
    throw new Error(`There is no ${beginning} with an end in the document.`);
  }
  return `${text.slice(0, begin)}${beginning}\n\n${content}\n\n${text.slice(end)}`;
}
