/**
 * Puts events in the order of their times, as far as they come at most `latenessMs` after a later one, in a buffer of
 * fixed size. One that comes later still is not passed on; the caller counts it.
 */

export interface Reorder {
  /** @returns false if it is too late: something later was already passed on */
  readonly push: (time: number, client: number, type: number, interval: number) => boolean;
  /** Passes on what nothing can overtake any more; shows the rest, and what is said of it in return takes the type's place. */
  readonly settle: (show: (client: number, type: number, interval: number) => number) => void;
  /** Passes on whatever is left. */
  readonly flush: () => void;
  /** More events than the buffer holds lay within `latenessMs`, so some went on before their time. */
  readonly wasCutShort: () => boolean;
}

export type Take = (time: number, client: number, type: number, interval: number) => void;

const CAPACITY = 65_536;

export function createReorder(latenessMs: number, take: Take): Reorder {
  const times = new Float64Array(CAPACITY);
  const clients = new Uint32Array(CAPACITY);
  const types = new Uint8Array(CAPACITY);
  const intervals = new Float64Array(CAPACITY);
  const order = new Uint32Array(CAPACITY);
  let length = 0;
  let isSorted = true;
  let latest = Number.NEGATIVE_INFINITY;
  let passedOn = Number.NEGATIVE_INFINITY;
  let isCutShort = false;

  function push(time: number, client: number, type: number, interval: number): boolean {
    if (time < passedOn) {
      return false;
    }
    if (length === CAPACITY) {
      makeRoom();
      // Making room passes on, so that what was in time a moment ago may not be any more.
      if (time < passedOn) {
        return false;
      }
    }
    times[length] = time;
    clients[length] = client;
    types[length] = type;
    intervals[length] = interval;
    length += 1;
    isSorted &&= time >= latest;
    latest = Math.max(latest, time);
    return true;
  }

  /** What nothing can overtake any more goes; if that is less than half, half goes. */
  function makeRoom(): void {
    sort();
    let count = firstAfter(latest - latenessMs);
    if (count < CAPACITY / 2) {
      count = CAPACITY / 2;
      isCutShort ||= latenessMs > 0 && !isSorted;
    }
    passOn(count);
  }

  function sort(): void {
    for (let index = 0; index < length; index += 1) {
      order[index] = index;
    }
    if (!isSorted) {
      // By place where times are equal: a log has a client's events of one millisecond in their order.
      order.subarray(0, length).sort((one, other) => (times[one] ?? 0) - (times[other] ?? 0) || one - other);
    }
  }

  function firstAfter(time: number): number {
    let low = 0;
    let high = length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((times[order[middle] ?? 0] ?? 0) <= time) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  function passOn(count: number): void {
    for (let index = 0; index < count; index += 1) {
      const place = order[index] ?? 0;
      take(times[place] ?? 0, clients[place] ?? 0, types[place] ?? 0, intervals[place] ?? 0);
    }
    passedOn = count === 0 ? passedOn : (times[order[count - 1] ?? 0] ?? 0);
    keep(count);
  }

  /** In the order in which they came, so that they need not be moved around twice. */
  function keep(from: number): void {
    const kept = order.subarray(from, length).sort();
    let place = 0;
    let before = Number.NEGATIVE_INFINITY;
    isSorted = true;
    for (const old of kept) {
      const time = times[old] ?? 0;
      times[place] = time;
      clients[place] = clients[old] ?? 0;
      types[place] = types[old] ?? 0;
      intervals[place] = intervals[old] ?? 0;
      isSorted &&= time >= before;
      before = Math.max(before, time);
      place += 1;
    }
    length = place;
  }

  return {
    push,
    settle(show) {
      sort();
      passOn(firstAfter(latest - latenessMs));
      for (let index = 0; index < length; index += 1) {
        types[index] = show(clients[index] ?? 0, types[index] ?? 0, intervals[index] ?? 0);
      }
    },
    flush() {
      sort();
      passOn(length);
    },
    wasCutShort: () => isCutShort,
  };
}
