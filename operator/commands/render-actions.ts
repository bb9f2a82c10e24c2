/** What pause, resume, block, unblock and forget did, in words. `sameIssuer` is what an advised command must be given. */

import { moment, plural } from '../output/terminal-text.ts';
import { asText, inWordsOf } from '../stack/concurrency.ts';
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
  const words = Object.entries(message).filter(([, text]) => text !== undefined);
  return [
    changed ? `Paused ${name}: the next request gets no key.` : `It was paused already:${author}${when}. That stands.`,
    ...(hard ? ['The function has no concurrency: visitors hear "busy", and a refusal costs nothing.'] : []),
    ...words.map(([language, text]) => `Visitors read (${language}): ${text}`),
    ...(disagreement === undefined ? [] : [asText(disagreement)]),
    `To go on: issuer resume${sameIssuer}`,
  ].join('\n');
}

export function renderResume({ changed, since, by, restoredCap }: ResumeReport, name: string): string {
  const author = by === undefined ? '' : ` by ${by}`;
  const when = since === undefined ? '' : ` since ${moment(since * 1_000)}`;
  return [
    changed
      ? `Resumed ${name}: the next request gets a key again. It was paused${author}${when}.`
      : 'It was not paused.',
    ...(restoredCap === undefined ? [] : [`The function's reserved concurrency is ${inWordsOf(restoredCap)} again.`]),
  ].join('\n');
}

export function renderBlock({ viewer, until }: BlockReport, sameIssuer: string): string {
  return `Blocked ${viewer} until ${moment(until)}, from the next request on. To let it in: issuer unblock ${viewer}${sameIssuer}`;
}

export function renderUnblock({ viewer, changed }: UnblockReport): string {
  return changed ? `${viewer} may ask again, from the next request on.` : `${viewer} was not blocked.`;
}

export function renderForget({ viewer, forgotten }: ForgetReport): string {
  return forgotten === 0
    ? `Nothing was counted for ${viewer}: its window was fresh already.`
    : `${viewer} has a fresh window (${plural(forgotten, 'limit')}). A refusal may be repeated for 2 more seconds.`;
}
