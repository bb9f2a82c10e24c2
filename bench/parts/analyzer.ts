/** The analyzer of logs measures itself, in bench/analyzer.ts, as its own command does: `--json` prints a {@link Part}. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { execPath } from 'node:process';
import { promisify } from 'node:util';
import type { Part } from '../figures.ts';

const PROGRAM = join(import.meta.dirname, '../analyzer.ts');

/** Without the program there are no figures. @throws Error if it ends with an error */
export async function analyzer(): Promise<Part> {
  if (!existsSync(PROGRAM)) {
    return { name: 'Analyzer', figures: [] };
  }
  const { stdout } = await promisify(execFile)(execPath, [PROGRAM, '--json']);
  return JSON.parse(stdout);
}
