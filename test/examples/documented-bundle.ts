/** Bundles an example by the command that examples/README.md shows. */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const ROOT = join(import.meta.dirname, '../..');
const EXAMPLES = join(ROOT, 'examples');
const ESBUILD = join(ROOT, 'node_modules/.bin/esbuild');
const COMMAND = /^npx esbuild (?<options>.+) --outfile=(?<outfile>\S+)$/m;

export interface Bundle {
  /** As the command names it. */
  readonly outfile: string;
  readonly path: string;
}

/** @param example the name of its folder, and of its section */
export async function bundleAsDocumented(example: string): Promise<Bundle> {
  const readme = await readFile(join(EXAMPLES, 'README.md'), 'utf8');
  const section = readme.split(/^## /m).find((text) => text.startsWith(`${example}\n`)) ?? '';
  const { options, outfile } = COMMAND.exec(section)?.groups ?? {};
  if (options === undefined || outfile === undefined) {
    throw new Error(`examples/README.md has no esbuild command for ${example}`);
  }
  const path = join(ROOT, 'dist/examples', example, outfile);
  const args = [...options.split(' '), '--log-level=warning', `--outfile=${path}`];
  const { stderr } = await promisify(execFile)(ESBUILD, args, { cwd: join(EXAMPLES, example) });
  if (stderr !== '') {
    throw new Error(stderr);
  }
  return { outfile, path };
}
