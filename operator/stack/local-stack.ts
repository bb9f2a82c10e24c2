/** Finds a stack that `npm start` runs on this machine, by the files that exist while it runs. */
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** The content of the stack's file (see local/stack.ts). */
export interface LocalStack {
  readonly url: string;
  /** Its Function URL. */
  readonly function: string;
  readonly dynamodb: string;
  readonly ssm: string;
  readonly table: string;
  readonly parameter: string;
  /** The file with the function's log lines. */
  readonly log: string;
}

const STACKS_FOLDER = join(import.meta.dirname, '../../.local');

/** @returns undefined if there is no file for that port */
export async function findLocalStack(port: string, folder = STACKS_FOLDER): Promise<LocalStack | undefined> {
  try {
    return JSON.parse(await readFile(join(folder, `${port}.json`), 'utf8'));
  } catch {
    return undefined;
  }
}

/** The environment variables of its function. @throws Error if the stack has stopped in the meantime */
export async function readLocalEnvironment({ log, table }: LocalStack): Promise<Record<string, string>> {
  return JSON.parse(await readFile(join(dirname(log), `${table}.environment.json`), 'utf8'));
}
