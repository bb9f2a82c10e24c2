/**
 * Detects in one pass whether retries arrive in waves. The measure is variance / mean of retries per 100 ms: random arrivals
 * have 1, and 500 clients in step about 500. Daily variation also raises it. So for the worst minute the variance is computed
 * from one bin to the next (von Neumann: half the mean square of successive differences), which a slow rise does not affect.
 */
import { RETRY } from '../parsing/event.ts';
import type { FleetEvents } from './fleet-events.ts';

export interface Arrivals {
  /** Counts the retries among the events. Timestamps must be in ascending order. */
  readonly add: (events: FleetEvents) => void;
  readonly read: () => ArrivalFigures;
}

export interface ArrivalFigures {
  readonly count: number;
  readonly dispersion: number;
  readonly worstMinute: { readonly at: number; readonly dispersion: number } | undefined;
  readonly peakPerSecond: number;
}

const BIN_MS = 100;
const BINS_PER_MINUTE = 600;
const BINS_PER_SECOND = 10;
/** A minute with fewer retries is ignored, because it cannot show waves. */
const LEAST_PER_MINUTE = 60;

export function createArrivals(): Arrivals {
  let first = Number.NaN;
  let bin = 0;
  /** The end of the bin, in milliseconds. */
  let binEnd = Number.NEGATIVE_INFINITY;
  let inBin = 0;
  let inSecond = 0;
  let peakPerSecond = 0;
  let count = 0;
  let squares = 0;
  /**
   * Retries in the previous bin. NaN if unknown: a log starts and ends in the middle of a bin, and neither counts as a step.
   */
  let before = Number.NaN;
  let inMinute = 0;
  let squaredSteps = 0;
  let worstMinute: ArrivalFigures['worstMinute'];

  function closeBin(next: number): void {
    count += inBin;
    squares += inBin * inBin;
    inMinute += inBin;
    squaredSteps += Number.isNaN(before) ? 0 : (inBin - before) ** 2;
    const isGap = next > bin + 1;
    // An empty bin between two others causes two steps: down and up again.
    squaredSteps += isGap ? inBin * inBin : 0;
    const whole = bin === first ? Number.NaN : inBin;
    before = isGap ? 0 : whole;
    inBin = 0;
  }

  function closeMinute(): void {
    worstMinute = worseOf(worstMinute, minuteSoFar(inMinute, squaredSteps));
    inMinute = 0;
    squaredSteps = 0;
  }

  function minuteSoFar(retries: number, steps: number): ArrivalFigures['worstMinute'] {
    const at = Math.floor(bin / BINS_PER_MINUTE) * BINS_PER_MINUTE * BIN_MS;
    return retries < LEAST_PER_MINUTE ? undefined : { at, dispersion: steps / 2 / retries };
  }

  function moveTo(next: number): void {
    if (!Number.isNaN(first)) {
      closeBin(next);
    }
    if (Math.floor(next / BINS_PER_SECOND) !== Math.floor(bin / BINS_PER_SECOND)) {
      inSecond = 0;
    }
    if (Math.floor(next / BINS_PER_MINUTE) !== Math.floor(bin / BINS_PER_MINUTE)) {
      closeMinute();
    }
    first = Number.isNaN(first) ? next : first;
    bin = next;
    binEnd = (next + 1) * BIN_MS;
  }

  function arrive(): void {
    inBin += 1;
    inSecond += 1;
    peakPerSecond = Math.max(peakPerSecond, inSecond);
  }

  return {
    add({ length, timestamps, types }) {
      for (let row = 0; row < length; row += 1) {
        if (types[row] === RETRY) {
          const time = timestamps[row] ?? 0;
          if (time >= binEnd) {
            moveTo(Math.floor(time / BIN_MS));
          }
          arrive();
        }
      }
    },
    read() {
      // The current bin counts as a step if the previous bin was empty.
      const steps = squaredSteps + (before === 0 ? inBin * inBin : 0);
      const all = count + inBin;
      return {
        count: all,
        dispersion: all === 0 ? 0 : (squares + inBin * inBin) / all - all / (bin - first + 1),
        worstMinute: worseOf(worstMinute, minuteSoFar(inMinute + inBin, steps)),
        peakPerSecond,
      };
    },
  };
}

function worseOf(one: ArrivalFigures['worstMinute'], other: ArrivalFigures['worstMinute']) {
  return other !== undefined && other.dispersion > (one?.dispersion ?? 0) ? other : one;
}
