/** Parsers for arguments and option values. Each throws an OperatorError that shows a valid value. */
import { isIP } from 'node:net';
import { readOrCreateSalt } from '../../lambda/visitor/salt.ts';
import { type ViewerId, viewerId } from '../../lambda/visitor/viewer.ts';
import { toOperatorError, usageError } from '../operator-error.ts';
import type { Deployment } from '../stack/deployment.ts';

/** The operator's message to visitors, by language. */
export interface Message {
  readonly ja: string | undefined;
  readonly en: string | undefined;
}

export const NO_MESSAGE: Message = { ja: undefined, en: undefined };

/** In characters. A page shows the message where it would show one or two sentences. */
const LONGEST_MESSAGE = 500;

/** One part of a message. No address and no pseudonym begins like this. */
export const MESSAGE_FORM = /^(ja|en)=(.*)$/s;

/** Adds one part, `ja=…` or `en=…`, to the parts before it. */
export function parseMessage(part: string, before: Message = NO_MESSAGE): Message {
  const [, language, text = ''] = MESSAGE_FORM.exec(part) ?? [];
  if ((language !== 'ja' && language !== 'en') || text.trim() === '' || text.length > LONGEST_MESSAGE) {
    throw usageError(
      `--message ${JSON.stringify(part)} is invalid: it must be ja= or en=, followed by 1 to ${LONGEST_MESSAGE} characters. ` +
        'For example: --message "ja=正午に再開します。" "en=Back at noon."',
    );
  }
  if (before[language] !== undefined) {
    throw usageError(
      `--message has two texts for ${language}: ${JSON.stringify(before[language])} and ${JSON.stringify(text)}. Give one text for each language.`,
    );
  }
  return { ...before, [language]: text };
}

const UNIT_MS = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const LONGEST_BLOCK_MS = 3_650 * UNIT_MS.d;

/** `30m`, `12h`, `1d`, in milliseconds. */
export function parseDuration(text: string): number {
  const [, count, unit] = /^(\d{1,6})([mhd])$/.exec(text) ?? [];
  const ms = Number(count) * UNIT_MS[unit as keyof typeof UNIT_MS];
  if (!(ms > 0 && ms <= LONGEST_BLOCK_MS)) {
    throw usageError(
      `--for ${JSON.stringify(text)} is invalid: it must be a number of minutes, hours or days, at most ${LONGEST_BLOCK_MS / UNIT_MS.d} days. For example: --for 30m, --for 12h or --for 1d`,
    );
  }
  return ms;
}

/** @returns the number, from `least` to `most` */
export function parseNumber(option: string, text: string, { least, most }: { least: number; most: number }): number {
  const value = Number(text);
  if (!/^\d{1,12}(\.\d{1,6})?$/.test(text) || value < least || value > most) {
    throw usageError(
      `${option} ${JSON.stringify(text)} is invalid: it must be a number from ${least} to ${most}. For example: ${option} ${Math.max(least, 1)}`,
    );
  }
  return value;
}

export function parseWhole(option: string, text: string, range: { least: number; most: number }): number {
  if (text.includes('.')) {
    throw usageError(
      `${option} ${JSON.stringify(text)} is invalid: it must be a whole number. For example: ${option} ${Math.max(range.least, 1)}`,
    );
  }
  return parseNumber(option, text, range);
}

export function parsePort(text: string): string {
  // PORT=0 npm start takes a free port and prints it, so no stack is at port 0.
  if (!/^[1-9]\d{0,4}$/.test(text) || Number(text) > 65_535) {
    throw usageError(
      `--local ${JSON.stringify(text)} is invalid: it must be a port from 1 to 65535. For example: --local 8787`,
    );
  }
  return text;
}

const PSEUDONYM = /^[0-9a-f]{32}$/i;

/** A viewer as typed: the pseudonym that logs and `status` show, or an address. */
export type ViewerText =
  | { readonly kind: 'pseudonym'; readonly id: ViewerId }
  | { readonly kind: 'address'; readonly address: string };

export function parseViewer(text: string): ViewerText {
  if (PSEUDONYM.test(text)) {
    return { kind: 'pseudonym', id: text.toLowerCase() as ViewerId };
  }
  const address = /^\[.*\]$/.test(text) ? text.slice(1, -1) : text;
  if (isIP(address) === 0 || address.includes('%')) {
    throw usageError(
      `${JSON.stringify(text)} is not a viewer: it must be an IPv4 or IPv6 address, or a pseudonym of 32 hexadecimal digits ` +
        'as shown by status. For example: 203.0.113.9 or 2001:db8::1',
    );
  }
  return { kind: 'address', address };
}

/** Derives the pseudonym as the function does. The address is neither sent nor stored. @throws OperatorError */
export async function viewerOf(viewer: ViewerText, { table, configuration }: Deployment): Promise<ViewerId> {
  if (viewer.kind === 'pseudonym') {
    return viewer.id;
  }
  const { ipv6Prefix } = await configuration();
  try {
    return viewerId(viewer.address, ipv6Prefix, await readOrCreateSalt(table));
  } catch (error) {
    throw toOperatorError(error, 'reading the salt that turns addresses into pseudonyms');
  }
}
