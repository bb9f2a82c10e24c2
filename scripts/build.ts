/**
 * `npm run build`: builds the functions and the page. It prints the size and the import time of the main bundle, because they
 * determine its cold start.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { execPath } from 'node:process';
import { gzipSync } from 'node:zlib';
import { buildFunctions, FUNCTION_BUNDLE } from './build-function.ts';
import { buildPage, PAGE_FOLDER } from './build-page.ts';

const IMPORTS = 5;

await Promise.all([buildFunctions(), buildPage(PAGE_FOLDER)]);
const kilobytes = (bytes: number) => `${(bytes / 1_000).toFixed(0)} KB`;
const bundle = readFileSync(FUNCTION_BUNDLE);
console.log(
  `dist/lambda/index.mjs  ${kilobytes(bundle.length)} (${kilobytes(gzipSync(bundle).length)} gzipped), ` +
    `imports in ${medianImportMs().toFixed(0)} ms (median of ${IMPORTS} processes)`,
);

/** Measured in new processes, as on Lambda. Without configuration, INIT sends no requests. */
function medianImportMs(): number {
  const program = `const start = performance.now(); await import(${JSON.stringify(FUNCTION_BUNDLE)}); console.log(performance.now() - start);`;
  const times = Array.from({ length: IMPORTS }, () =>
    Number(execFileSync(execPath, ['--input-type=module', '--eval', program], { env: {}, encoding: 'utf8' })),
  );
  return times.toSorted((a, b) => a - b)[Math.floor(IMPORTS / 2)] ?? Number.NaN;
}
