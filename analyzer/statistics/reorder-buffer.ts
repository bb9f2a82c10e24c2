/**
 * Puts events in the order of their times, as far as they come at most `latenessMs` after a later one, in a buffer of
 * fixed size. One that comes later still is not passed on; the caller counts it.
 */
import { copyEvent, createFleetEvents, type FleetEvents } from './fleet-events.ts';

export interface Reorder {
  /**
   * Passes on whatever nothing can overtake any more.
   * @param refuse told the row of each event that has no place: it has no time, or something later was already passed on
   */
  readonly add: (events: FleetEvents, refuse: (row: number) => void) => void;
  /** Passes on at once what `add` leaves for when it is worth sorting. */
  readonly settle: () => void;
  /** Passes on whatever is left. */
  readonly flush: () => void;
  /** More events than the buffer holds lay within `latenessMs`, so some went on before their time. */
  readonly wasCutShort: () => boolean;
}

const CAPACITY = 65_536;
/** So many go on where there is no room; more where they must be sorted for it. */
const FEW = 4_096;
const MANY = CAPACITY / 2;

/** @param take told events in ascending order of their times, valid until it returns */
export function createReorder(latenessMs: number, take: (events: FleetEvents) => void): Reorder {
  const held = createFleetEvents(CAPACITY);
  const { timestamps, clients, types, codes } = held;
  /** Where events do not lie in order, they are put in order here. */
  const ordered = createFleetEvents(MANY);
  const order = new Uint32Array(CAPACITY);
  let length = 0;
  /** Since the last settlement. */
  let heldSince = 0;
  let isSorted = true;
  let latest = Number.NEGATIVE_INFINITY;
  let passedOn = Number.NEGATIVE_INFINITY;
  let isCutShort = false;

  /** @returns the first row that is not held any more, because there is no room */
  function hold(events: FleetEvents, from: number, refuse: (row: number) => void): number {
    // As a local variable that is known to be a number: each event's would be a new object otherwise.
    let newest = Number(latest);
    let row = from;
    for (; row < events.length && length < CAPACITY; row += 1) {
      const time = events.timestamps[row] ?? Number.NaN;
      if (time >= passedOn && time < Number.POSITIVE_INFINITY) {
        copyEvent(events, row, held, length);
        length += 1;
        isSorted &&= time >= newest;
        newest = Math.max(newest, time);
      } else {
        refuse(row);
      }
    }
    latest = newest;
    return row;
  }

  /** What nothing can overtake any more goes. */
  function settle(): void {
    heldSince = 0;
    sort();
    passOn(firstAfter(latest - latenessMs));
  }

  function makeRoom(): void {
    settle();
    if (length > CAPACITY - FEW) {
      isCutShort ||= latenessMs > 0 && !isSorted;
      sort();
      passOn(isSorted ? FEW : MANY);
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
    order.subarray(0, length).sort((one, other) => (timestamps[one] ?? 0) - (timestamps[other] ?? 0) || one - other);
  }

  function timeOf(rank: number): number {
    return timestamps[isSorted ? rank : (order[rank] ?? 0)] ?? 0;
  }

  function firstAfter(time: number): number {
    let low = 0;
    let high = length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (timeOf(middle) <= time) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  function passOn(count: number): void {
    if (count === 0) {
      return;
    }
    passedOn = timeOf(count - 1);
    if (isSorted) {
      take({ ...held, length: count });
      for (const column of [timestamps, clients, types, codes]) {
        column.copyWithin(0, count, length);
      }
      length -= count;
    } else {
      takeOrdered(count);
      keep(count);
    }
  }

  function takeOrdered(count: number): void {
    for (let from = 0; from < count; from += MANY) {
      const part = Math.min(MANY, count - from);
      for (let index = 0; index < part; index += 1) {
        copyEvent(held, order[from + index] ?? 0, ordered, index);
      }
      take({ ...ordered, length: part });
    }
  }

  /** In the order in which they came, so that they need not be moved around twice. */
  function keep(from: number): void {
    const kept = order.subarray(from, length).sort();
    let before = Number.NEGATIVE_INFINITY;
    isSorted = true;
    length = 0;
    for (const place of kept) {
      copyEvent(held, place, held, length);
      const time = timestamps[length] ?? 0;
      isSorted &&= time >= before;
      before = Math.max(before, time);
      length += 1;
    }
  }

  return {
    add(events, refuse) {
      for (let row = hold(events, 0, refuse); row < events.length; row = hold(events, row, refuse)) {
        makeRoom();
      }
      // What must be sorted for it waits until it is worth that: a log that is followed comes line by line.
      heldSince += events.length;
      if (isSorted || heldSince >= FEW) {
        settle();
      }
    },
    settle,
    flush() {
      sort();
      passOn(length);
    },
    wasCutShort: () => isCutShort,
  };
}
