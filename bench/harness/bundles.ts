/** Builds the functions that are measured into dist/bench: ours as it is deployed, and the peers with the usual options. */
import { readFileSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';
import { bundleOptions } from '../../scripts/build-function.ts';

const FOLDER = join(import.meta.dirname, '../../dist/bench');

export const BUNDLES = ['issuer', 'two-clients', 'signed-fetch', 'typical'] as const;

export type BundleName = (typeof BUNDLES)[number];

export function bundlePath(name: BundleName | 'function-process' | 'stubbed'): string {
  return join(FOLDER, `${name}.mjs`);
}

export function bundleBytes(name: BundleName): number {
  return readFileSync(bundlePath(name)).length;
}

/** Some packages call require(), which does not exist in ESM. */
const REQUIRE = { js: "import{createRequire}from'node:module';const require=createRequire(import.meta.url);" };

export async function buildBundles(): Promise<void> {
  const { plugins: _, ...usual } = bundleOptions('', '');
  const peers = ['two-clients', 'signed-fetch', 'typical'] as const;
  await Promise.all([
    build(bundleOptions('lambda/session/handler.ts', bundlePath('issuer'))),
    ...peers.map((name) =>
      build({ ...usual, entryPoints: [`bench/functions/${name}.ts`], outfile: bundlePath(name), banner: REQUIRE }),
    ),
    build(bundleOptions('bench/harness/function-process.ts', bundlePath('function-process'))),
    build({
      ...bundleOptions('lambda/session/handler.ts', bundlePath('stubbed')),
      alias: {
        '@aws-sdk/client-dynamodb': './bench/functions/stubbed-dynamodb.ts',
        '@aws-sdk/client-ssm': './bench/functions/stubbed-ssm.ts',
      },
    }),
  ]);
  await copyFile(join(import.meta.dirname, '../../session.json'), join(FOLDER, 'session.json'));
}
