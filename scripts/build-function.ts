/**
 * Builds the function's bundle, dist/lambda/index.mjs, with session.json and the licences of what it holds beside it:
 * what is deployed, what the tests run and what the local stack invokes.
 */
import { copyFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';
import { thirdPartyLicences } from './third-party-licences.ts';

const ROOT = join(import.meta.dirname, '..');

export const FUNCTION_BUNDLE = join(ROOT, 'dist/lambda/index.mjs');

export async function buildFunction(): Promise<void> {
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: ['lambda/handler.ts'],
    outfile: FUNCTION_BUNDLE,
    bundle: true,
    platform: 'node',
    target: 'node24',
    format: 'esm',
    // The packages' ESM builds: half the size and half the import time of their CommonJS ones.
    mainFields: ['module', 'main'],
    minify: true,
    legalComments: 'none',
    metafile: true,
    // Some dependencies still call require(), which ESM does not have.
    banner: { js: "import{createRequire}from'node:module';const require=createRequire(import.meta.url);" },
    logLevel: 'warning',
  });
  await copyFile(join(ROOT, 'session.json'), join(ROOT, 'dist/lambda/session.json'));
  await writeFile(join(ROOT, 'dist/lambda/third-party-licences.txt'), await thirdPartyLicences(metafile, ROOT));
}
