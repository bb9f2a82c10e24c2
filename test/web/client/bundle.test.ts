import { readFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { codeBlocks } from '../../support/documentation.ts';

/** Of what a page loads that exports these names, minified and gzipped. */
async function bytesOf(names: string): Promise<number> {
  const result = await build({
    stdin: { contents: `export ${names} from './web/client/index.ts';`, resolveDir: process.cwd() },
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    write: false,
  });
  return gzipSync(result.outputFiles[0]?.contents ?? '', { level: 9 }).length;
}

describe('the client, with what it uses of resilience,', () => {
  it.each([
    ['*', 7 * 1024],
    ['{ createVoiceCall }', 5 * 1024],
    ['{ requestSessionKey }', 2 * 1024],
  ])('is small: %s', async (names, limit) => {
    expect(await bytesOf(names)).toBeLessThanOrEqual(limit);
  });
});

describe('its documentation', () => {
  it.each(['page', 'agents-realtime'].map((name, index) => [name, index] as const))(
    'shows the example %s as it is compiled',
    async (name, index) => {
      const example = await readFile(`docs/examples/client/${name}.ts`, 'utf8');
      const shown = (await codeBlocks('docs/client.md', 'ts'))[index];
      expect(shown).toBe(example.replace('../../../web/client/index.ts', 'ephemeral-key-issuer/client'));
    },
  );
});
