/**
 * The command line: which commands there are, what they take and how their help reads. What they do is in a file each. Its
 * surroundings come in as arguments, so that a test runs it as a shell would.
 */
import { Command, CommanderError } from 'commander';
import { parseDuration, parseMessage, parsePort, parseViewer, parseWhole, wrongUsage } from './arguments.ts';
import { type ClientConfig, type Deployment, findDeployment } from './deployment.ts';
import { inWords, OperatorError } from './operator-error.ts';
import { pause, resume } from './pause.ts';
import { renderBlock, renderForget, renderPause, renderResume, renderUnblock } from './render-actions.ts';
import { renderStatus } from './render-status.ts';
import { readStatus } from './status.ts';
import { block, forget, unblock } from './viewers.ts';
import { watch } from './watch.ts';
import type { Look } from './words.ts';

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
  /** Beside region and profile: tests give a script for an AWS. */
  readonly client?: ClientConfig;
  readonly localFolder?: string;
}

interface SharedOptions {
  readonly json?: boolean;
  readonly local?: string | true;
  readonly stack?: string;
  readonly region?: string;
  readonly profile?: string;
}

const DEFAULT_PORT = '8787';
const WATCH_LOCAL_S = 2;
const WATCH_AWS_S = 30;

/** @returns the exit code: 0 done, 1 it failed, 2 wrong usage */
export async function runIssuer(args: readonly string[], surroundings: Surroundings): Promise<number> {
  const outcome = { exitCode: 0 };
  try {
    await createProgram(surroundings, outcome).parseAsync([...args], { from: 'user' });
    return outcome.exitCode;
  } catch (error) {
    if (error instanceof CommanderError) {
      return error.exitCode === 0 ? 0 : 2;
    }
    const { message, exitCode } = inWords(error, 'working');
    surroundings.complain(`${message}\n`);
    return exitCode;
  }
}

function createProgram(surroundings: Surroundings, _outcome: { exitCode: number }): Command {
  const { print, complain, now, user } = surroundings;
  const program = new Command('issuer')
    .description('Sees what the issuer of keys is doing, and stops it.')
    .configureOutput({ writeOut: print, writeErr: complain })
    .showHelpAfterError('(issuer COMMAND --help shows how)')
    .exitOverride();
  program.addHelpText('after', '\nExit code: 0 done, 1 it failed, 2 wrong usage.');

  const command = (usage: string, description: string, example: string) =>
    program
      .command(usage)
      .description(description)
      .option('--json', 'one line of JSON, for programs')
      .addHelpText('after', `\nExample:\n  ${example}`);

  const onDeployment = (usage: string, description: string, example: string) =>
    command(usage, description, example)
      .option('--local [PORT]', `the stack that npm start runs on this machine (default port ${DEFAULT_PORT})`)
      .option('--stack NAME', 'the stack on AWS (default EphemeralKeyIssuer)')
      .option('--region REGION', "its region (default: the SDK's, such as AWS_REGION)")
      .option('--profile NAME', "credentials (default: the SDK's, such as AWS_PROFILE)");

  const deploymentFor = (options: SharedOptions) => findDeployment(targetFrom(options, surroundings));

  function report<Report>(json: boolean | undefined, value: Report, render: (value: Report) => string): void {
    print(`${json === true ? JSON.stringify(value) : render(value)}\n`);
  }

  onDeployment(
    'status',
    'Switch, budget, and the last day: keys, refusals, failures, busiest viewers.',
    'issuer status --local',
  ).action(async (options: SharedOptions) => {
    const status = await readStatus(await deploymentFor(options), now());
    report(options.json, status, (value) => renderStatus(value, surroundings.look));
  });

  onDeployment('watch', 'The status, refreshed until Ctrl+C. With --json, a line each time.', 'issuer watch --every 10')
    .option(
      '--every SECONDS',
      `how often (default ${WATCH_LOCAL_S} locally, ${WATCH_AWS_S} on AWS, where each reading of the log costs)`,
    )
    .action(async (options: SharedOptions & { readonly every?: string }) => {
      const every =
        options.every === undefined ? undefined : parseWhole('--every', options.every, { least: 1, most: 3_600 });
      const deployment = await deploymentFor(options);
      const { signal, look } = surroundings;
      await watch({
        everyMs: (every ?? (deployment.place.kind === 'local' ? WATCH_LOCAL_S : WATCH_AWS_S)) * 1_000,
        read: () => readStatus(deployment, now()),
        show: options.json === true ? 'lines' : (status) => renderStatus(status, look),
        print,
        signal,
      });
    });

  onDeployment(
    'pause',
    'Hands out no keys, from the next request on. Safe to repeat.',
    'issuer pause --message "ja=正午に再開します。" "en=Back at noon."',
  )
    .option('--message WORDS...', 'what visitors read: ja=… en=…')
    .option('--hard', 'also reserve no concurrency, so that refusals cost nothing; visitors then hear "busy"')
    .action(async (options: SharedOptions & { readonly message?: string[]; readonly hard?: boolean }) => {
      const message = parseMessage(options.message ?? []);
      const deployment = await deploymentFor(options);
      const paused = await pause(deployment, { message, hard: options.hard === true, by: user, now: now() });
      report(options.json, paused, (value) => renderPause(value, deployment.name));
    });

  onDeployment('resume', 'Hands out keys again, and puts back what pause --hard took away.', 'issuer resume').action(
    async (options: SharedOptions) => {
      const deployment = await deploymentFor(options);
      report(options.json, await resume(deployment), (value) => renderResume(value, deployment.name));
    },
  );

  onDeployment(
    'block <VIEWER>',
    'Shuts a viewer out for a time, by pseudonym or address.',
    'issuer block 203.0.113.9 --for 1d',
  )
    .requiredOption('--for TIME', 'how long: 30m, 12h, 1d')
    .option('--message WORDS...', 'what the viewer reads: ja=… en=…')
    .action(async (viewer: string, options: SharedOptions & { readonly for: string; readonly message?: string[] }) => {
      const blocking = { forMs: parseDuration(options.for), message: parseMessage(options.message ?? []), now: now() };
      const who = parseViewer(viewer);
      report(options.json, await block(await deploymentFor(options), who, blocking), renderBlock);
    });

  onDeployment('unblock <VIEWER>', 'Lets a blocked viewer in again.', 'issuer unblock 203.0.113.9').action(
    async (viewer: string, options: SharedOptions) => {
      const who = parseViewer(viewer);
      report(options.json, await unblock(await deploymentFor(options), who, now()), renderUnblock);
    },
  );

  onDeployment(
    'forget <ADDRESS>',
    'Gives one viewer a fresh window. The address is stored nowhere.',
    'issuer forget 2001:db8::1',
  ).action(async (address: string, options: SharedOptions) => {
    const who = parseViewer(address);
    report(options.json, await forget(await deploymentFor(options), who, now()), renderForget);
  });
  return program;
}

function targetFrom(options: SharedOptions, { client = {}, localFolder }: Surroundings) {
  const { local, stack, region, profile } = options;
  if (local !== undefined && (stack ?? region ?? profile) !== undefined) {
    throw wrongUsage(
      '--local is a stack on this machine, and --stack, --region and --profile are for one on AWS: give one or the other.',
    );
  }
  return {
    local: local === undefined ? undefined : parsePort(local === true ? DEFAULT_PORT : local),
    stack,
    client: { ...client, ...(region === undefined ? {} : { region }), ...(profile === undefined ? {} : { profile }) },
    localFolder,
  };
}
