/** Formats numbers, times and small charts. A terminal shows bars and sparklines; a pipe gets figures only. */
import { styleText } from 'node:util';

/** What the output can show. A pipe shows only plain text. */
export interface Look {
  readonly pictures: boolean;
  readonly colours: boolean;
}

export type Colour = 'green' | 'red' | 'yellow' | 'cyan' | 'bold' | 'dim';

export function paint(look: Look, colour: Colour, text: string): string {
  return look.colours ? styleText(colour, text, { validateStream: false }) : text;
}

const SPARKS = '▁▂▃▄▅▆▇█';
const BAR_WIDTH = 24;

/** One character per number: a full block for the highest, a dot for 0. */
export function sparkline(numbers: readonly number[]): string {
  const highest = Math.max(...numbers, 1);
  return numbers
    .map((each) => (each === 0 ? '·' : (SPARKS[Math.ceil((each / highest) * SPARKS.length) - 1] ?? '█')))
    .join('');
}

/** @param share from 0 to 1; a share above 0 shows at least one block */
export function bar(share: number): string {
  const filled = share <= 0 ? 0 : Math.max(1, Math.round(Math.min(share, 1) * BAR_WIDTH));
  return '█'.repeat(filled) + '░'.repeat(BAR_WIDTH - filled);
}

export function count(number: number): string {
  return number.toLocaleString('en-US');
}

export function plural(number: number, one: string, many = `${one}s`): string {
  return `${count(number)} ${number === 1 ? one : many}`;
}

/** `2026-11-30 03:12 UTC`: the time zone of the log lines. */
export function moment(epochMs: number): string {
  return `${new Date(epochMs).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

const UNITS = [
  { ms: 86_400_000, name: 'day' },
  { ms: 3_600_000, name: 'hour' },
  { ms: 60_000, name: 'minute' },
  { ms: 1_000, name: 'second' },
] as const;

/** `3 hours`, `90 minutes`: rounded down, in the largest unit that fits at least twice or exactly once. */
export function span(ms: number): string {
  const unit = UNITS.find((each) => ms === each.ms || ms >= 2 * each.ms) ?? UNITS[3];
  return plural(Math.max(0, Math.floor(ms / unit.ms)), unit.name);
}

/** Four decimal places between 0 and ten cents, otherwise two. */
export function dollars(amount: number): string {
  const digits = amount > 0 && amount < 0.1 ? 4 : 2;
  return `$${amount.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits })}`;
}
