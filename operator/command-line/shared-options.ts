/** Shared by all commands: their surroundings, their help, and the options that select an issuer. */
import type { Command, Option } from 'commander';
import { usageError } from '../operator-error.ts';
import type { Look } from '../output/terminal-text.ts';
import { AWS_TIMEOUTS } from '../stack/aws-timeouts.ts';
import { type ClientConfig, type Deployment, findDeployment } from '../stack/deployment.ts';
import { MESSAGE_FORM, type Message, parseMessage, parsePort } from './argument-parsers.ts';
import { OptionWithForm } from './option-values.ts';

/** What the program gets from its process. Tests pass their own. */
export interface Surroundings {
  readonly print: (text: string) => void;
  readonly printError: (text: string) => void;
  readonly look: Look;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Who runs the command. A pause records it as its author. */
  readonly user: string;
  /** Ends `watch`. */
  readonly signal: AbortSignal;
  /** The folder with cdk.json and session.json. */
  readonly folder: string;
  /** Such as `24.1.0`. */
  readonly nodeVersion: string;
  /** Further configuration of the AWS clients: tests pass a scripted AWS. */
  readonly client?: ClientConfig;
  readonly fetch?: typeof fetch;
}

/** Set by a command that completed and found a problem: exit code 1. */
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
/** No address and no pseudonym is a number this short. */
const PORT_FORM = /^\d{1,9}$/;

export interface CommandTexts {
  /** As commander reads it: the name, and `<ARGUMENT>`. */
  readonly usage: string;
  /** A sentence that starts with a verb in the imperative. */
  readonly description: string;
  readonly example: string;
  /** Introduces the example where an unexpected argument is reported. @default `For example` */
  readonly exampleShows?: string;
}

export function command(program: Command, texts: CommandTexts): Command {
  const { usage, description, example } = texts;
  return program
    .command(usage)
    .description(description)
    .option('--json', 'print one line of JSON, for programs')
    .addHelpText('after', `\nExample:\n  ${example}`)
    .showHelpAfterError(`For example: ${example}\nHelp: issuer ${usage.split(' ', 1)[0]} --help`)
    .allowExcessArguments()
    .hook('preAction', (_, called) => refuseExcess(called, texts));
}

/** Commander would report only how many arguments there are, not which one is unexpected. */
function refuseExcess(called: Command, { example, exampleShows = 'For example' }: CommandTexts): void {
  const { args, registeredArguments } = called;
  const excess = args[registeredArguments.length];
  if (excess !== undefined) {
    const names = registeredArguments.map((argument) => argument.name());
    const takes = names.length === 0 ? 'no argument' : `only ${names.join(' ')}`;
    throw usageError(
      `Unexpected argument ${JSON.stringify(excess)}: ${called.name()} takes ${takes}. ${exampleShows}: ${example}`,
    );
  }
}

/** A command on one issuer, on AWS or on this machine. */
export function commandOnIssuer(program: Command, texts: CommandTexts): Command {
  return command(program, texts)
    .addOption(
      new OptionWithForm(
        '--local [PORT]',
        `use the stack that npm start runs on this machine (default port ${DEFAULT_PORT})`,
        {
          form: PORT_FORM,
          bare: DEFAULT_PORT,
        },
      ),
    )
    .option('--stack <NAME>', 'name of the stack on AWS (default EphemeralKeyIssuer)')
    .option('--region <REGION>', 'AWS region of the stack (default: AWS_REGION, or the region of the profile)')
    .option(
      '--profile <NAME>',
      'AWS profile to take credentials from (default: AWS_PROFILE, or what the AWS SDK finds)',
    );
}

/**
 * The options with which a suggested command finds the same issuer, such as ` --local 8788`. Without them, an operator who
 * paused a local stack and copies the suggestion would resume the stack on AWS.
 */
export function sameIssuer({ local, ...onAws }: DeploymentOptions): string {
  const named = (['stack', 'region', 'profile'] as const).flatMap((name) =>
    onAws[name] === undefined ? [] : ` --${name} ${onAws[name]}`,
  );
  return local === undefined ? named.join('') : ` --local ${local}`;
}

/** @throws OperatorError if the issuer does not exist, or AWS does not answer */
export async function deploymentFor(options: DeploymentOptions, surroundings: Surroundings): Promise<Deployment> {
  return await findDeployment({
    local: localPort(options),
    stack: options.stack,
    profile: options.profile,
    client: clientConfig(options, surroundings),
    sameIssuer: sameIssuer(options),
  });
}

/** @throws OperatorError if --local is combined with options for AWS */
export function localPort({ local, stack, region, profile }: DeploymentOptions): string | undefined {
  if (local === undefined) {
    return undefined;
  }
  if ((stack ?? region ?? profile) !== undefined) {
    throw usageError(
      '--local cannot be combined with --stack, --region or --profile: it selects a stack on this machine, and they select one on AWS. Give one or the other.',
    );
  }
  return parsePort(local);
}

export function clientConfig({ region, profile }: DeploymentOptions, { client }: Surroundings): ClientConfig {
  return {
    ...AWS_TIMEOUTS,
    ...client,
    ...(region === undefined ? {} : { region }),
    ...(profile === undefined ? {} : { profile }),
  };
}

export interface MessageOption {
  readonly message?: Message;
}

/** @param readers `visitors` */
export function messageOption(readers: string): Option {
  const description = `message to ${readers}, by language: ja=… en=…`;
  return new OptionWithForm('--message <WORDS...>', description, { form: MESSAGE_FORM }).argParser(parseMessage);
}

/** Prints one line of JSON, or a text. */
export function printReport<Report>(
  { print }: Surroundings,
  { json }: JsonOption,
  report: Report,
  render: (report: Report) => string,
): void {
  print(`${json === true ? JSON.stringify(report) : render(report)}\n`);
}
