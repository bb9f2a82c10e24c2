/**
 * Puts events in the order of their times, as far as they come at most `latenessMs` after a later one, in a buffer of
 * fixed size. One that comes later still is not passed on; the caller counts it.
 */

export interface Reorder {
  /** @returns false if it is too late: something later was already passed on */
  readonly push: (time: number, client: number, type: number, interval: number) => boolean;
  /** Passes on what nothing can overtake any more. To be called often, so that no call takes long: others work meanwhile. */
  readonly settle: () => void;
  /** Shows what was not passed on, and what is said of it in return takes the type's place. */
  readonly show: (tell: (client: number, type: number, interval: number) => number) => void;
  /** Passes on whatever is left. */
  readonly flush: () => void;
  /** More events than the buffer holds lay within `latenessMs`, so some went on before their time. */
  readonly wasCutShort: () => boolean;
}

export type Take = (time: number, client: number, type: number, interval: number) => void;

const CAPACITY = 65_536;
const ROOM = 4_096;

export function createReorder(latenessMs: number, take: Take): Reorder {
  const times = new Float64Array(CAPACITY);
  const clients = new Int32Array(CAPACITY);
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

  function settle(): void {
    sort();
    passOn(firstAfter(latest - latenessMs));
  }

  /** What nothing can overtake any more goes, and so do a few others: many, where many must be sorted for it. */
  function makeRoom(): void {
    settle();
    if (length > CAPACITY - ROOM) {
      isCutShort ||= latenessMs > 0 && !isSorted;
      sort();
      passOn(isSorted ? ROOM : CAPACITY / 2);
    }
  }

  /** Events by their times. They mostly come in order, and then lie so already. */
  function sort(): void {
    if (isSorted) {
      return;
    }
    for (let index = 0; index < length; index += 1) {
      order[index] = index;
    }
    // By place where times are equal: a log has a client's events of one millisecond in their order.
    order.subarray(0, length).sort((one, other) => (times[one] ?? 0) - (times[other] ?? 0) || one - other);
  }

  function placeOf(rank: number): number {
    return isSorted ? rank : (order[rank] ?? 0);
  }

  function firstAfter(time: number): number {
    let low = 0;
    let high = length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((times[placeOf(middle)] ?? 0) <= time) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /** By itself, so that V8 keeps this loop compiled from one call to the next. */
  function takeFirst(count: number): void {
    for (let rank = 0; rank < count; rank += 1) {
      const place = placeOf(rank);
      take(times[place] ?? 0, clients[place] ?? 0, types[place] ?? 0, intervals[place] ?? 0);
    }
  }

  function passOn(count: number): void {
    if (count === 0) {
      return;
    }
    takeFirst(count);
    passedOn = times[placeOf(count - 1)] ?? 0;
    if (isSorted) {
      for (const column of [times, clients, types, intervals]) {
        column.copyWithin(0, count, length);
      }
      length -= count;
    } else {
      keep(count);
    }
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
    settle,
    show(tell) {
      for (let index = 0; index < length; index += 1) {
        types[index] = tell(clients[index] ?? 0, types[index] ?? 0, intervals[index] ?? 0);
      }
    },
    flush() {
      sort();
      passOn(length);
    },
    wasCutShort: () => isCutShort,
  };
}
