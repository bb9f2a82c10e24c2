/** Every link of every document leads to a file that exists, and to a heading that is in it. */
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { anchors, DOCUMENTS, links, ROOT, readDocument } from '../support/documentation.ts';

describe.each(DOCUMENTS)('%s', async (document) => {
  const text = await readDocument(document);
  const here = links(text)
    .filter((link) => !/^https?:/.test(link))
    .map((link) => {
      const [path = '', anchor] = link.split('#');
      return { path: path === '' ? document : join(document, '..', path), anchor };
    });

  it('links to what is there', async () => {
    for (const { path } of here) {
      await expect(access(join(ROOT, path)), path).resolves.toBeUndefined();
    }
  });

  it('links to headings that are there', async () => {
    for (const { path, anchor } of here) {
      if (anchor !== undefined && path.endsWith('.md')) {
        expect(anchors(await readDocument(path)), `${path}#${anchor}`).toContain(decodeURIComponent(anchor));
      }
    }
  });
});

it('every document is reached from the README', async () => {
  const reached = new Set<string>();
  const visit = async (document: string): Promise<void> => {
    if (reached.has(document) || !DOCUMENTS.includes(document)) {
      return;
    }
    reached.add(document);
    for (const link of links(await readDocument(document))) {
      await visit(join(document, '..', link.split('#')[0] ?? ''));
    }
  };
  await visit('README.md');
  expect(DOCUMENTS.filter((document) => !reached.has(document))).toEqual([]);
});
