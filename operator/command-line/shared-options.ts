/** What the commands share: their surroundings, the options by which they find an issuer, and how each is described. */
import type { Command, Option } from 'commander';
import { wrongUsage } from '../operator-error.ts';
import type { Look } from '../output/terminal-text.ts';
import { PATIENCE } from '../stack/aws-timeouts.ts';
import { type ClientConfig, type Deployment, findDeployment } from '../stack/deployment.ts';
import { MESSAGE_FORM, type Message, parseMessage, parsePort } from './argument-parsers.ts';
import { OptionWithForm } from './option-values.ts';

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
  readonly local?: string;
  readonly stack?: string;
  readonly region?: string;
  readonly profile?: string;
}

const DEFAULT_PORT = '8787';
/** No address and no pseudonym is so short a number. */
const PORT_FORM = /^\d{1,9}$/;

/** @param usage as commander reads it: the name, and `<ARGUMENT>` */
export function command(program: Command, usage: string, description: string, example: string): Command {
  return program
    .command(usage)
    .description(description)
    .option('--json', 'one line of JSON, for programs')
    .addHelpText('after', `\nExample:\n  ${example}`)
    .showHelpAfterError(`A right call: ${example}\nMore: issuer ${usage.split(' ', 1)[0]} --help`)
    .allowExcessArguments()
    .hook('preAction', (_, called) => refuseExcess(called, example));
}

/** Commander says only how many there are, and not which one it is. */
function refuseExcess(called: Command, example: string): void {
  const { args, registeredArguments } = called;
  const excess = args[registeredArguments.length];
  if (excess !== undefined) {
    const names = registeredArguments.map((argument) => argument.name());
    const takes = names.length === 0 ? 'no argument' : `${names.join(' ')} alone`;
    throw wrongUsage(
      `${JSON.stringify(excess)} is one argument too many: ${called.name()} takes ${takes}. A right call: ${example}`,
    );
  }
}

/** A command that works on an issuer, wherever it runs. */
export function commandOnIssuer(program: Command, usage: string, description: string, example: string): Command {
  return command(program, usage, description, example)
    .addOption(
      new OptionWithForm('--local [PORT]', `the stack that npm start runs on this machine (default ${DEFAULT_PORT})`, {
        form: PORT_FORM,
        bare: DEFAULT_PORT,
      }),
    )
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
  return local === undefined ? named.join('') : ` --local ${local}`;
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
  return parsePort(local);
}

export function clientConfig({ region, profile }: DeploymentOptions, { client }: Surroundings): ClientConfig {
  return {
    ...PATIENCE,
    ...client,
    ...(region === undefined ? {} : { region }),
    ...(profile === undefined ? {} : { profile }),
  };
}

export interface MessageOption {
  readonly message?: Message;
}

/** @param whoReads `what visitors read` */
export function messageOption(whoReads: string): Option {
  const description = `${whoReads}, by language: ja=… en=…`;
  return new OptionWithForm('--message <WORDS...>', description, { form: MESSAGE_FORM }).argParser(parseMessage);
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
