/** Takes decoded events and says in the end what each client does. Memory is bounded by `maxClients`. */
import { assess } from './core-rule.ts';
import type { EventBatch } from './event.ts';
import type { ClientReport, FleetReport } from './report.ts';

export interface FleetOptions {
  readonly maxClients: number;
  readonly threshold: number;
  readonly latenessMs: number;
  readonly now?: () => number;
}

export interface Fleet {
  readonly add: (batch: EventBatch) => void;
  readonly report: (options?: { readonly isLast?: boolean }) => FleetReport;
}

export function createFleet({ maxClients, threshold, now = Date.now }: FleetOptions): Fleet {
  const ids = new Map<string, number>();
  const totals = new Float64Array(maxClients);
  const counts = new Float64Array(maxClients);
  const means = new Float64Array(maxClients);
  const squares = new Float64Array(maxClients);
  let batchIds = new Int32Array(0);
  let further = 0;

  function idOf(name: string): number {
    const known = ids.get(name);
    if (known !== undefined || ids.size === maxClients) {
      return known ?? -1;
    }
    ids.set(name, ids.size);
    return ids.size - 1;
  }

  function* reports(): Generator<ClientReport> {
    for (const [name, id] of ids) {
      const [totalRequests = 0, count = 0, mean = 0] = [totals[id], counts[id], means[id]];
      const deviation = Math.sqrt((squares[id] ?? 0) / count);
      yield {
        client_ip: name,
        total_requests: totalRequests,
        ...assess({ totalRequests, intervals: { count, mean, deviation }, threshold }),
      };
    }
  }

  function addInterval(id: number, interval: number): void {
    const count = (counts[id] ?? 0) + 1;
    const mean = means[id] ?? 0;
    const moved = mean + (interval - mean) / count;
    counts[id] = count;
    means[id] = moved;
    squares[id] = (squares[id] ?? 0) + (interval - mean) * (interval - moved);
  }

  function addEvent(id: number, interval: number): void {
    if (id < 0) {
      further += 1;
      return;
    }
    totals[id] = (totals[id] ?? 0) + 1;
    if (interval >= 0) {
      addInterval(id, interval);
    }
  }

  return {
    add({ length, clients, names, intervals }) {
      if (names.length > batchIds.length) {
        batchIds = new Int32Array(names.length * 2);
      }
      for (let index = 0; index < names.length; index += 1) {
        batchIds[index] = idOf(names[index] ?? '');
      }
      for (let row = 0; row < length; row += 1) {
        addEvent(batchIds[clients[row] ?? 0] ?? -1, intervals[row] ?? Number.NaN);
      }
    },
    report() {
      return {
        evaluated_at: new Date(now()).toISOString(),
        threshold_requests_per_min: threshold,
        analyzed_clients: { length: ids.size, [Symbol.iterator]: reports, toJSON: () => [...reports()] },
        left_out: { events_of_further_clients: further, max_clients: maxClients },
      };
    },
  };
}
