/** `node bench/analyzer.ts`: the analyzer's part of `npm run bench`, at another size. */
import { exit } from 'node:process';
import { parseArgs } from 'node:util';
import { renderParts } from './figures.ts';
import { measureAnalyzer } from './parts/analyzer.ts';

const HELP = `Analyses a generated log with ours, JSON.parse, stream-json and a plain Python script.

  node bench/analyzer.ts [--size MB] [--runs N] [--ours]

  --size MB   how large the log is (default 200); JSON.parse and Python hold it several times over
  --runs N    the median of so many (default 3)
  --ours      ours alone, for sizes that the others cannot hold: --size 2000 --ours`;

const { values } = parseArgs({
  options: {
    size: { type: 'string', default: '200' },
    runs: { type: 'string', default: '3' },
    ours: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h' },
  },
});
const [megabytes, runs] = [Number(values.size), Number(values.runs)];
if (values.help || !(megabytes > 0 && runs > 0)) {
  console.log(HELP);
  exit(values.help ? 0 : 1);
}
console.log(renderParts([await measureAnalyzer({ megabytes, runs, oursAlone: values.ours })]));
