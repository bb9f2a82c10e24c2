/** The verdict on a client as text: what it does and what to change. */

import { LONGEST } from '../patterns/interval-code.ts';
import { LEAST_WAIT_MS, type Pattern } from '../patterns/retry-pattern.ts';
import { SHORT_SESSION_MS } from '../statistics/client-sequences.ts';
import type { ClientReport } from './report.ts';
import { count } from './report-text.ts';

const RANDOM_WAIT = 'wait a random time between 0 and min(cap, base * 2^n)';
const USE_FULL_JITTER = `Use full jitter: ${RANDOM_WAIT}.`;

/** Share and number of short connections from which the verdict mentions them: fewer may be an accident. */
const LOOP_SHARE = 0.5;
const LEAST_LOOPS = 3;
/** Number of retries per connection from which the verdict advises to limit them: more retries do not help a server recover. */
const MANY_RETRIES = 10;
const LONGEST_HOURS = Math.floor(2 ** LONGEST / 3_600_000);

type Judged = Omit<ClientReport, 'verdict'>;

/**
 * Why intervals cannot be judged, or need not be judged. `too coarse`: the log's timestamps are whole seconds, and the
 * gaps are too short for them. `at once`: there is hardly any wait. `too long`: the waits are longer than the longest
 * one that can be stored.
 */
export type Obstacle = 'too coarse' | 'at once' | 'too long';

/** What the verdict needs in addition to the report. */
export interface Background {
  readonly connects: number;
  readonly obstacle: Obstacle | undefined;
  /** Whether the log reports intervals of this client, in order or not. */
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
      ? 'Its intervals cannot be put in order: they arrived too late, or are too recent, so that earlier events may still arrive.'
      : aboutNoIntervals(client);
  }
  if (obstacle !== undefined) {
    return aboutObstacle(obstacle, intervals_source);
  }
  const source = intervals_source === 'derived' ? 'gaps between its log lines' : 'intervals';
  const basis = `(${pattern.intervals} ${source}, confidence ${percent(pattern.confidence)})`;
  switch (pattern.name) {
    case 'fixed':
      return `Retries about every ${list(pattern.periods_ms ?? [])} without jitter ${basis}. ${USE_FULL_JITTER}`;
    case 'growing_without_jitter':
      return `Its waits grow${step(pattern)} without jitter ${basis}, so clients that fail together retry together. ${USE_FULL_JITTER}`;
    case 'several_fixed':
      return `Its waits are ${list(pattern.periods_ms ?? [])}, without jitter ${basis}: about ${pattern.periods_ms?.length ?? 2} clients behind one address, or one client that changed its wait or has several timers. ${USE_FULL_JITTER}`;
    case 'weak_jitter':
      return `Its jitter shortens a wait by about a quarter at most ${basis}, so clients that fail together still retry in a wave. ${USE_FULL_JITTER}`;
    case 'equal_jitter':
      return `About half of each wait is random ${basis}. This spreads retries; full jitter, with the whole wait random, spreads them further.`;
    case 'full_jitter':
      return intervals_source === 'derived'
        ? `Its gaps follow no pattern ${basis}: either the whole wait is random and there is nothing to change in it, or several clients share the address.`
        : `The whole wait is random ${basis}: full jitter, nothing to change in its waits.`;
    default:
      return aboutUnclear(pattern, source);
  }
}

function aboutNoIntervals({ retries, total_requests, peak_requests_per_min }: Judged): string {
  return retries === 0
    ? `It never retried, so there are no waits to judge. Its risk level depends only on its number of requests: ${count(total_requests)} in total, at most ${count(peak_requests_per_min)} per minute.`
    : 'The log has no intervals of this client.';
}

function aboutUnclear({ intervals, repeated }: Pattern, source: string): string {
  if (repeated !== undefined) {
    return `${repeated} of its ${intervals} ${source} are nearly equal to others, which random waits hardly ever are, but together they follow no pattern. Possible causes: several clients behind one address, a client that changed its wait, a cap, a random choice of only a few values, or a Retry-After that the client obeys to the second. To spread the retries, ${RANDOM_WAIT}, in addition to any Retry-After.`;
  }
  return intervals === 1
    ? `One ${source.replace(/^(interval|gap)s/, '$1')} is too few to show a pattern.`
    : `Its ${intervals} ${source} do not show a clear pattern.`;
}

function aboutObstacle(obstacle: Obstacle, source: Judged['intervals_source']): string {
  switch (obstacle) {
    case 'too coarse':
      return 'The log has timestamps in whole seconds, and its gaps are too short to be judged from them.';
    case 'at once':
      return source === 'derived'
        ? `Most gaps between its log lines are shorter than ${LEAST_WAIT_MS} ms: it retries immediately, or it makes several attempts in parallel. If it retries immediately, use full jitter: ${RANDOM_WAIT}.`
        : `Retries immediately, mostly within ${LEAST_WAIT_MS} ms. ${USE_FULL_JITTER}`;
    case 'too long':
      return `Most of its intervals are ${LONGEST_HOURS} hours or longer. The analyzer does not distinguish intervals that long.`;
  }
}

function aboutLoops({ short_sessions }: Judged, { connects }: Background): string {
  return short_sessions >= LEAST_LOOPS && short_sessions >= LOOP_SHARE * connects
    ? `${short_sessions} of its ${connects} connections closed within ${SHORT_SESSION_MS / 1_000} s. Reset the backoff only after a connection has stayed open for a while.`
    : '';
}

function aboutRetries({ retries_per_connect = 0, retries }: Judged, { connects }: Background): string {
  if (connects === 0 && retries >= MANY_RETRIES) {
    return `${retries} retries and no connection. Stop after a few retries, and obey Retry-After.`;
  }
  return retries_per_connect >= MANY_RETRIES
    ? `${retries_per_connect} retries per connection. Stop after a few retries, and obey Retry-After.`
    : '';
}

function step({ factor, addend_ms }: Pattern): string {
  if (addend_ms !== undefined) {
    return ` by ${milliseconds(addend_ms)} each time`;
  }
  return factor === undefined ? '' : ` by a factor of ${factor}`;
}

const LIST = new Intl.ListFormat('en-GB');

function list(values: readonly number[]): string {
  return LIST.format(values.map(milliseconds));
}

function milliseconds(value: number): string {
  return `${count(Math.round(value))} ms`;
}

/** Never 100 %, because a pattern is never certain. */
function percent(confidence: number): string {
  return confidence > 0.99 ? 'over 99 %' : `${Math.floor(confidence * 100)} %`;
}
