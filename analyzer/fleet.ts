/**
 * Counts decoded events, and reports how each client and the fleet (all clients together) behave. Runs in one thread.
 * Memory use depends only on `maxClients` (192 bytes plus the name for each), not on the number of events, their time
 * span or their intervals.
 */

import { type FleetOptions, withDefaults } from './fleet-options.ts';
import { type EventBatch, RETRY } from './parsing/event.ts';
import { encodeIntervals } from './patterns/interval-code.ts';
import { judgeClients } from './report/judged-clients.ts';
import type { FleetReport, Timeline } from './report/report.ts';
import { summarise } from './report/summary.ts';
import { createArrivals } from './statistics/arrival-waves.ts';
import { createClientRecords } from './statistics/client-records.ts';
import { createClientSequences } from './statistics/client-sequences.ts';
import { createClientTotals } from './statistics/client-totals.ts';
import { type CountedEvents, type FleetEvents, pickEvents, UNTRACKED } from './statistics/fleet-events.ts';
import { createIntervalValues } from './statistics/interval-histogram.ts';
import { createPeakRate } from './statistics/peak-rate.ts';
import { createReorder } from './statistics/reorder-buffer.ts';
import { judgeSynchronisation } from './statistics/synchronisation.ts';
import { type Bars, createTimeBars } from './statistics/time-bars.ts';
import { createTimelineSlots, SLOTS } from './statistics/timeline-slots.ts';

export interface Fleet {
  readonly add: (batch: EventBatch) => void;
  /**
   * May be called repeatedly while events arrive. A report is valid only until the next `add`, because it reads each
   * client from the statistics on demand.
   * @param options With `isLast: false`, everything that depends on order leaves out the last `latenessMs`, because
   *   events of that time may still arrive. By default the log counts as complete, and events that arrive afterwards
   *   are too late.
   */
  readonly report: (options?: { readonly isLast?: boolean }) => FleetReport;
}

/** @throws RangeError if an option is invalid */
export function createFleet(options: FleetOptions = {}): Fleet {
  const { maxClients, threshold, latenessMs, ipv6Prefix, now } = withDefaults(options);
  const ids = new Map<string, number>();
  const names: string[] = [];
  const records = createClientRecords(maxClients);
  const totals = createClientTotals(records);
  const derivedValues = createIntervalValues();
  const sequences = createClientSequences(records, maxClients, derivedValues.addOne);
  const peaks = createPeakRate(maxClients);
  const values = createIntervalValues();
  const arrivals = createArrivals();
  const bars = createTimeBars(SLOTS);
  const slots = createTimelineSlots(records, bars.clear);
  const reorder = createReorder(latenessMs, takeInOrder);
  /** Keyed by a source's array of names, which stays the same array while it grows. */
  const idsOfNames = new WeakMap<readonly string[], number[]>();
  /** Columns of the current batch; the next batch overwrites them. */
  let numbers = new Int32Array(0);
  let codes = new Uint16Array(0);
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
      return UNTRACKED;
    }
    const id = names.push(name) - 1;
    ids.set(name, id);
    return id;
  }

  function add(batch: EventBatch): void {
    const events = numbered(batch);
    const timeless: number[] = [];
    count(events);
    reorder.add(events, (row) => {
      if (Number.isFinite(events.timestamps[row])) {
        tooLate += 1;
      } else {
        timeless.push(row);
      }
    });
    if (timeless.length > 0) {
      takeTimeless(pickEvents(events, timeless));
    }
  }

  function numbered(batch: EventBatch): CountedEvents {
    const { length, intervals } = batch;
    const known = idsOf(batch);
    if (numbers.length < length) {
      numbers = new Int32Array(length);
      codes = new Uint16Array(length);
    }
    for (let row = 0; row < length; row += 1) {
      numbers[row] = known[batch.clients[row] ?? 0] ?? UNTRACKED;
    }
    encodeIntervals(intervals, length, codes);
    return { ...batch, clients: numbers, codes };
  }

  /** Counts what does not depend on order, so that it is up to date in every report. */
  function count(counted: CountedEvents): void {
    events += counted.length;
    for (let row = 0; row < counted.length; row += 1) {
      retries += counted.types[row] === RETRY ? 1 : 0;
      furtherEvents += counted.clients[row] === UNTRACKED ? 1 : 0;
    }
    values.add(counted);
    totals.add(counted, slots.consider);
  }

  /** Events without a timestamp keep the order that they have in the log. */
  function takeTimeless(timeless: FleetEvents): void {
    withoutTime += timeless.length;
    timeless.timestamps.fill(Number.NaN);
    sequences.add(timeless);
  }

  function takeInOrder(ordered: FleetEvents): void {
    const { timestamps, length } = ordered;
    from = Number.isNaN(from) ? (timestamps[0] ?? from) : from;
    to = timestamps[length - 1] ?? to;
    areWholeSeconds &&= timestamps.subarray(0, length).every((time) => time % 1_000 === 0);
    sequences.add(ordered);
    peaks.add(ordered);
    arrivals.add(ordered);
    bars.add(ordered, slots.slotOf);
  }

  function report({ isLast = true } = {}): FleetReport {
    if (isLast) {
      reorder.flush();
    } else {
      reorder.settle();
    }
    const clients = judgeClients({ names, totals, sequences, peaks, threshold, areWholeSeconds });
    const { worst, drawn, ...summary } = summarise(clients.judged(), {
      ipv6Prefix,
      hasTimeline: (client) => slots.slotOf(client) > 0,
    });
    const { histogram, ...concentration } = values.read();
    const derived = derivedValues.read();
    const source = derived.count === 0 ? 'none' : 'derived';
    const arrived = arrivals.read();
    const drawnBars = bars.read();
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
        timeline: timelineOf(drawnBars),
        interval_histogram: concentration.count === 0 ? derived.histogram : histogram,
        interval_histogram_source: concentration.count === 0 ? source : 'reported',
        client_timelines: drawn.map(({ client, name, pattern }) => ({
          client_ip: name,
          pattern,
          events: drawnBars?.of(slots.slotOf(client)) ?? [],
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

function timelineOf(bars: Bars | undefined): Timeline {
  return bars === undefined
    ? { from: 0, bar_ms: 1, events: [], retries: [] }
    : { from: bars.from, bar_ms: bars.barMs, events: bars.events, retries: bars.retries };
}
