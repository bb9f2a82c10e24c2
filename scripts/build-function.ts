/**
 * Builds the functions' bundles, dist/lambda/index.mjs and dist/guard/index.mjs, each with a file of third-party licences. These
 * bundles are deployed, and the tests and the local stack run them.
 */
import { copyFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type BuildOptions, build } from 'esbuild';
import { bundleCuts } from './bundle-cuts.ts';
import { nodeBuiltins } from './node-builtins.ts';
import { thirdPartyLicences } from './third-party-licences.ts';

const ROOT = join(import.meta.dirname, '..');

/** The function that issues keys. Its session.json is in the same folder. */
export const FUNCTION_BUNDLE = join(ROOT, 'dist/lambda/index.mjs');

/** The function that alarms invoke. */
export const GUARD_BUNDLE = join(ROOT, 'dist/guard/index.mjs');

export async function buildFunctions(): Promise<void> {
  await Promise.all([
    bundle('lambda/session/handler.ts', FUNCTION_BUNDLE),
    bundle('lambda/guard/handler.ts', GUARD_BUNDLE),
  ]);
  await copyFile(join(ROOT, 'session.json'), join(dirname(FUNCTION_BUNDLE), 'session.json'));
}

async function bundle(entryPoint: string, outfile: string): Promise<void> {
  const { metafile } = await build(bundleOptions(entryPoint, outfile));
  await writeFile(join(dirname(outfile), 'third-party-licences.txt'), await thirdPartyLicences(metafile, ROOT));
}

/** Both paths are relative to the project's root, or absolute. */
export function bundleOptions(entryPoint: string, outfile: string) {
  return {
    absWorkingDir: ROOT,
    entryPoints: [entryPoint],
    outfile,
    bundle: true,
    platform: 'node',
    target: 'node24',
    format: 'esm',
    // The packages' ESM builds: half the size and half the import time of their CommonJS ones.
    mainFields: ['module', 'main'],
    minify: true,
    legalComments: 'none',
    metafile: true,
    plugins: [bundleCuts(ROOT), nodeBuiltins],
    logLevel: 'warning',
  } as const satisfies BuildOptions;
}
