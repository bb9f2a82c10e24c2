/**
 * Simulates the log of a retry storm. A server goes down, and all clients lose their connections at the same moment.
 * Each client retries with its strategy. When the server is back, it admits 100 requests per second.
 * `npx node bench/retry-logs/storm-log.ts STRATEGY [core|issuer]` prints the log.
 */
import { argv } from 'node:process';
import { EVENT_TYPES, type EventBatch, type EventType } from '../../analyzer/parsing/event.ts';
import type { Verdict } from '../../lambda/answers/verdict.ts';
import { logLine } from '../../lambda/telemetry.ts';
import type { ViewerId } from '../../lambda/visitor/viewer.ts';
import { takeToken } from '../../resilience/index.ts';
import { seeded } from '../harness/seeded.ts';
import { STRATEGIES } from '../pictures/retry-waves.ts';

/**
 * Milliseconds to wait before each retry; retries are counted from 0. `page` is the page that caused the incident
 * behind this project.
 */
const STORM_STRATEGIES = { ...STRATEGIES, page: () => 3_000 } as const;
export type StormStrategy = keyof typeof STORM_STRATEGIES;

export interface StormEvent {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly client: string;
  readonly type: EventType;
  /** Milliseconds that the client waited before the event. */
  readonly waitedMs?: number;
}

export interface Storm {
  readonly strategy: StormStrategy;
  readonly clients: number;
  /** @default 60_000 */
  readonly downMs?: number;
  readonly random: () => number;
  /** @default consecutive addresses from 192.0.2.0 */
  readonly nameOf?: (client: number) => string;
}

export const STORM_AT = Date.UTC(2026, 0, 1, 12);
const LIMIT = { perSecond: 100, burst: 10 };
/** Network delay: connections break and requests arrive up to this many milliseconds apart. */
const NETWORK_MS = 5;

/** @returns events in order of time */
export function simulateStorm({ strategy, clients, downMs = 60_000, random, nameOf = address }: Storm): StormEvent[] {
  const wait = STORM_STRATEGIES[strategy];
  const events: StormEvent[] = [];
  const waiting: { at: number; waited: number; retries: number; client: string }[] = [];
  const retryLater = (client: string, at: number, retries: number) => {
    const waited = wait(retries, random());
    waiting.push({ at: at + waited + NETWORK_MS * random(), waited, retries: retries + 1, client });
  };
  for (let client = 0; client < clients; client += 1) {
    const at = STORM_AT + NETWORK_MS * random();
    events.push({ at, client: nameOf(client), type: 'disconnect' });
    retryLater(nameOf(client), at, 0);
  }
  let fullAt = STORM_AT + downMs;
  // Each refused attempt adds another one, so the list is sorted in every step. The earliest attempt is last.
  while (waiting.length > 0) {
    waiting.sort((one, other) => other.at - one.at);
    const [{ at, client, waited, retries }] = waiting.splice(-1) as [(typeof waiting)[number]];
    const decision = takeToken(fullAt, LIMIT, at);
    const isAdmitted = at >= STORM_AT + downMs && decision.allowed;
    fullAt = isAdmitted && decision.allowed ? decision.fullAt : fullAt;
    events.push({ at, client, type: isAdmitted ? 'connect' : 'retry', waitedMs: waited });
    if (!isAdmitted) {
      retryLater(client, at, retries);
    }
  }
  return events.sort((one, other) => one.at - other.at);
}

/** The event in the core schema, in whole milliseconds like in real logs. */
export function toCoreElement({ at, client, type, waitedMs }: StormEvent): Record<string, unknown> {
  return {
    timestamp: new Date(at).toISOString(),
    client_ip: client,
    event_type: type,
    ...(waitedMs === undefined ? {} : { retry_interval_ms: Math.round(waitedMs) }),
  };
}

/**
 * The event as the issuer logs it. The issuer does not know the clients' waits.
 * @returns undefined for a disconnect, which it does not see
 */
export function toIssuerLine({ at, client, type }: StormEvent): Record<string, unknown> | undefined {
  if (type === 'disconnect') {
    return undefined;
  }
  const verdict: Verdict =
    type === 'connect'
      ? {
          code: 'issued',
          key: { value: 'ek_simulated', expires_at: 0, session: { type: 'realtime', model: 'simulated' } },
          limit: undefined,
          replayed: false,
          failedOpen: false,
        }
      : { code: 'limiter_unavailable', reason: 'simulated', retryAt: at };
  return logLine({
    verdict,
    status: type === 'connect' ? 200 : 503,
    trace: { viewer: client as ViewerId },
    startedAt: Math.round(at),
    endedAt: Math.round(at) + 20,
    requestId: 'simulated',
    coldStart: false,
    functionName: 'simulated',
  });
}

export function toBatch(events: readonly StormEvent[]): EventBatch {
  const ids = new Map<string, number>();
  for (const { client } of events) {
    ids.set(client, ids.get(client) ?? ids.size);
  }
  return {
    length: events.length,
    timestamps: Float64Array.from(events, ({ at }) => Math.round(at)),
    clients: Uint32Array.from(events, ({ client }) => ids.get(client) ?? 0),
    names: [...ids.keys()],
    types: Uint8Array.from(events, ({ type }) => EVENT_TYPES.indexOf(type)),
    intervals: Float64Array.from(events, ({ waitedMs }) =>
      waitedMs === undefined ? Number.NaN : Math.round(waitedMs),
    ),
  };
}

function address(client: number): string {
  return `192.0.${2 + (client >> 8)}.${client & 255}`;
}

if (import.meta.main) {
  const [strategy = 'none', format = 'core'] = argv.slice(2);
  if (!(strategy in STORM_STRATEGIES && (format === 'core' || format === 'issuer'))) {
    const strategies = Object.keys(STORM_STRATEGIES).join('|');
    console.error(`Invalid arguments. Expected: npx node bench/retry-logs/storm-log.ts ${strategies} [core|issuer]`);
    process.exitCode = 2;
  } else {
    const events = simulateStorm({ strategy: strategy as StormStrategy, clients: 300, random: seeded(1) });
    if (format === 'core') {
      console.log(JSON.stringify(events.map(toCoreElement)));
    } else {
      for (const line of events.map(toIssuerLine)) {
        console.log(line === undefined ? '' : JSON.stringify(line));
      }
    }
  }
}
