/** `npm run scale`: simulates what docs/scale.md says, and writes its tables. Without chance: each run gives the same. */
import { readFileSync, writeFileSync } from 'node:fs';
import process, { argv } from 'node:process';
import { parseArgs } from 'node:util';
import { insertBetween } from './harness/markdown.ts';
import { renderEdge } from './scale/edge.ts';
import { renderHotItem } from './scale/hot-item.ts';
import { renderMillion } from './scale/million.ts';
import { renderCeilings, renderOpenAi, renderWorstDay } from './scale/worst-day.ts';

const DOCUMENT = new URL('../docs/scale.md', import.meta.url);

const HELP = `Simulates a day of abuse and a counter in parts, computes what a million requests cost, and writes the tables of
docs/scale.md anew. It takes some seconds; each run gives the same figures.

  npm run scale

Exit code: 0 the tables are written, 2 wrong usage.`;

/** @param text the document with whatever tables it has */
export function withTables(text: string): string {
  const tables = Object.entries({
    million: renderMillion,
    'worst-day': renderWorstDay,
    ceilings: renderCeilings,
    openai: renderOpenAi,
    'hot-item': renderHotItem,
    edge: renderEdge,
  });
  return tables.reduce((document, [name, render]) => insertBetween(document, name, render()), text);
}

function isHelpWanted(): boolean | Error {
  try {
    return parseArgs({ args: argv.slice(2), options: { help: { type: 'boolean', short: 'h' } } }).values.help === true;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

function main(): void {
  const help = isHelpWanted();
  if (help instanceof Error) {
    console.error(`${help.message}\n\nMore: npm run scale -- --help`);
    process.exitCode = 2;
  } else if (help) {
    console.log(HELP);
  } else {
    writeFileSync(DOCUMENT, withTables(readFileSync(DOCUMENT, 'utf8')));
    console.log('Written: the tables of docs/scale.md');
  }
}

if (import.meta.main) {
  main();
}
