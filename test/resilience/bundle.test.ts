import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';

/** The bundle of a program that imports these names. */
async function bundle(names: string) {
  const result = await build({
    stdin: { contents: `export ${names} from './resilience/index.ts';`, resolveDir: process.cwd() },
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    platform: 'neutral',
    metafile: true,
    write: false,
  });
  const [output] = Object.values(result.metafile.outputs);
  const inputs = Object.entries(output?.inputs ?? {}).filter(([, { bytesInOutput }]) => bytesInOutput > 0);
  return { code: result.outputFiles[0]?.contents ?? new Uint8Array(), files: inputs.map(([path]) => path) };
}

describe('the bundle', () => {
  it('is at most 4 KB, minified and gzipped', async () => {
    const { code } = await bundle('*');
    expect(gzipSync(code, { level: 9 }).length).toBeLessThanOrEqual(4_096);
  });

  it.each([
    ['{ parseRetryAfter }', ['retry-after.ts']],
    ['{ fullJitter }', ['backoff.ts']],
    ['{ takeToken }', ['check-above-zero.ts', 'token-bucket.ts']],
    ['{ createIdempotencyKey }', ['idempotency-key.ts']],
    ['{ classify }', ['classify.ts', 'retry-after.ts']],
    ['{ createTokenBuckets }', ['check-above-zero.ts', 'clock.ts', 'token-bucket.ts', 'token-buckets.ts']],
  ])('of %s contains only the files it needs', async (names, files) => {
    expect((await bundle(names)).files.sort()).toEqual(files.map((file) => `resilience/${file}`));
  });
});

describe('the source', () => {
  it.each([
    ['a browser', ['--lib', 'es2022,dom,dom.iterable', '--types', '']],
    ['Node', ['--lib', 'es2022', '--types', 'node']],
  ])('compiles with only the types of %s', { timeout: 60_000 }, async (_where, options) => {
    const strict = ['--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess', '--skipLibCheck'];
    const modules = ['--module', 'nodenext', '--allowImportingTsExtensions', '--noEmit', '--ignoreConfig'];
    const run = promisify(execFile)('node_modules/.bin/tsc', [
      ...strict,
      ...modules,
      ...options,
      'resilience/index.ts',
    ]);
    // tsc prints errors on standard output.
    expect(await run.catch(({ stdout }) => ({ stdout }))).toMatchObject({ stdout: '' });
  });
});
