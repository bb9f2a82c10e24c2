/**
 * Sorts events by timestamp in a buffer of fixed size. An event may be up to `latenessMs` behind the newest event. An event
 * that arrives later than that is refused, and the caller counts it.
 */
import { copyEvent, createFleetEvents, type FleetEvents } from './fleet-events.ts';

export interface Reorder {
  /**
   * Adds events, and passes on the ones that no earlier event can precede any more.
   * @param refuse called with the row of each event without a timestamp, and of each event that is too late: a later
   *   one was already passed on
   */
  readonly add: (events: FleetEvents, refuse: (row: number) => void) => void;
  /** Passes on the events that `add` keeps until sorting is worthwhile. */
  readonly settle: () => void;
  /** Passes on all remaining events. */
  readonly flush: () => void;
  /** Whether more events than the buffer holds lay within `latenessMs`, so that some were passed on early. */
  readonly wasCutShort: () => boolean;
}

const CAPACITY = 65_536;
/** Number of events to pass on if the buffer is full: FEW if they are in order, MANY if they have to be sorted. */
const FEW = 4_096;
const MANY = CAPACITY / 2;

/** @param take called with events in ascending order of their timestamps, which are valid until it returns */
export function createReorder(latenessMs: number, take: (events: FleetEvents) => void): Reorder {
  const held = createFleetEvents(CAPACITY);
  const { timestamps, clients, types, codes } = held;
  /** Receives events in order, if the held ones are not. */
  const ordered = createFleetEvents(MANY);
  const order = new Uint32Array(CAPACITY);
  let length = 0;
  /** Number of events added since the last call of `settle`. */
  let heldSince = 0;
  let isSorted = true;
  let latest = Number.NEGATIVE_INFINITY;
  let passedOn = Number.NEGATIVE_INFINITY;
  let isCutShort = false;

  /** @returns the first row that did not fit into the buffer */
  function hold(events: FleetEvents, from: number, refuse: (row: number) => void): number {
    // A local variable that is known to be a number. Otherwise each assignment would allocate an object.
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

  /** Passes on the events that no earlier event can precede any more. */
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

  /** Sorts by timestamp. Events mostly arrive in order, and then nothing has to be done. */
  function sort(): void {
    if (isSorted) {
      return;
    }
    for (let index = 0; index < length; index += 1) {
      order[index] = index;
    }
    // Events with equal timestamps keep their order: within one millisecond, the log has a client's events in order.
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

  /** Keeps the remaining events in the order of arrival, so that each of them is moved only once. */
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
      // If events must be sorted, they wait until there are enough of them: a followed log arrives line by line.
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
