/** Per client, what does not depend on the order of events: how many of which kind, and its intervals' mean and spread. */

export interface ClientTotals {
  /** @returns how many events this client has now */
  readonly add: (client: number, type: number, interval: number) => number;
  readonly read: (client: number) => Totals;
}

export interface Totals {
  readonly requests: number;
  readonly connects: number;
  readonly retries: number;
  /** Reported ones, in milliseconds; `deviation` is the population's. */
  readonly intervals: { readonly count: number; readonly mean: number; readonly deviation: number };
}

const CONNECT = 0;
const RETRY = 2;

/** Columns are allocated at once: memory that no client has touched costs nothing. */
export function createClientTotals(maxClients: number): ClientTotals {
  const requests = new Uint32Array(maxClients);
  const connects = new Uint32Array(maxClients);
  const retries = new Uint32Array(maxClients);
  const counts = new Uint32Array(maxClients);
  const means = new Float64Array(maxClients);
  // Sums of squares cancel each other out where intervals are long and alike. Welford's differences do not.
  const squares = new Float64Array(maxClients);

  function addInterval(client: number, interval: number): void {
    const count = (counts[client] ?? 0) + 1;
    const mean = means[client] ?? 0;
    const difference = interval - mean;
    const moved = mean + difference / count;
    counts[client] = count;
    means[client] = moved;
    squares[client] = (squares[client] ?? 0) + difference * (interval - moved);
  }

  return {
    add(client, type, interval) {
      const total = (requests[client] ?? 0) + 1;
      requests[client] = total;
      if (type === CONNECT) {
        connects[client] = (connects[client] ?? 0) + 1;
      } else if (type === RETRY) {
        retries[client] = (retries[client] ?? 0) + 1;
      }
      if (!Number.isNaN(interval)) {
        addInterval(client, interval);
      }
      return total;
    },
    read(client) {
      const count = counts[client] ?? 0;
      return {
        requests: requests[client] ?? 0,
        connects: connects[client] ?? 0,
        retries: retries[client] ?? 0,
        intervals: {
          count,
          mean: means[client] ?? 0,
          deviation: count === 0 ? 0 : Math.sqrt((squares[client] ?? 0) / count),
        },
      };
    },
  };
}
