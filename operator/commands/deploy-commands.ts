/** The commands around a deploy: doctor before it, smoke after it, and what it may cost. Their arguments. */
import { LambdaClient } from '@aws-sdk/client-lambda';
import { SSMClient } from '@aws-sdk/client-ssm';
import type { Command } from 'commander';
import { parseNumber, parseWhole } from '../command-line/argument-parsers.ts';
import {
  clientConfig,
  command,
  commandOnIssuer,
  type DeploymentOptions,
  deploymentFor,
  type JsonOption,
  localPort,
  type Outcome,
  printReport,
  type Surroundings,
  sameIssuer,
} from '../command-line/shared-options.ts';
import { wrongUsage } from '../operator-error.ts';
import { parseFunctionUrl, parseOrigin, parseSiteUrl, parseTimeout } from '../smoke/options.ts';
import { renderCheck, renderSummary } from '../smoke/report.ts';
import { runSmoke } from '../smoke/smoke.ts';
import { readProject } from '../stack/project.ts';
import { cost, renderCost } from './cost.ts';
import { type DoctorOptions, runDoctor } from './doctor.ts';

const MOST_KEYS = 1_000_000_000;
const MOST_SESSIONS = 1_000;
const HIGHEST_PER_MINUTE = 1_000;

interface SmokeArguments extends JsonOption {
  readonly functionUrl?: string;
  readonly origin?: string;
  readonly timeout?: string;
}

interface CostArguments extends JsonOption {
  readonly keys: string;
  readonly refused: string;
  readonly sessions?: string;
  readonly perMinute?: string;
}

export function addDeployCommands(program: Command, surroundings: Surroundings, outcome: Outcome): void {
  const { print, look } = surroundings;
  const printCheck = (check: Parameters<typeof renderCheck>[0]) => print(`${renderCheck(check, look.colours)}\n`);

  commandOnIssuer(
    program,
    'doctor',
    'Finds before a deploy what would make it fail, with the command that mends it. Changes nothing.',
    'issuer doctor --live',
  )
    .option('--live', 'also try the OpenAI key: one key is made and thrown away')
    .action(async (options: DeploymentOptions & { readonly live?: true }) => {
      const asked = await doctorOptions(options, surroundings);
      const report = await runDoctor({ ...asked, ...(options.json === true ? {} : { onCheck: printCheck }) });
      outcome.failed = !report.passed;
      const failed = report.checks.filter(({ result }) => result === 'fail').map(({ name }) => name);
      printReport(surroundings, options, report, () =>
        report.passed ? '\nNothing stands in the way.' : `\nTo be mended first: ${failed.join(', ')}.`,
      );
    });

  command(
    program,
    'smoke <URL>',
    'Checks a deployed site, or a local stack, from outside. Of the API’s URL, the site is taken.',
    'issuer smoke https://d111111abcdef8.cloudfront.net',
  )
    .option(
      '--function-url <URL>',
      "also check that the function refuses calls that go around the edge (a local stack's is found by itself)",
    )
    .option('--origin <ORIGIN>', 'also check that pages of this site, one of your allowedOrigins, are served')
    .option('--timeout <SECONDS>', 'how long to wait for each answer, 1 to 120 (default 25)')
    .addHelpText(
      'after',
      `
It costs two keys, counted against your address and the limit for everybody: a second call must
find one less. If something looks wrong there - another visitor behind the same address would do -
it tries once more, which makes four. It asks for no more if the first is refused, and prints none.`,
    )
    .action(async (url: string, options: SmokeArguments) => {
      const { functionUrl, origin, timeout } = options;
      const report = await runSmoke({
        ...inUsage(() => ({
          url: parseSiteUrl(url),
          functionUrl: functionUrl === undefined ? undefined : parseFunctionUrl(functionUrl),
          origin: origin === undefined ? undefined : parseOrigin(origin),
          timeoutMs: timeout === undefined ? undefined : parseTimeout(timeout),
        })),
        ...(options.json === true ? {} : { onCheck: printCheck }),
      });
      outcome.failed = !report.passed;
      printReport(surroundings, options, report, (each) => `\n${renderSummary(each)}`);
    });

  command(
    program,
    'cost',
    'What so many keys and refusals in a month can cost: OpenAI at worst, then AWS item by item.',
    'issuer cost --keys 15000 --refused 1000000',
  )
    .requiredOption('--keys <N>', 'keys handed out in the month')
    .requiredOption('--refused <M>', 'requests refused in the month')
    .option('--sessions <N>', 'sessions that each key opens; it can open several (default 1)')
    .option('--per-minute <DOLLARS>', 'what a minute with your model costs you, from your own bill')
    .action(async (options: CostArguments) => {
      const range = { least: 0, most: MOST_KEYS };
      const { sessions = '1', perMinute } = options;
      const asked = {
        keys: parseWhole('--keys', options.keys, range),
        refused: parseWhole('--refused', options.refused, range),
        sessions: parseWhole('--sessions', sessions, { least: 1, most: MOST_SESSIONS }),
        perMinute:
          perMinute === undefined
            ? undefined
            : parseNumber('--per-minute', perMinute, { least: 0, most: HIGHEST_PER_MINUTE }),
      };
      const { session } = await readProject(surroundings.folder);
      printReport(surroundings, options, cost({ ...asked, model: session.model }), renderCost);
    });
}

/** Before a deploy there may be no stack yet; then nothing is held that the deploy would give back. */
async function doctorOptions(
  options: DeploymentOptions & { readonly live?: true },
  surroundings: Surroundings,
): Promise<DoctorOptions> {
  const { keyParameter, openaiBaseUrl, reservedConcurrency, session } = await readProject(surroundings.folder);
  const { nodeVersion, fetch = globalThis.fetch } = surroundings;
  const shared = { liveCommand: `issuer doctor --live${sameIssuer(options)}`, nodeVersion, fetch };
  if (localPort(options) !== undefined) {
    const { ssm, keyParameter: name, configuration } = await deploymentFor(options, surroundings);
    const { openaiBaseUrl: baseUrl } = await configuration();
    const live = options.live === true ? { baseUrl, session } : undefined;
    return { aws: undefined, ssm, keyParameter: name, live, ...shared };
  }
  const client = clientConfig(options, surroundings);
  return {
    aws: {
      lambda: new LambdaClient(client),
      reservedConcurrency,
      async functionName() {
        const { place } = await deploymentFor(options, surroundings);
        return place.kind === 'aws' ? place.functionName : undefined;
      },
    },
    ssm: new SSMClient(client),
    keyParameter,
    live: options.live === true ? { baseUrl: openaiBaseUrl, session } : undefined,
    ...shared,
  };
}

function inUsage<Value>(parse: () => Value): Value {
  try {
    return parse();
  } catch (error) {
    throw wrongUsage(error instanceof Error ? error.message : String(error));
  }
}
