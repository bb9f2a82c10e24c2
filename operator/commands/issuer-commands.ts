/** The commands that look at a running issuer, or change it: their arguments. */
import type { Command } from 'commander';
import { NO_MESSAGE, parseDuration, parseViewer, parseWhole } from '../command-line/argument-parsers.ts';
import {
  commandOnIssuer,
  type DeploymentOptions,
  deploymentFor,
  type MessageOption,
  messageOption,
  printReport,
  type Surroundings,
  sameIssuer,
} from '../command-line/shared-options.ts';
import { pause } from './pause.ts';
import { renderBlock, renderForget, renderPause, renderResume, renderUnblock } from './render-actions.ts';
import { renderStatus } from './render-status.ts';
import { resume } from './resume.ts';
import { readStatus } from './status.ts';
import { block, forget, unblock } from './viewers.ts';
import { watch } from './watch.ts';

const WATCH_LOCAL_S = 2;
const WATCH_AWS_S = 30;
const LONGEST_WATCH_S = 3_600;

export function addIssuerCommands(program: Command, surroundings: Surroundings): void {
  const { now, look, user, print, signal } = surroundings;
  const find = (options: DeploymentOptions) => deploymentFor(options, surroundings);

  commandOnIssuer(
    program,
    'status',
    'Shows switch and budget, and of the last day keys, refusals, failures and the busiest viewers.',
    'issuer status --local',
  ).action(async (options: DeploymentOptions) => {
    const status = await readStatus(await find(options), now());
    printReport(surroundings, options, status, (report) => renderStatus(report, look));
  });

  commandOnIssuer(
    program,
    'watch',
    'Shows the status again and again, until Ctrl+C; with --json, as a line each time.',
    'issuer watch --local --every 5',
  )
    .option(
      '--every <SECONDS>',
      `1 to ${LONGEST_WATCH_S} (default ${WATCH_LOCAL_S}; on AWS ${WATCH_AWS_S}, since each reading of the log costs)`,
    )
    .action(async (options: DeploymentOptions & { readonly every?: string }) => {
      const { every, json } = options;
      const seconds =
        every === undefined ? undefined : parseWhole('--every', every, { least: 1, most: LONGEST_WATCH_S });
      const deployment = await find(options);
      const byDefault = deployment.place.kind === 'local' ? WATCH_LOCAL_S : WATCH_AWS_S;
      await watch({
        everyMs: (seconds ?? byDefault) * 1_000,
        read: () => readStatus(deployment, now()),
        show: json === true ? 'lines' : (status) => renderStatus(status, look),
        onScreen: look.pictures,
        print,
        signal,
      });
    });

  commandOnIssuer(
    program,
    'pause',
    'Hands out no key from the next request on. Safe to repeat: who paused first, and when, is kept.',
    'issuer pause --message "ja=正午に再開します。" "en=Back at noon."',
  )
    .addOption(messageOption('what visitors read'))
    .option('--hard', 'also take the function’s concurrency to 0: refusals cost nothing, and visitors hear "busy"')
    .action(async (options: DeploymentOptions & MessageOption & { readonly hard?: true }) => {
      const { message = NO_MESSAGE } = options;
      const deployment = await find(options);
      const report = await pause(deployment, { message, hard: options.hard === true, by: user, now: now() });
      printReport(surroundings, options, report, (each) => renderPause(each, deployment.name, sameIssuer(options)));
    });

  commandOnIssuer(
    program,
    'resume',
    'Hands out keys again, and gives back the concurrency that pause --hard took.',
    'issuer resume',
  ).action(async (options: DeploymentOptions) => {
    const deployment = await find(options);
    printReport(surroundings, options, await resume(deployment), (report) => renderResume(report, deployment.name));
  });

  commandOnIssuer(
    program,
    'block <VIEWER>',
    'Shuts one viewer out for a time: a pseudonym, as status shows them, or an address.',
    'issuer block 203.0.113.9 --for 1d --message "en=Please write to us."',
  )
    .requiredOption('--for <TIME>', 'how long: 30m, 12h, 1d')
    .addOption(messageOption('what the viewer reads'))
    .action(async (text: string, options: DeploymentOptions & MessageOption & { readonly for: string }) => {
      const viewer = parseViewer(text);
      const forMs = parseDuration(options.for);
      const { message = NO_MESSAGE } = options;
      const report = await block(await find(options), viewer, { forMs, message, now: now() });
      printReport(surroundings, options, report, (each) => renderBlock(each, sameIssuer(options)));
    });

  commandOnIssuer(program, 'unblock <VIEWER>', 'Lets a blocked viewer ask again.', 'issuer unblock 203.0.113.9').action(
    async (text: string, options: DeploymentOptions) => {
      const viewer = parseViewer(text);
      printReport(surroundings, options, await unblock(await find(options), viewer, now()), renderUnblock);
    },
  );

  commandOnIssuer(
    program,
    'forget <ADDRESS>',
    'Gives one viewer a fresh window; a pseudonym does too. The address is stored nowhere.',
    'issuer forget 2001:db8::1',
  ).action(async (text: string, options: DeploymentOptions) => {
    const viewer = parseViewer(text);
    printReport(surroundings, options, await forget(await find(options), viewer, now()), renderForget);
  });
}
