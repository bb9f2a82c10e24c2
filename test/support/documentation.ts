/**
 * Runs what the documentation shows: a code block becomes a module, with the package's entries pointed at the sources.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');
const FOLDER = join(ROOT, 'dist/documentation');

/** The code blocks of a language, in order. */
export async function codeBlocks(document: string, language: string): Promise<readonly string[]> {
  const text = await readFile(join(ROOT, document), 'utf8');
  const blocks = text.matchAll(/^```(?<language>\w+)\n(?<code>.*?)^```$/gms);
  return [...blocks]
    .filter(({ groups }) => groups?.['language'] === language)
    .map(({ groups }) => groups?.['code'] ?? '');
}

export async function importExample(name: string, code: string): Promise<Record<string, unknown>> {
  await mkdir(FOLDER, { recursive: true });
  const file = join(FOLDER, `${name}.ts`);
  await writeFile(file, code.replaceAll(/'ephemeral-key-issuer\/(\w+)'/g, `'${ROOT}/$1/index.ts'`));
  return await import(file);
}
