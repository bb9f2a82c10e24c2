/** The arguments of the commands that show or change a running issuer. */
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

  commandOnIssuer(program, {
    usage: 'status',
    description:
      'Show the kill switch, the remaining budget, and the last 24 hours: keys, refusals, failures, busiest viewers.',
    example: 'issuer status --local',
  }).action(async (options: DeploymentOptions) => {
    const status = await readStatus(await find(options), now());
    printReport(surroundings, options, status, (report) => renderStatus(report, look));
  });

  commandOnIssuer(program, {
    usage: 'watch',
    description: 'Show the status repeatedly until Ctrl+C. With --json, print one line each time.',
    example: 'issuer watch --local --every 5',
  })
    .option(
      '--every <SECONDS>',
      `interval in seconds, 1 to ${LONGEST_WATCH_S} (default ${WATCH_LOCAL_S}; ${WATCH_AWS_S} on AWS, which charges for each reading of the log)`,
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

  commandOnIssuer(program, {
    usage: 'pause',
    description:
      "Stop issuing keys, effective with the next request. Idempotent: a second pause keeps the first one's author and time.",
    example: 'issuer pause --message "ja=正午に再開します。" "en=Back at noon."',
    exampleShows: 'To show visitors a message',
  })
    .addOption(messageOption('visitors'))
    .option(
      '--hard',
      'also set the function\'s reserved concurrency to 0: refusals cost nothing, and visitors see "busy"',
    )
    .action(async (options: DeploymentOptions & MessageOption & { readonly hard?: true }) => {
      const { message = NO_MESSAGE } = options;
      const deployment = await find(options);
      const report = await pause(deployment, { message, hard: options.hard === true, by: user, now: now() });
      printReport(surroundings, options, report, (each) => renderPause(each, deployment.name, sameIssuer(options)));
    });

  commandOnIssuer(program, {
    usage: 'resume',
    description: 'Issue keys again, and restore the reserved concurrency that pause --hard set to 0.',
    example: 'issuer resume',
  }).action(async (options: DeploymentOptions) => {
    const deployment = await find(options);
    printReport(surroundings, options, await resume(deployment), (report) => renderResume(report, deployment.name));
  });

  commandOnIssuer(program, {
    usage: 'block <VIEWER>',
    description: 'Block one viewer for a time. VIEWER is an address, or a pseudonym as shown by status.',
    example: 'issuer block 203.0.113.9 --for 1d --message "en=Please write to us."',
  })
    .requiredOption('--for <TIME>', 'duration of the block: 30m, 12h, 1d')
    .addOption(messageOption('the viewer'))
    .action(async (text: string, options: DeploymentOptions & MessageOption & { readonly for: string }) => {
      const viewer = parseViewer(text);
      const forMs = parseDuration(options.for);
      const { message = NO_MESSAGE } = options;
      const report = await block(await find(options), viewer, { forMs, message, now: now() });
      printReport(surroundings, options, report, (each) => renderBlock(each, sameIssuer(options)));
    });

  commandOnIssuer(program, {
    usage: 'unblock <VIEWER>',
    description: 'Unblock a viewer. VIEWER is an address, or a pseudonym as shown by status.',
    example: 'issuer unblock 203.0.113.9',
  }).action(async (text: string, options: DeploymentOptions) => {
    const viewer = parseViewer(text);
    printReport(surroundings, options, await unblock(await find(options), viewer, now()), renderUnblock);
  });

  commandOnIssuer(program, {
    usage: 'forget <ADDRESS>',
    description:
      "Reset one viewer's limits. ADDRESS is an address, which is not stored, or a pseudonym as shown by status.",
    example: 'issuer forget 2001:db8::1',
  }).action(async (text: string, options: DeploymentOptions) => {
    const viewer = parseViewer(text);
    printReport(surroundings, options, await forget(await find(options), viewer, now()), renderForget);
  });
}
