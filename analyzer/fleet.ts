/**
 * Takes decoded events and says in the end what each client and the fleet as a whole do. One thread; memory is bounded by
 * `maxClients`, 160 bytes each beside its name, and by nothing else: not by events, time or intervals.
 */

import { createArrivals } from './arrivals.ts';
import { createClientRecords } from './client-records.ts';
import { createClientSequences } from './client-sequences.ts';
import { createClientTotals } from './client-totals.ts';
import type { EventBatch } from './event.ts';
import { encodeInterval } from './interval-code.ts';
import { createIntervalValues } from './interval-values.ts';
import { judgeClients } from './judged-clients.ts';
import { createPeakRate } from './peak-rate.ts';
import { createReorder } from './reorder.ts';
import type { FleetReport, Timeline } from './report.ts';
import { summarise } from './summary.ts';
import { judgeSynchronisation } from './synchronisation.ts';
import { createTimeBars } from './time-bars.ts';
import { createTimelineSlots, SLOTS } from './timeline-slots.ts';

export interface FleetOptions {
  /** Of whom statistics are kept: the first that appear. 1 and up. */
  readonly maxClients: number;
  /** Requests from which on a client counts as rate limited. */
  readonly threshold: number;
  /** How much later than a later one an event may come and still be put in order, in milliseconds. */
  readonly latenessMs: number;
  /**
   * Leading bits of an IPv6 address that are one household.
   * @default 56
   */
  readonly ipv6Prefix?: number;
  /** @default Date.now */
  readonly now?: () => number;
}

export interface Fleet {
  readonly add: (batch: EventBatch) => void;
  /**
   * May be called again and again while events come in. What was reported stays readable only until the next
   * `add`: clients are read from the statistics as they are asked for.
   * @param options `isLast: false` leaves the last `latenessMs` out of what depends on order, because events of that
   *   time may still be missing; by default none is missing any more, and one that comes yet is too late.
   */
  readonly report: (options?: { readonly isLast?: boolean }) => FleetReport;
}

const RETRY = 2;
/** Added to the type of an event that is in the totals before it is in order. */
const COUNTED = 128;
const NOBODY = -1;

/** Rows of the timeline: these, and one for each slot. */
const EVENTS_ROW = 0;
const RETRIES_ROW = SLOTS + 1;

export function createFleet(options: FleetOptions): Fleet {
  const { maxClients, threshold, latenessMs, ipv6Prefix = 56, now = Date.now } = options;
  const ids = new Map<string, number>();
  const names: string[] = [];
  const records = createClientRecords(maxClients);
  const totals = createClientTotals(records);
  const sequences = createClientSequences(records);
  const peaks = createPeakRate(records);
  const values = createIntervalValues();
  const arrivals = createArrivals();
  const bars = createTimeBars(SLOTS + 2);
  const slots = createTimelineSlots(records, bars.clear);
  const reorder = createReorder(latenessMs, takeInOrder);
  /** By the names of a source, which stay the same array while it grows. */
  const idsOfNames = new WeakMap<readonly string[], number[]>();
  let from = Number.NaN;
  let to = Number.NaN;
  let areWholeSeconds = true;
  let events = 0;
  let retries = 0;
  let furtherEvents = 0;
  let withoutTime = 0;
  let tooLate = 0;

  function idsOf({ names: ofSource }: EventBatch): number[] {
    let known = idsOfNames.get(ofSource);
    if (known === undefined) {
      known = [];
      idsOfNames.set(ofSource, known);
    }
    for (let index = known.length; index < ofSource.length; index += 1) {
      const name = ofSource[index] ?? '';
      known.push(ids.get(name) ?? admit(name));
    }
    return known;
  }

  function admit(name: string): number {
    if (names.length >= maxClients) {
      return NOBODY;
    }
    const id = names.push(name) - 1;
    ids.set(name, id);
    return id;
  }

  function add(batch: EventBatch): void {
    const { length, timestamps, clients, types, intervals } = batch;
    const batchClients = idsOf(batch);
    events += length;
    for (let index = 0; index < length; index += 1) {
      const client = batchClients[clients[index] ?? 0] ?? NOBODY;
      const type = types[index] ?? 0;
      const interval = intervals[index] ?? Number.NaN;
      place(timestamps[index] ?? Number.NaN, client, type, interval);
    }
    reorder.settle();
  }

  /** What needs no order. */
  function count(client: number, type: number, interval: number): void {
    retries += type === RETRY ? 1 : 0;
    if (!Number.isNaN(interval)) {
      values.add(interval, encodeInterval(interval, false));
    }
    if (client === NOBODY) {
      furtherEvents += 1;
    } else {
      slots.consider(client, totals.add(client, type, interval));
    }
  }

  function place(time: number, client: number, type: number, interval: number): void {
    if (!Number.isFinite(time)) {
      withoutTime += 1;
      count(client, type, interval);
      if (client !== NOBODY) {
        sequences.add(Number.NaN, client, type, interval);
      }
    } else if (!reorder.push(time, client, type, interval)) {
      tooLate += 1;
      count(client, type, interval);
    }
  }

  /** A client's record is fetched once for all that an event changes in it. */
  function takeInOrder(time: number, client: number, shownType: number, interval: number): void {
    const type = shownType % COUNTED;
    if (shownType < COUNTED) {
      count(client, type, interval);
    }
    from = Number.isNaN(from) ? time : from;
    to = time;
    areWholeSeconds &&= time % 1_000 === 0;
    bars.moveTo(time);
    bars.add(EVENTS_ROW);
    if (type === RETRY) {
      arrivals.add(time);
      bars.add(RETRIES_ROW);
    }
    if (client !== NOBODY) {
      takeOfClient(time, client, type, interval);
    }
  }

  function takeOfClient(time: number, client: number, type: number, interval: number): void {
    sequences.add(time, client, type, interval);
    peaks.add(client, time);
    const slot = slots.slotOf(client);
    if (slot > 0) {
      bars.add(slot);
    }
  }

  /** Totals are up to date in every report, though the order of the last events is not known yet. */
  function countAhead(client: number, type: number, interval: number): number {
    if (type >= COUNTED) {
      return type;
    }
    count(client, type, interval);
    return type + COUNTED;
  }

  function timeline(): Timeline {
    const read = bars.read();
    return read === undefined
      ? { from: 0, bar_ms: 1, events: [], retries: [] }
      : { from: read.from, bar_ms: read.barMs, events: read.row(EVENTS_ROW), retries: read.row(RETRIES_ROW) };
  }

  function report({ isLast = true } = {}): FleetReport {
    if (isLast) {
      reorder.flush();
    } else {
      reorder.settle();
      reorder.show(countAhead);
    }
    const clients = judgeClients({ names, totals, sequences, peaks, threshold, areWholeSeconds });
    const { worst, drawn, ...summary } = summarise(clients.judged(), {
      ipv6Prefix,
      hasTimeline: (client) => slots.slotOf(client) > 0,
    });
    const { histogram, ...concentration } = values.read();
    const arrived = arrivals.read();
    return {
      evaluated_at: new Date(now()).toISOString(),
      threshold_requests_per_min: threshold,
      analyzed_clients: clients.reports,
      fleet: {
        events,
        retries,
        ...(Number.isNaN(from) ? {} : { from, to }),
        ...summary,
        worst_clients: worst.map(({ client }) => clients.reportOn(client)),
        synchronisation: judgeSynchronisation(concentration, arrived),
        peak_retries_per_second: arrived.peakPerSecond,
        timeline: timeline(),
        interval_histogram: histogram,
        client_timelines: drawn.map(({ client, name, pattern }) => ({
          client_ip: name,
          pattern,
          events: bars.read()?.row(slots.slotOf(client)) ?? [],
        })),
      },
      left_out: {
        events_of_further_clients: furtherEvents,
        max_clients: maxClients,
        events_without_time: withoutTime,
        events_too_late: tooLate,
        lateness_ms: latenessMs,
        lateness_was_cut_short: reorder.wasCutShort(),
      },
    };
  }

  return { add, report };
}
