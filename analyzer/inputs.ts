/** From what was written behind --input to paths: a file's name as it is, a pattern's files in the order of their names. */
import { existsSync } from 'node:fs';
// Node 20 has no `glob`, and would refuse an import by that name.
import * as files from 'node:fs/promises';
import { InputError } from './input-error.ts';

const PATTERN = /[*?[\]{}]/;

/** @throws InputError for a pattern that no file fits, and for any pattern where Node is older than 22 */
export async function expandInputs(inputs: readonly string[], glob: Glob | null = globOfNode()): Promise<string[]> {
  const paths: string[] = [];
  for (const input of inputs) {
    paths.push(...(PATTERN.test(input) && !existsSync(input) ? await expand(input, glob) : [input]));
  }
  return paths;
}

type Glob = (pattern: string) => AsyncIterable<string>;

function globOfNode(): Glob | null {
  return 'glob' in files ? (pattern) => files.glob(pattern) : null;
}

async function expand(pattern: string, glob: Glob | null): Promise<string[]> {
  if (glob === null) {
    throw new InputError(
      `${pattern} is a pattern, which needs Node 22 or later. Without the quotes, the shell makes files of it.`,
    );
  }
  const found: string[] = [];
  for await (const path of glob(pattern)) {
    found.push(path);
  }
  if (found.length === 0) {
    throw new InputError(`${pattern}: no file fits this pattern`);
  }
  return found.sort();
}
