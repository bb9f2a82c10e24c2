/** `npm run scale`: runs the simulations of docs/scale.md and writes its tables. Every run gives the same figures. */
import { readFileSync, writeFileSync } from 'node:fs';
import process, { argv } from 'node:process';
import { parseArgs } from 'node:util';
import { insertBetween } from './harness/markdown.ts';
import { renderEdge } from './scale/edge.ts';
import { renderHotItem } from './scale/hot-item.ts';
import { renderMillion } from './scale/million.ts';
import { renderCeilings, renderOpenAi, renderWorstDay } from './scale/worst-day.ts';

const DOCUMENT = new URL('../docs/scale.md', import.meta.url);

const HELP = `Simulate a day of attacks and a sharded counter, compute the cost of a million requests, and update the tables in
docs/scale.md. It takes a few seconds; every run gives the same figures.

  npm run scale

Exit code: 0 the tables are written, 2 invalid arguments.`;

/** @returns the document with new tables */
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

function readHelpOption(): boolean | Error {
  try {
    return parseArgs({ args: argv.slice(2), options: { help: { type: 'boolean', short: 'h' } } }).values.help === true;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

function main(): void {
  const help = readHelpOption();
  if (help instanceof Error) {
    console.error(`${help.message}\n\nMore: npm run scale -- --help`);
    process.exitCode = 2;
  } else if (help) {
    console.log(HELP);
  } else {
    writeFileSync(DOCUMENT, withTables(readFileSync(DOCUMENT, 'utf8')));
    console.log('Written: the tables in docs/scale.md');
  }
}

if (import.meta.main) {
  main();
}
