/**
 * From what was written behind --input to paths: a file's name as it is, a pattern's files in the order of their names. Each file
 * once, however it was named.
 */
import { existsSync, fstat } from 'node:fs';
// Node 20 has no `glob`, and would refuse an import by that name.
import * as files from 'node:fs/promises';
import { promisify } from 'node:util';
import { InputError } from '../input/input-error.ts';
import { STANDARD_INPUT } from './options.ts';

const PATTERN = /[*?[\]{}]/;

/** @throws InputError for a pattern that no file fits, and for any pattern where Node is older than 22 */
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
        `${path} counts once: ${before === path ? 'it was named before' : `it is the same file as ${before}`}.`,
      );
    }
  }
  return { paths: [...kept.values()], notes };
}

export interface Inputs {
  readonly paths: readonly string[];
  /** Of what was named twice. */
  readonly notes: readonly string[];
}

const statOpen = promisify(fstat);

/**
 * The same for two names of one file: links, and other ways to it.
 * @returns undefined if there is none
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
