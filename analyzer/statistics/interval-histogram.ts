/**
 * The distribution of the fleet's intervals. Without jitter, nearly all intervals are in a few bins of 10 ms; with any jitter,
 * the ten fullest bins hold 4 to 7 %.
 */

import { barOf, encodeInterval, LONGEST, NO_INTERVAL } from '../patterns/interval-code.ts';
import type { CountedEvents } from './fleet-events.ts';

export interface IntervalBar {
  readonly from_ms: number;
  readonly to_ms: number;
  readonly count: number;
}

export interface IntervalValues {
  readonly add: (events: CountedEvents) => void;
  readonly addOne: (milliseconds: number) => void;
  readonly read: () => { readonly count: number; readonly shareInTenBins: number; readonly histogram: IntervalBar[] };
}

const BIN_MS = 10;
/** Bins up to five minutes. Longer intervals are counted, but are in no bin. */
const BINS = 30_000;
const FULLEST = 10;
const BARS_PER_OCTAVE = 8;
/** Up to the longest interval that can be encoded. Longer intervals are in the last bar. */
const BARS = Math.floor(LONGEST * BARS_PER_OCTAVE) + 1;

export function createIntervalValues(): IntervalValues {
  const bins = new Uint32Array(BINS);
  const bars = new Uint32Array(BARS);
  let count = 0;

  function countOne(bin: number, code: number): void {
    count += 1;
    if (bin < BINS) {
      bins[bin] = (bins[bin] ?? 0) + 1;
    }
    const bar = barOf(code, BARS_PER_OCTAVE);
    bars[bar] = (bars[bar] ?? 0) + 1;
  }

  return {
    add({ length, intervals, codes }) {
      for (let row = 0; row < length; row += 1) {
        const code = codes[row] ?? NO_INTERVAL;
        if (code !== NO_INTERVAL) {
          countOne(binOf(intervals[row] ?? 0), code);
        }
      }
    },
    addOne(interval) {
      countOne(binOf(interval), encodeInterval(interval));
    },
    read() {
      const fullest = bins.slice().sort().subarray(-FULLEST);
      const inFullest = fullest.reduce((sum, inBin) => sum + inBin, 0);
      return { count, shareInTenBins: count === 0 ? 0 : inFullest / count, histogram: histogramOf(bars) };
    },
  };
}

function binOf(interval: number): number {
  return Math.min(BINS, Math.floor(interval / BIN_MS));
}

function histogramOf(bars: Uint32Array): IntervalBar[] {
  const first = bars.findIndex((count) => count > 0);
  const last = bars.findLastIndex((count) => count > 0);
  return Array.from(bars.subarray(Math.max(0, first), last + 1), (count, index) => ({
    from_ms: 2 ** ((first + index) / BARS_PER_OCTAVE),
    to_ms: 2 ** ((first + index + 1) / BARS_PER_OCTAVE),
    count,
  }));
}
