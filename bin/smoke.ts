/** `npm run smoke -- URL`: reads the arguments, prints the report, sets the exit code. operator/smoke.ts does the rest. */
import process, { argv, stdout } from 'node:process';
import { parseArgs } from 'node:util';
import { runSmoke } from '../operator/smoke.ts';
import { parseFunctionUrl, parseOrigin, parseSiteUrl, parseTimeout } from '../operator/smoke-options.ts';
import { renderCheck, renderSummary } from '../operator/smoke-report.ts';

const HELP = `Checks a deployed site, or a local stack, from outside.

  npm run smoke -- URL [options]

  URL                   https://d111111abcdef8.cloudfront.net, or http://127.0.0.1:8787

  --function-url URL    also check that the function refuses calls that go around the edge
                        (a local stack's is found by itself)
  --origin ORIGIN       also check that pages of this site, one of your allowedOrigins, are served
  --timeout SECONDS     how long to wait for each answer, 1 to 120 (default 25)
  --json                the report as one line of JSON; with npm run --silent, nothing else is printed
  --help

It costs two keys, counted against your address and the limit for everybody: a second call must
find one less. If something looks wrong there - another visitor behind the same address would do -
it tries once more, which makes four. It asks for no more if the first is refused, and prints none.

Exit code: 0 nothing failed, 1 something did, 2 wrong usage.`;

const options = readArguments(argv.slice(2));
if (options === 'help') {
  console.log(HELP);
} else if (options instanceof Error) {
  console.error(`${options.message}\n\nMore: npm run smoke -- --help`);
  process.exitCode = 2;
} else {
  const { json, ...smoke } = options;
  const colours = stdout.isTTY && stdout.hasColors();
  const report = await runSmoke({
    ...smoke,
    ...(json ? {} : { onCheck: (check) => console.log(renderCheck(check, colours)) }),
  });
  console.log(json ? JSON.stringify(report) : `\n${renderSummary(report)}`);
  process.exitCode = report.passed ? 0 : 1;
}

function readArguments(args: string[]) {
  try {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: {
        'function-url': { type: 'string' },
        origin: { type: 'string' },
        timeout: { type: 'string' },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h' },
      },
    });
    if (values.help) {
      return 'help';
    }
    const [url, ...others] = positionals;
    if (url === undefined || others.length > 0) {
      throw new Error(`One URL is wanted, and ${positionals.length} were given.`);
    }
    const { 'function-url': functionUrl, origin, timeout, json } = values;
    return {
      url: parseSiteUrl(url),
      functionUrl: functionUrl === undefined ? undefined : parseFunctionUrl(functionUrl),
      origin: origin === undefined ? undefined : parseOrigin(origin),
      timeoutMs: timeout === undefined ? undefined : parseTimeout(timeout),
      json,
    };
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}
