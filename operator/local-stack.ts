/** Finds a stack that `npm start` brought up on this machine, by the file that it leaves while it runs. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Of what the file says (see local/stack.ts). */
export interface LocalStack {
  readonly url: string;
  /** Its Function URL. */
  readonly function: string;
  /** The file with the function's log lines. */
  readonly log: string;
}

const STACKS_FOLDER = join(import.meta.dirname, '../.local');

/** @returns undefined if no stack is known by that port */
export async function findLocalStack(port: string, folder = STACKS_FOLDER): Promise<LocalStack | undefined> {
  try {
    return JSON.parse(await readFile(join(folder, `${port}.json`), 'utf8'));
  } catch {
    return undefined;
  }
}
