/** What people type after a command, as values. Each parser throws an OperatorError that shows a right value. */
import { isIP } from 'node:net';
import { readOrCreateSalt } from '../../lambda/visitor/salt.ts';
import { type ViewerId, viewerId } from '../../lambda/visitor/viewer.ts';
import { inWords, wrongUsage } from '../operator-error.ts';
import type { Deployment } from '../stack/deployment.ts';

/** The operator's words to visitors, by language. */
export interface Message {
  readonly ja: string | undefined;
  readonly en: string | undefined;
}

export const NO_MESSAGE: Message = { ja: undefined, en: undefined };

/** Pages show it in the place of one sentence or two. */
const LONGEST_MESSAGE = 500;

/** Of each part. No address and no pseudonym begins so. */
export const MESSAGE_FORM = /^(ja|en)=(.*)$/s;

/** One part, `ja=…` or `en=…`, beside those that were there before it. */
export function parseMessage(part: string, before: Message = NO_MESSAGE): Message {
  const [, language, words = ''] = MESSAGE_FORM.exec(part) ?? [];
  if ((language !== 'ja' && language !== 'en') || words.trim() === '' || words.length > LONGEST_MESSAGE) {
    throw wrongUsage(
      `--message ${JSON.stringify(part)} must be a language, "=" and at most ${LONGEST_MESSAGE} characters. ` +
        'A right value: --message "ja=正午に再開します。" "en=Back at noon."',
    );
  }
  if (before[language] !== undefined) {
    throw wrongUsage(
      `--message has words in ${language} twice: ${JSON.stringify(before[language])} and ${JSON.stringify(words)}. Give them once for each language.`,
    );
  }
  return { ...before, [language]: words };
}

const UNIT_MS = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const LONGEST_BLOCK_MS = 3_650 * UNIT_MS.d;

/** `30m`, `12h`, `1d`, in milliseconds. */
export function parseDuration(text: string): number {
  const [, count, unit] = /^(\d{1,6})([mhd])$/.exec(text) ?? [];
  const ms = Number(count) * UNIT_MS[unit as keyof typeof UNIT_MS];
  if (!(ms > 0 && ms <= LONGEST_BLOCK_MS)) {
    throw wrongUsage(
      `--for ${JSON.stringify(text)} must be minutes, hours or days, at most ${LONGEST_BLOCK_MS / UNIT_MS.d} days. A right value: --for 30m, 12h or 1d`,
    );
  }
  return ms;
}

/** @returns the number, from `least` to `most` */
export function parseNumber(option: string, text: string, { least, most }: { least: number; most: number }): number {
  const value = Number(text);
  if (!/^\d{1,12}(\.\d{1,6})?$/.test(text) || value < least || value > most) {
    throw wrongUsage(
      `${option} ${JSON.stringify(text)} must be a number from ${least} to ${most}. A right value: ${option} ${Math.max(least, 1)}`,
    );
  }
  return value;
}

export function parseWhole(option: string, text: string, range: { least: number; most: number }): number {
  if (text.includes('.')) {
    throw wrongUsage(
      `${option} ${JSON.stringify(text)} must be a whole number. A right value: ${option} ${Math.max(range.least, 1)}`,
    );
  }
  return parseNumber(option, text, range);
}

export function parsePort(text: string): string {
  // Port 0 is what PORT=0 npm start asks for; it gets another one, which it prints.
  if (!/^[1-9]\d{0,4}$/.test(text) || Number(text) > 65_535) {
    throw wrongUsage(`--local ${JSON.stringify(text)} must be a port. A right value: --local 8787`);
  }
  return text;
}

const PSEUDONYM = /^[0-9a-f]{32}$/i;

/** A viewer as typed: by the pseudonym that logs and `status` show, or by an address. */
export type ViewerText =
  | { readonly kind: 'pseudonym'; readonly id: ViewerId }
  | { readonly kind: 'address'; readonly address: string };

export function parseViewer(text: string): ViewerText {
  if (PSEUDONYM.test(text)) {
    return { kind: 'pseudonym', id: text.toLowerCase() as ViewerId };
  }
  const address = /^\[.*\]$/.test(text) ? text.slice(1, -1) : text;
  if (isIP(address) === 0 || address.includes('%')) {
    throw wrongUsage(
      `${JSON.stringify(text)} is neither a pseudonym of 32 hexadecimal digits, as status shows them, nor an IPv4 or IPv6 ` +
        'address. A right value: 203.0.113.9, or 2001:db8::1',
    );
  }
  return { kind: 'address', address };
}

/** The pseudonym, made as the function makes it: the address goes nowhere. @throws OperatorError */
export async function viewerOf(viewer: ViewerText, { table, configuration }: Deployment): Promise<ViewerId> {
  if (viewer.kind === 'pseudonym') {
    return viewer.id;
  }
  const { ipv6Prefix } = await configuration();
  try {
    return viewerId(viewer.address, ipv6Prefix, await readOrCreateSalt(table));
  } catch (error) {
    throw inWords(error, 'reading the salt by which addresses become pseudonyms');
  }
}
