/**
 * Decides whether the clients retry in step, which needs both equal intervals and arrivals in waves. Equal intervals alone
 * come from many clients with the same code that started at different times. Waves alone may be visitors.
 */

import type { ArrivalFigures } from './arrival-waves.ts';

export interface Synchronisation {
  /** `unknown`: too few intervals for a decision, or no retry with a timestamp. */
  readonly verdict: 'in_step' | 'spread' | 'unknown';
  /** Number of reported intervals. */
  readonly intervals: number;
  /** The share of reported intervals in the ten fullest bins of 10 ms. */
  readonly share_in_ten_bins: number;
  /** Variance / mean of retries per 100 ms over the whole log. Random arrivals at a constant rate have 1. */
  readonly dispersion: number;
  /** The same for the worst minute. */
  readonly worst_minute_dispersion: number;
  /** Epoch milliseconds; undefined if no minute has enough retries. */
  readonly worst_minute_at?: number;
}

const LEAST_INTERVALS = 200;
/** With any jitter, 4 to 7 % of the intervals are in the ten fullest bins; without jitter, all of them are. */
const IN_STEP_SHARE = 0.5;
/** Random arrivals have 1. For clients in step, it is about their number, so ten of them are enough to be detected. */
export const IN_STEP_DISPERSION = 5;

export function judgeSynchronisation(
  values: { readonly count: number; readonly shareInTenBins: number },
  arrivals: ArrivalFigures,
): Synchronisation {
  const { dispersion, worstMinute } = arrivals;
  return {
    verdict: arrivals.count === 0 ? 'unknown' : verdict(values, Math.max(dispersion, worstMinute?.dispersion ?? 0)),
    intervals: values.count,
    share_in_ten_bins: rounded(values.shareInTenBins, 4),
    dispersion: rounded(dispersion, 2),
    worst_minute_dispersion: rounded(worstMinute?.dispersion ?? 0, 2),
    ...(worstMinute === undefined ? {} : { worst_minute_at: worstMinute.at }),
  };
}

function verdict(
  { count, shareInTenBins }: { readonly count: number; readonly shareInTenBins: number },
  dispersion: number,
): Synchronisation['verdict'] {
  if (count < LEAST_INTERVALS) {
    return 'unknown';
  }
  return shareInTenBins >= IN_STEP_SHARE && dispersion >= IN_STEP_DISPERSION ? 'in_step' : 'spread';
}

function rounded(value: number, digits: number): number {
  return Math.round(value * 10 ** digits) / 10 ** digits;
}
