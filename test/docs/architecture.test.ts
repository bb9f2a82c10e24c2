/** ARCHITECTURE.md names files, folders and identifiers that exist, and every folder of the sources. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { codeSpans, ROOT, readDocument, section } from '../support/documentation.ts';

const text = await readDocument('ARCHITECTURE.md');
const spans = [...new Set(codeSpans(text))];
/** Where a path in the text may begin: in the repository, in the table's folder, or beside the file named before it. */
const PLACES = ['', 'lambda', 'test/limiter/proofs'];
const SOURCES = ['analyzer', 'bench', 'lambda', 'lib', 'limiter', 'local', 'operator', 'web'];

describe('ARCHITECTURE.md', () => {
  it.each(spans.filter((span) => /^[\w-]+(\/[\w.-]+)*(\/|\.(ts|json|md))$/.test(span)))(
    'names %s, which exists',
    (path) => {
      expect(PLACES.filter((place) => existsSync(join(ROOT, place, path)))).not.toEqual([]);
    },
  );

  it('names every folder of the sources that others read, but for those of the benchmarks', () => {
    const folders = SOURCES.filter((folder) => folder !== 'bench').flatMap((folder) =>
      readdirSync(join(ROOT, folder), { withFileTypes: true })
        .filter((entry) => entry.isDirectory())
        .map(({ name }) => `${folder}/${name}/`),
    );
    expect(folders.filter((folder) => !spans.includes(folder))).toEqual([]);
  });

  it('names every file of lambda/ that a request passes', () => {
    const files = readdirSync(join(ROOT, 'lambda'), { recursive: true, encoding: 'utf8' });
    const helpers = ['answers/language.ts', 'aws-timeouts.ts', 'error-message.ts', 'unknown-value.ts'];
    const unnamed = files.filter(
      (file) => file.endsWith('.ts') && !spans.some((span) => span === file || span === `lambda/${file}`),
    );
    expect(unnamed.toSorted()).toEqual(helpers);
  });

  it('says how to add each kind of thing', () => {
    const headings = [...section(text, 'How to add').matchAll(/^### (.*)$/gm)].map(([, heading]) => heading);
    expect(headings).toEqual([
      'A limit algorithm',
      'A problem code',
      'A variable',
      'An alarm',
      'A log format',
      'A retry pattern',
    ]);
  });

  it('names identifiers where they are', () => {
    const steps = section(text, 'How to add').matchAll(/^\d\. `(?<file>[\w/.-]+\.ts)`: (?<step>.*)$/gm);
    for (const { groups } of steps) {
      const source = readFileSync(join(ROOT, groups?.['file'] ?? ''), 'utf8');
      for (const name of codeSpans(groups?.['step'] ?? '').filter((span) => /^\w+$/.test(span))) {
        expect(source, `${name} in ${groups?.['file']}`).toMatch(new RegExp(`\\b${name}\\b`));
      }
    }
  });
});
