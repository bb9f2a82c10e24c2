/** The arguments of the commands around a deployment: `doctor` before it, `smoke` after it, and `cost`. */
import { ACMClient } from '@aws-sdk/client-acm';
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
import { usageError } from '../operator-error.ts';
import { parseFunctionUrl, parseOrigin, parseSiteUrl, parseTimeout } from '../smoke/options.ts';
import { renderCheck, renderSummary } from '../smoke/report.ts';
import { runSmoke } from '../smoke/smoke.ts';
import { readProject } from '../stack/project.ts';
import { CERTIFICATE_REGION } from './certificate.ts';
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

  commandOnIssuer(program, {
    usage: 'doctor',
    description: 'Check everything a deployment needs and print the command that fixes each problem. Changes nothing.',
    example: 'issuer doctor --live',
  })
    .option('--live', 'also test the OpenAI key: create one ephemeral key and discard it')
    .action(async (options: DeploymentOptions & { readonly live?: true }) => {
      const checked = await doctorOptions(options, surroundings);
      const report = await runDoctor({ ...checked, ...(options.json === true ? {} : { onCheck: printCheck }) });
      outcome.failed = !report.passed;
      const failed = report.checks.filter(({ result }) => result === 'fail').map(({ name }) => name);
      printReport(surroundings, options, report, () =>
        report.passed ? '\nNo problems found.' : `\nFix before you deploy: ${failed.join(', ')}.`,
      );
    });

  command(program, {
    usage: 'smoke <URL>',
    description: 'Check a deployed site or a local stack from outside. URL is the site, or its API.',
    example: 'issuer smoke https://d111111abcdef8.cloudfront.net',
  })
    .option(
      '--function-url <URL>',
      'also check that the function refuses requests that bypass the edge (found automatically for a local stack)',
    )
    .option('--origin <ORIGIN>', 'also check that pages of this origin, one of your allowedOrigins, are served')
    .option('--timeout <SECONDS>', 'timeout of each request in seconds, 1 to 120 (default 25)')
    .addHelpText(
      'after',
      `
The check uses two keys, which count against your address and the limit for everybody: after the
second key, the remaining number must be one lower. If it is not, for example because another
visitor shares your address, the check repeats this with two more keys. If the first request gets
no key, it requests no others. It never prints a key.`,
    )
    .action(async (url: string, options: SmokeArguments) => {
      const { functionUrl, origin, timeout } = options;
      const report = await runSmoke({
        ...asUsageError(() => ({
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

  command(program, {
    usage: 'cost',
    description: "Estimate the cost of a month: OpenAI's worst case, then AWS item by item.",
    example: 'issuer cost --keys 15000 --refused 1000000',
  })
    .requiredOption('--keys <N>', 'keys issued in the month')
    .requiredOption('--refused <M>', 'requests refused in the month')
    .option('--sessions <N>', 'sessions that each key opens; a key can open several (default 1)')
    .option('--per-minute <DOLLARS>', 'price of a minute with your model, from your own bill')
    .action(async (options: CostArguments) => {
      const range = { least: 0, most: MOST_KEYS };
      const { sessions = '1', perMinute } = options;
      const parsed = {
        keys: parseWhole('--keys', options.keys, range),
        refused: parseWhole('--refused', options.refused, range),
        sessions: parseWhole('--sessions', sessions, { least: 1, most: MOST_SESSIONS }),
        perMinute:
          perMinute === undefined
            ? undefined
            : parseNumber('--per-minute', perMinute, { least: 0, most: HIGHEST_PER_MINUTE }),
      };
      const { session } = await readProject(surroundings.folder);
      printReport(surroundings, options, cost({ ...parsed, model: session.model }), renderCost);
    });
}

/** Before the first deployment there is no stack. `functionName` then rejects, and no concurrency is reserved yet. */
async function doctorOptions(
  options: DeploymentOptions & { readonly live?: true },
  surroundings: Surroundings,
): Promise<DoctorOptions> {
  const { keyParameter, openaiBaseUrl, reservedConcurrency, session, domain } = await readProject(surroundings.folder);
  const { nodeVersion, now, fetch = globalThis.fetch } = surroundings;
  const shared = { liveCommand: `issuer doctor --live${sameIssuer(options)}`, nodeVersion, now, fetch };
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
      acm: new ACMClient({ ...client, region: CERTIFICATE_REGION }),
      domain,
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

function asUsageError<Value>(parse: () => Value): Value {
  try {
    return parse();
  } catch (error) {
    throw usageError(error instanceof Error ? error.message : String(error));
  }
}
