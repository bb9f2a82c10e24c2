/** Builds the demo page: three files without hashes in their names, so that a cache must ask whether they are current. */
import { join } from 'node:path';
import { build, type Plugin } from 'esbuild';

/** Where it is built for the local stack and for a deploy. */
export const PAGE_FOLDER = join(import.meta.dirname, '../dist/web');

const SOURCES = ['index.html', 'demo.css', 'demo.ts'];

/**
 * @param outdir a folder, made if absent
 * @param plugins with which a test puts something of its own in a part's place
 */
export async function buildPage(outdir: string, plugins: Plugin[] = []): Promise<void> {
  const demo = join(import.meta.dirname, '../web/demo');
  await build({
    entryPoints: SOURCES.map((source) => join(demo, source)),
    outdir,
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    // Japanese as it is, not as \u escapes of twice the size.
    charset: 'utf8',
    loader: { '.html': 'copy' },
    plugins,
    logLevel: 'warning',
  });
}
