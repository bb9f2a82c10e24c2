/**
 * Whether retries arrive in waves: variance / mean of retries per 100 ms, in one pass. A random stream has 1, 500
 * clients in step about 500. A day's ups and downs raise it too, so the worst minute is told beside the whole.
 */

export interface Arrivals {
  /** Times come in ascending order. */
  readonly add: (time: number) => void;
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
/** A minute with fewer retries says nothing about waves. */
const LEAST_PER_MINUTE = 60;

/** Of bins, most of them empty. */
interface Sums {
  readonly count: number;
  readonly squares: number;
}

const NOTHING: Sums = { count: 0, squares: 0 };

export function createArrivals(): Arrivals {
  let first = Number.NaN;
  let bin = 0;
  let inBin = 0;
  let inSecond = 0;
  let peakPerSecond = 0;
  let whole = NOTHING;
  let minute = NOTHING;
  let worstMinute: ArrivalFigures['worstMinute'];

  function closeBin(): void {
    whole = withBin(whole, inBin);
    minute = withBin(minute, inBin);
    inBin = 0;
  }

  function worse(): ArrivalFigures['worstMinute'] {
    const figure = dispersion(minute, BINS_PER_MINUTE);
    const at = Math.floor(bin / BINS_PER_MINUTE) * BINS_PER_MINUTE * BIN_MS;
    const isWorse = minute.count >= LEAST_PER_MINUTE && figure > (worstMinute?.dispersion ?? 0);
    return isWorse ? { at, dispersion: figure } : worstMinute;
  }

  return {
    add(time) {
      const next = Math.floor(time / BIN_MS);
      if (next !== bin) {
        closeBin();
        if (Math.floor(next / BINS_PER_SECOND) !== Math.floor(bin / BINS_PER_SECOND)) {
          inSecond = 0;
        }
        if (Math.floor(next / BINS_PER_MINUTE) !== Math.floor(bin / BINS_PER_MINUTE)) {
          worstMinute = worse();
          minute = NOTHING;
        }
        first = Number.isNaN(first) ? next : first;
        bin = next;
      }
      inBin += 1;
      inSecond += 1;
      peakPerSecond = Math.max(peakPerSecond, inSecond);
    },
    read() {
      const open = inBin;
      const [keptWhole, keptMinute] = [whole, minute];
      closeBin();
      const figures = {
        count: whole.count,
        dispersion: Number.isNaN(first) ? 0 : dispersion(whole, bin - first + 1),
        worstMinute: worse(),
        peakPerSecond,
      };
      // More may come into this bin.
      [whole, minute, inBin] = [keptWhole, keptMinute, open];
      return figures;
    },
  };
}

function withBin({ count, squares }: Sums, inBin: number): Sums {
  return inBin === 0 ? { count, squares } : { count: count + inBin, squares: squares + inBin * inBin };
}

/** Population variance / mean. */
function dispersion({ count, squares }: Sums, bins: number): number {
  return count === 0 ? 0 : squares / count - count / bins;
}
