/** `npm run scale`: simulates what docs/scale.md says, and writes its tables. Without chance: each run gives the same. */
import { readFileSync, writeFileSync } from 'node:fs';
import { insertBetween } from './markdown.ts';
import { renderHotItem } from './scale/hot-item.ts';
import { renderMillion } from './scale/million.ts';
import { renderOpenAi, renderWorstDay } from './scale/worst-day.ts';

const DOCUMENT = new URL('../docs/scale.md', import.meta.url);

/** @param text the document with whatever tables it has */
export function withTables(text: string): string {
  const tables = Object.entries({
    million: renderMillion,
    'worst-day': renderWorstDay,
    openai: renderOpenAi,
    'hot-item': renderHotItem,
  });
  return tables.reduce((document, [name, render]) => insertBetween(document, name, render()), text);
}

if (import.meta.main) {
  writeFileSync(DOCUMENT, withTables(readFileSync(DOCUMENT, 'utf8')));
  console.log('Written: the tables of docs/scale.md');
}
