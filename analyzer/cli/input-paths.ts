/**
 * Turns the values of --input into paths. A file name is used as it is; a pattern becomes its matching files, sorted by name.
 * Each file is read once, even if it was named several times.
 */
import { existsSync, fstat } from 'node:fs';
// A namespace import, because Node 20 has no `glob` and would reject an import by that name.
import * as files from 'node:fs/promises';
import { promisify } from 'node:util';
import { InputError } from '../input/input-error.ts';
import { STANDARD_INPUT } from './options.ts';

const PATTERN = /[*?[\]{}]/;

/** @throws InputError if no file matches a pattern, and for every pattern if Node is older than 22 */
export async function expandInputs(inputs: readonly string[], glob: Glob | null = globOfNode()): Promise<Inputs> {
  const paths: string[] = [];
  for (const input of inputs) {
    paths.push(...(PATTERN.test(input) && !existsSync(input) ? await expand(input, glob) : [input]));
  }
  return await eachOnce(paths);
}

async function eachOnce(paths: readonly string[]): Promise<Inputs> {
  const kept = new Map<string, string>();
  const notes: string[] = [];
  for (const path of paths) {
    const identity = path === STANDARD_INPUT ? path : ((await identityOf(path)) ?? path);
    const before = kept.get(identity);
    if (before === undefined) {
      kept.set(identity, path);
    } else {
      notes.push(
        before === path
          ? `${path} was named more than once. It is read only once.`
          : `${path} is the same file as ${before}. It is read only once.`,
      );
    }
  }
  return { paths: [...kept.values()], notes };
}

export interface Inputs {
  readonly paths: readonly string[];
  /** A sentence for each file that was named more than once. */
  readonly notes: readonly string[];
}

const statOpen = promisify(fstat);

/**
 * Identifies a file independently of its name: links to one file have the same identity.
 * @returns undefined if the file does not exist
 */
export async function identityOf(file: string | number): Promise<string | undefined> {
  const big = { bigint: true } as const;
  const stats = await (typeof file === 'string' ? files.stat(file, big) : statOpen(file, big)).catch(() => undefined);
  return stats === undefined ? undefined : `${stats.dev}:${stats.ino}`;
}

type Glob = (pattern: string) => AsyncIterable<string>;

function globOfNode(): Glob | null {
  return 'glob' in files ? (pattern) => files.glob(pattern) : null;
}

async function expand(pattern: string, glob: Glob | null): Promise<string[]> {
  if (glob === null) {
    throw new InputError(
      `${pattern} is a pattern, and patterns need Node 22 or later. Remove the quotes, so that the shell expands it.`,
    );
  }
  const found: string[] = [];
  for await (const path of glob(pattern)) {
    found.push(path);
  }
  if (found.length === 0) {
    throw new InputError(`No file matches the pattern ${pattern}.`);
  }
  return found.sort();
}
