import { readFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import type { SoundProblem } from '../../../web/demo/page-state.ts';
import { TEXTS } from '../../../web/demo/texts/languages.ts';
import { codeBlocks } from '../../support/documentation.ts';

/** @returns the size of a bundle with these exports, minified and gzipped */
async function sizeOf(names: string): Promise<number> {
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

describe('the client, including its part of resilience', () => {
  it.each([
    ['*', 7 * 1024],
    ['{ createVoiceCall }', 5.5 * 1024],
    ['{ requestSessionKey }', 2 * 1024],
  ])('export %s is at most %i bytes', async (names, limit) => {
    expect(await sizeOf(names)).toBeLessThanOrEqual(limit);
  });
});

describe('its documentation', () => {
  it.each(['page', 'agents-realtime'].map((name, index) => [name, index] as const))(
    'shows the example %s exactly as it is compiled',
    async (name, index) => {
      const example = await readFile(`docs/examples/client/${name}.ts`, 'utf8');
      const shown = (await codeBlocks('docs/client.md', 'ts'))[index];
      expect(shown).toBe(example.replace('../../../web/client/index.ts', 'ephemeral-key-issuer/client'));
    },
  );

  it('lists every reason and every notice', async () => {
    const { failed, ended, notice } = TEXTS.en;
    const documented = await readFile('docs/client.md', 'utf8');
    const rows = [failed, ended, notice].flatMap((texts) => Object.keys(texts));
    const ofThePageOnly: string[] = ['sound-failed' satisfies SoundProblem];
    const missing = rows.filter((name) => !documented.includes(`\n| \`${name}\` `));
    expect(missing).toEqual(ofThePageOnly);
  });
});
