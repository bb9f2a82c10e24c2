/** Builds the demo page: three files without hashes in their names, so caches must revalidate them. */
import { join } from 'node:path';
import { build, type Plugin } from 'esbuild';

/** The output folder for the local stack and for a deployment. */
export const PAGE_FOLDER = join(import.meta.dirname, '../dist/web');

const SOURCES = ['index.html', 'demo.css', 'demo.ts'];

/**
 * @param outdir a folder, created if it does not exist
 * @param plugins for tests, to replace parts of the page
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
    // Keeps Japanese text as it is: \u escapes would double its size.
    charset: 'utf8',
    loader: { '.html': 'copy' },
    plugins,
    logLevel: 'warning',
  });
}
