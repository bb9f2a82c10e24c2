import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { thirdPartyLicences } from '../../scripts/third-party-licences.ts';

const root = mkdtempSync(join(tmpdir(), 'issuer-licences-'));
const FILES = {
  'ours.js': "export * from './own/ours.js';",
  'own/ours.js': 'export const ours = 1;',
  ...dependency('@one/with-text', 'Apache-2.0', { LICENSE: 'The text of Apache 2\n' }),
  ...dependency('without-text', 'Apache-2.0'),
  ...dependency('two', 'MIT', { 'licence.md': 'Copyright Two\n' }),
  ...dependency('lonely', 'ISC'),
};

function dependency(name: string, license: string, text: Readonly<Record<string, string>> = {}) {
  const files = {
    'package.json': JSON.stringify({ name, license }),
    'index.js': 'export default globalThis;',
    ...text,
  };
  return Object.fromEntries(Object.entries(files).map(([file, content]) => [`node_modules/${name}/${file}`, content]));
}

beforeAll(() => {
  for (const [file, content] of Object.entries(FILES)) {
    mkdirSync(join(root, dirname(file)), { recursive: true });
    writeFileSync(join(root, file), content);
  }
});
afterAll(() => rmSync(root, { recursive: true }));

async function licencesOf(program: string): Promise<string> {
  const stdin = { contents: program, resolveDir: root };
  const { metafile } = await build({ absWorkingDir: root, stdin, bundle: true, metafile: true, write: false });
  return await thirdPartyLicences(metafile, root);
}

describe('the licences of a bundle', () => {
  it('are those of its packages, without our own files', async () => {
    expect(await licencesOf("import two from 'two'; import { ours } from './ours.js'; two.x = ours;")).toBe(
      'two (MIT)\n\nCopyright Two\n',
    );
  });

  it('leave out a package whose code was removed', async () => {
    expect(await licencesOf("import { ours } from './ours.js'; import unused from 'lonely'; x = ours;")).toBe('');
  });

  it('contain each text once, also for a package without its own text', async () => {
    expect(await licencesOf("import a from '@one/with-text'; import b from 'without-text'; a.x = b;")).toBe(
      '@one/with-text (Apache-2.0)\nwithout-text (Apache-2.0)\n\nThe text of Apache 2\n',
    );
  });

  it('fail the build if no package has the text', async () => {
    await expect(licencesOf("import a from 'lonely'; a.x = 1;")).rejects.toThrow(
      'lonely is in the bundle under the licence "ISC", but no package contains the text of that licence',
    );
  });
});
