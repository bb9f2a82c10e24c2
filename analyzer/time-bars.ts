/**
 * Counts over time whose number of bars is fixed, however long the log is: when it outgrows them, each two become one.
 * Several rows share one axis.
 */

export interface TimeBars {
  /** Times come in ascending order. */
  readonly moveTo: (time: number) => void;
  /** Counts one at the time that was moved to. */
  readonly add: (row: number) => void;
  readonly clear: (row: number) => void;
  /** @returns undefined before the first event */
  readonly read: () =>
    | { readonly from: number; readonly barMs: number; readonly row: (row: number) => number[] }
    | undefined;
}

export const BARS = 480;
const SHORTEST_BAR_MS = 100;

export function createTimeBars(rows: number): TimeBars {
  const counts = new Uint32Array(rows * BARS);
  let from = Number.NaN;
  let barMs = SHORTEST_BAR_MS;
  let last = 0;
  /** That of the time that was moved to, and where it ends. */
  let bar = 0;
  let barEnd = Number.NEGATIVE_INFINITY;

  function makeLonger(): void {
    for (let row = 0; row < rows; row += 1) {
      const bars = counts.subarray(row * BARS, (row + 1) * BARS);
      for (let bar = 0; bar < BARS / 2; bar += 1) {
        bars[bar] = (bars[2 * bar] ?? 0) + (bars[2 * bar + 1] ?? 0);
      }
      bars.fill(0, BARS / 2);
    }
    barMs *= 2;
  }

  return {
    moveTo(time) {
      last = time;
      if (time < barEnd) {
        return;
      }
      if (Number.isNaN(from)) {
        // On a whole bar of its length, so that seconds begin where clocks' do.
        from = Math.floor(time / 1_000) * 1_000;
      }
      while (time - from >= barMs * BARS) {
        makeLonger();
      }
      bar = Math.floor((time - from) / barMs);
      barEnd = from + (bar + 1) * barMs;
    },
    add(row) {
      const place = row * BARS + bar;
      counts[place] = (counts[place] ?? 0) + 1;
    },
    clear(row) {
      counts.fill(0, row * BARS, (row + 1) * BARS);
    },
    read() {
      if (Number.isNaN(from)) {
        return;
      }
      const used = Math.floor((last - from) / barMs) + 1;
      return { from, barMs, row: (row) => Array.from(counts.subarray(row * BARS, row * BARS + used)) };
    },
  };
}
