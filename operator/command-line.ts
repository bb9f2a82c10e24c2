/** What the commands share: their surroundings, the options by which they find an issuer, and how each is described. */
import type { Command } from 'commander';
import { parsePort } from './arguments.ts';
import { type ClientConfig, type Deployment, findDeployment } from './deployment.ts';
import { wrongUsage } from './operator-error.ts';
import type { Look } from './words.ts';

/** Everything around the program, so that a test runs it as a shell would. */
export interface Surroundings {
  readonly print: (text: string) => void;
  readonly complain: (text: string) => void;
  readonly look: Look;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Who is at the keyboard, for whoever finds the issuer paused. */
  readonly user: string;
  /** Ends `watch`. */
  readonly signal: AbortSignal;
  /** The folder with cdk.json and session.json. */
  readonly folder: string;
  /** Such as `24.1.0`. */
  readonly nodeVersion: string;
  /** Beside region and profile: tests give a script for an AWS. */
  readonly client?: ClientConfig;
  readonly fetch?: typeof fetch;
}

/** Said by a command that did its work and found something wrong: exit code 1. */
export type Outcome = { failed: boolean };

export interface JsonOption {
  readonly json?: true;
}

export interface DeploymentOptions extends JsonOption {
  readonly local?: string | true;
  readonly stack?: string;
  readonly region?: string;
  readonly profile?: string;
}

const DEFAULT_PORT = '8787';

/** @param usage as commander reads it: the name, and `<ARGUMENT>` */
export function command(program: Command, usage: string, description: string, example: string): Command {
  return program
    .command(usage)
    .description(description)
    .option('--json', 'one line of JSON, for programs')
    .addHelpText('after', `\nExample:\n  ${example}`);
}

/** A command that works on an issuer, wherever it runs. */
export function commandOnIssuer(program: Command, usage: string, description: string, example: string): Command {
  return command(program, usage, description, example)
    .option('--local [PORT]', `the stack that npm start runs on this machine (default port ${DEFAULT_PORT})`)
    .option('--stack <NAME>', 'the stack on AWS (default EphemeralKeyIssuer)')
    .option('--region <REGION>', 'its region (default: AWS_REGION, or that of the profile)')
    .option('--profile <NAME>', 'whose credentials (default: AWS_PROFILE, or whatever the AWS SDK finds)');
}

/**
 * ` --local 8788`: the options by which a command that is advised finds the same issuer. Without them, somebody who paused a
 * local stack and copies the advice would resume the one on AWS.
 */
export function sameIssuer({ local, ...onAws }: DeploymentOptions): string {
  const named = (['stack', 'region', 'profile'] as const).flatMap((name) =>
    onAws[name] === undefined ? [] : ` --${name} ${onAws[name]}`,
  );
  return local === undefined ? named.join('') : ` --local${local === true ? '' : ` ${local}`}`;
}

/** @throws OperatorError if there is none, or AWS does not say */
export async function deploymentFor(options: DeploymentOptions, surroundings: Surroundings): Promise<Deployment> {
  return await findDeployment({
    local: localPort(options),
    stack: options.stack,
    profile: options.profile,
    client: clientConfig(options, surroundings),
    sameIssuer: sameIssuer(options),
  });
}

/** @throws OperatorError if it is mixed with options for AWS */
export function localPort({ local, stack, region, profile }: DeploymentOptions): string | undefined {
  if (local === undefined) {
    return undefined;
  }
  if ((stack ?? region ?? profile) !== undefined) {
    throw wrongUsage(
      '--local means a stack on this machine; --stack, --region and --profile, one on AWS. Give one or the other.',
    );
  }
  return parsePort(local === true ? DEFAULT_PORT : local);
}

export function clientConfig({ region, profile }: DeploymentOptions, { client }: Surroundings): ClientConfig {
  return { ...client, ...(region === undefined ? {} : { region }), ...(profile === undefined ? {} : { profile }) };
}

/** One line of JSON, or words. */
export function printReport<Report>(
  { print }: Surroundings,
  { json }: JsonOption,
  report: Report,
  render: (report: Report) => string,
): void {
  print(`${json === true ? JSON.stringify(report) : render(report)}\n`);
}
