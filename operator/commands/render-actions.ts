/** The texts that pause, resume, block, unblock and forget print. `sameIssuer`: the options that a suggested command needs. */

import { messageLines } from '../output/message-lines.ts';
import { moment, plural } from '../output/terminal-text.ts';
import { asText, capText } from '../stack/disagreement.ts';
import type { PauseReport } from './pause.ts';
import type { ResumeReport } from './resume.ts';
import type { BlockReport, ForgetReport, UnblockReport } from './viewers.ts';

export function renderPause(
  { changed, since, by, message, hard, disagreement }: PauseReport,
  name: string,
  sameIssuer: string,
): string {
  const author = by === undefined ? '' : ` by ${by}`;
  const when = since === undefined ? '' : ` since ${moment(since * 1_000)}`;
  return [
    changed
      ? `Paused ${name}, effective with the next request. No keys are issued.`
      : `Already paused${author}${when}. Author and time are unchanged.`,
    ...(hard ? ['The function\'s reserved concurrency is 0: refusals cost nothing, and visitors see "busy".'] : []),
    ...messageLines(message).map((line) => `Message to visitors, ${line}`),
    ...(disagreement === undefined ? [] : [asText(disagreement)]),
    `To resume: issuer resume${sameIssuer}`,
  ].join('\n');
}

export function renderResume({ changed, since, by, restoredCap }: ResumeReport, name: string): string {
  const author = by === undefined ? '' : ` by ${by}`;
  const when = since === undefined ? '' : ` since ${moment(since * 1_000)}`;
  return [
    changed
      ? `Resumed ${name}, effective with the next request. Keys are issued again. It was paused${author}${when}.`
      : 'It was not paused.',
    ...(restoredCap === undefined ? [] : [`Restored the function's reserved concurrency: ${capText(restoredCap)}.`]),
  ].join('\n');
}

export function renderBlock({ viewer, until }: BlockReport, sameIssuer: string): string {
  return `Blocked ${viewer} until ${moment(until)}, effective with the next request. To unblock: issuer unblock ${viewer}${sameIssuer}`;
}

export function renderUnblock({ viewer, changed }: UnblockReport): string {
  return changed ? `Unblocked ${viewer}, effective with the next request.` : `${viewer} was not blocked.`;
}

export function renderForget({ viewer, forgotten }: ForgetReport): string {
  return forgotten === 0
    ? `Nothing to reset: no limit has counted a key for ${viewer}.`
    : `Reset ${plural(forgotten, 'limit')} of ${viewer}. A cached refusal can last up to 2 seconds.`;
}
