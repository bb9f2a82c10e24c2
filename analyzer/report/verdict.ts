/** A client's verdict in words: what it does, and what to change in it. */

import { LONGEST } from '../patterns/interval-code.ts';
import { LEAST_WAIT_MS, type Pattern } from '../patterns/retry-pattern.ts';
import { SHORT_SESSION_MS } from '../statistics/client-sequences.ts';
import type { ClientReport } from './report.ts';
import { count, plural } from './report-text.ts';

const FULL_JITTER = 'draw each wait at random between 0 and min(cap, base * 2^n)';

/** A share of connections that are closed at once, and their number, from which on it is a loop and no accident. */
const LOOP_SHARE = 0.5;
const LEAST_LOOPS = 3;
/** With more tries than that between two connections, the server does not recover by being asked. */
const MANY_RETRIES = 10;
const LONGEST_HOURS = Math.floor(2 ** LONGEST / 3_600_000);

type Judged = Omit<ClientReport, 'verdict'>;

/**
 * Why intervals cannot be judged, or need not be: the log's times are whole seconds and the gaps too short for them, there is
 * hardly a wait, or waits are longer than any that are kept.
 */
export type Obstacle = 'too coarse' | 'at once' | 'too long';

/** What is not in the report. */
export interface Background {
  readonly connects: number;
  readonly obstacle: Obstacle | undefined;
  /** The log has some of its intervals, whether they were put in order or not. */
  readonly hasIntervals: boolean;
}

export function verdictOf(client: Judged, background: Background): string {
  return [aboutWaits(client, background), aboutLoops(client, background), aboutRetries(client, background)]
    .filter((sentence) => sentence !== '')
    .join(' ');
}

function aboutWaits(client: Judged, { obstacle, hasIntervals }: Background): string {
  const { pattern, intervals_source } = client;
  if (pattern.name === 'none') {
    return hasIntervals
      ? 'Its intervals came too late, or are too new, to be put in order: events may still be missing among them.'
      : aboutNoIntervals(client);
  }
  if (obstacle !== undefined) {
    return aboutObstacle(obstacle, intervals_source);
  }
  const source = intervals_source === 'derived' ? 'gaps between its log lines' : 'intervals';
  const basis = `(${pattern.intervals} ${source}, ${sure(pattern.confidence)} sure)`;
  switch (pattern.name) {
    case 'fixed':
      return `Tries again about every ${list(pattern.periods_ms ?? [])} without jitter ${basis}: ${FULL_JITTER}.`;
    case 'growing_without_jitter':
      return `Its waits grow${step(pattern)} without jitter ${basis}, so clients that fail together come back together: ${FULL_JITTER}.`;
    case 'several_fixed':
      return `Waits of ${list(pattern.periods_ms ?? [])} side by side ${basis}: about ${pattern.periods_ms?.length ?? 2} clients behind one address, or one that changed or has as many timers, and none has jitter: ${FULL_JITTER}.`;
    case 'weak_jitter':
      return `Its jitter takes about a quarter off a wait at most ${basis}, so a crowd stays a wave: ${FULL_JITTER}.`;
    case 'equal_jitter':
      return `Half of each wait is random ${basis}. That spreads a crowd; the whole wait at random spreads it wider.`;
    case 'full_jitter':
      return intervals_source === 'derived'
        ? `Its gaps follow no rule ${basis}: the whole wait is random, and nothing to change in it, or several clients share the address.`
        : `The whole wait is random ${basis}: nothing to change in its waits.`;
    default:
      return aboutUnclear(pattern, source);
  }
}

function aboutNoIntervals({ retries, total_requests, peak_requests_per_min }: Judged): string {
  return retries === 0
    ? `It never retried, so there are no waits to judge: its risk is that of ${plural(total_requests, 'request')} in all, ${count(peak_requests_per_min)} in a minute at most.`
    : 'No intervals in the log.';
}

function aboutUnclear({ intervals, repeated }: Pattern, source: string): string {
  if (repeated !== undefined) {
    return `${repeated} of its ${intervals} ${source} are nearly equal to others, as random ones hardly ever are, and together they follow no rule: several clients behind one address, one that changed, a cap, a draw from few values, or a Retry-After obeyed to the second. To be spread, ${FULL_JITTER}, and on top of a Retry-After.`;
  }
  return intervals === 1
    ? `One ${source.replace(/^(interval|gap)s/, '$1')} does not tell how it waits.`
    : `Its ${intervals} ${source} do not tell how it waits.`;
}

function aboutObstacle(obstacle: Obstacle, source: Judged['intervals_source']): string {
  switch (obstacle) {
    case 'too coarse':
      return 'Its log has whole seconds: gaps as short as these cannot be judged.';
    case 'at once':
      return source === 'derived'
        ? `Most gaps between its log lines are shorter than ${LEAST_WAIT_MS} ms: it tries again at once, or several tries are under way side by side. If it waits for nothing, ${FULL_JITTER}.`
        : `Tries again at once, most times within ${LEAST_WAIT_MS} ms: ${FULL_JITTER}.`;
    case 'too long':
      return `Most of its intervals are not shorter than ${LONGEST_HOURS} hours: those are not told apart.`;
  }
}

function aboutLoops({ short_sessions }: Judged, { connects }: Background): string {
  return short_sessions >= LEAST_LOOPS && short_sessions >= LOOP_SHARE * connects
    ? `${short_sessions} of its ${connects} connections closed within ${SHORT_SESSION_MS / 1_000} s: start the waits from the beginning only after a connection has stood for a while.`
    : '';
}

function aboutRetries({ retries_per_connect = 0, retries }: Judged, { connects }: Background): string {
  if (connects === 0 && retries >= MANY_RETRIES) {
    return `${retries} retries and no connection: give up after a few, and obey Retry-After.`;
  }
  return retries_per_connect >= MANY_RETRIES
    ? `${retries_per_connect} retries for each connection: give up after a few, and obey Retry-After.`
    : '';
}

function step({ factor, addend_ms }: Pattern): string {
  if (addend_ms !== undefined) {
    return ` by ${milliseconds(addend_ms)} each`;
  }
  return factor === undefined ? '' : ` by ${factor}`;
}

function list(values: readonly number[]): string {
  return values.map(milliseconds).join(' and ');
}

function milliseconds(value: number): string {
  return `${count(Math.round(value))} ms`;
}

/** Nothing is certain: what would be rounded to 100 % is not. */
function sure(confidence: number): string {
  return confidence > 0.99 ? 'over 99 %' : `${Math.floor(confidence * 100)} %`;
}
