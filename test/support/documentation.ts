/**
 * Reads the documentation: its code blocks, tables, links and headings. A code block can be run as a module, with the
 * package's entries pointed at the sources.
 */
import { readdirSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export const ROOT = join(import.meta.dirname, '../..');
const FOLDER = join(ROOT, 'dist/documentation');

/** Every document, by its path in the repository. */
export const DOCUMENTS: readonly string[] = [
  ...['.', 'docs', 'examples'].flatMap((folder) =>
    readdirSync(join(ROOT, folder))
      .filter((name) => name.endsWith('.md'))
      .map((name) => join(folder, name)),
  ),
];

export async function readDocument(document: string): Promise<string> {
  return await readFile(join(ROOT, document), 'utf8');
}

/** The code blocks of a language, in order; without a language, all of them. */
export async function codeBlocks(document: string, language?: string): Promise<readonly string[]> {
  const blocks = (await readDocument(document)).matchAll(/^(?<indent> *)```(?<language>\w+)\n(?<code>.*?)^ *```$/gms);
  return [...blocks]
    .filter(({ groups }) => language === undefined || groups?.['language'] === language)
    .map(({ groups }) => (groups?.['code'] ?? '').replaceAll(new RegExp(`^${groups?.['indent'] ?? ''}`, 'gm'), ''));
}

/** What is outside of the code blocks. */
export function prose(text: string): string {
  return text.replaceAll(/^ *```.*?^ *```$/gms, '');
}

/** What stands between backticks in the prose, in order. */
export function codeSpans(text: string): readonly string[] {
  return [...prose(text).matchAll(/`(?<code>[^`\n]+)`/g)].map(({ groups }) => groups?.['code'] ?? '');
}

/** What is below a heading of the second level, up to the next one. */
export function section(text: string, heading: string): string {
  return text.split(`## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
}

/** The rows below a heading whose first cell begins with code, as cells without backticks. */
export function tableUnder(text: string, heading: string): string[][] {
  return tableRows(
    section(text, heading)
      .split('\n')
      .filter((line) => line.startsWith('| `')),
  );
}

export function tableRows(lines: readonly string[]): string[][] {
  return lines.map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim().replaceAll('`', '')),
  );
}

/** Where links and pictures lead, in order: `docs/api.md#errors`. */
export function links(text: string): readonly string[] {
  const found = prose(text).matchAll(/\]\((?<link>[^)\s]+)\)|src="(?<image>[^"]+)"|<(?<url>https?:[^>]+)>/g);
  return [...found].map(({ groups }) => groups?.['link'] ?? groups?.['image'] ?? groups?.['url'] ?? '');
}

/** The anchors of the headings, as GitHub makes them. */
export function anchors(text: string): readonly string[] {
  const headings = [...prose(text).matchAll(/^#+ (?<heading>.*)$/gm)].map(({ groups }) => groups?.['heading'] ?? '');
  return headings.map((heading) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-'),
  );
}

export async function importExample(name: string, code: string): Promise<Record<string, unknown>> {
  await mkdir(FOLDER, { recursive: true });
  const file = join(FOLDER, `${name}.ts`);
  await writeFile(file, code.replaceAll(/'ephemeral-key-issuer\/(\w+)'/g, `'${ROOT}/$1/index.ts'`));
  return await import(file);
}
