/**
 * Whether the fleet moves as one: equal intervals and arrivals in waves, both. Equal intervals alone are many clients of
 * one make that started at different times; waves alone may be visitors.
 */

import type { ArrivalFigures } from './arrival-waves.ts';

export interface Synchronisation {
  /** `unknown`: too few intervals to tell, or no retry that has a time. */
  readonly verdict: 'in_step' | 'spread' | 'unknown';
  /** Reported intervals, and what share of them lies in the ten fullest bins of 10 ms. */
  readonly intervals: number;
  readonly share_in_ten_bins: number;
  /** Variance / mean of retries per 100 ms: over the whole log, and in its worst minute. A steady random stream has 1. */
  readonly dispersion: number;
  readonly worst_minute_dispersion: number;
  /** Epoch milliseconds; undefined without a minute that has enough retries. */
  readonly worst_minute_at?: number;
}

const LEAST_INTERVALS = 200;
/** Any jitter has 4 to 7 % in the ten fullest bins, none has all. */
const IN_STEP_SHARE = 0.5;
/** A random stream has 1. Of clients in step it is about their number, so that ten of them are found. */
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
