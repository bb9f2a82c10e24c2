/**
 * The throughput limit of the shared counter, and alternatives for a higher one. The simulation is a minute in which visitors
 * request twice as many keys as the budget has, from as many containers as that needs. Each item accepts 1,000 writes a second.
 * Shards and leases are only simulated, not implemented. The random numbers are seeded: every run gives the same figures.
 */
import { markdownTable } from '../harness/markdown.ts';
import { seeded } from '../harness/seeded.ts';

/** DynamoDB's limit for one partition, and therefore for one item. */
const WRITES_PER_S = 1_000;
const SECONDS = 60;
/** How long a container caches a refusal. */
const REFUSAL_CACHE_S = 2;
/** A request takes about a second, so there are as many containers as requests in a second. */
const REQUEST_S = 1;

export interface Strategy {
  readonly name: string;
  readonly shards: number;
  /** How many places a container takes from the counter at once, to hand them out itself. */
  readonly lease: number;
  /** How many further shards are tried after a refusal. */
  readonly furtherShards: number;
}

export const STRATEGIES: readonly Strategy[] = [
  { name: 'one item (as deployed)', shards: 1, lease: 1, furtherShards: 0 },
  { name: '8 shards', shards: 8, lease: 1, furtherShards: 0 },
  { name: '8 shards, 2 more after a refusal', shards: 8, lease: 1, furtherShards: 2 },
  { name: '16 shards', shards: 16, lease: 1, furtherShards: 0 },
  { name: 'leases of 20', shards: 1, lease: 20, furtherShards: 0 },
  { name: '4 shards, leases of 20, 2 more after a refusal', shards: 4, lease: 20, furtherShards: 2 },
];

export const DEMANDS = [500, 2_000, 10_000] as const;

export interface Minute {
  readonly budget: number;
  /** Keys issued. */
  readonly issued: number;
  /** The share of the budget that was issued before the first refusal. Undefined if there was no refusal. */
  readonly firstRefusal: number | undefined;
  /** Requests that got no decision, because the item had reached its maximum of writes. */
  readonly throttled: number;
  /** The writes to the busiest item in its busiest second. */
  readonly peakWrites: number;
}

export function simulateMinute(strategy: Strategy, perSecond: number): Minute {
  const random = seeded(1);
  const budget = (perSecond * SECONDS) / 2;
  const counter = createCounter(strategy, budget, random);
  const containers = Array.from({ length: perSecond * REQUEST_S }, () => ({ held: 0, refusedUntil: 0 }));
  let issued = 0;
  let firstRefusal: number | undefined;
  let throttled = 0;

  const request = (container: (typeof containers)[number], second: number): void => {
    if (container.held === 0 && container.refusedUntil <= second) {
      const taken = counter.take();
      if (taken === undefined) {
        throttled += 1;
        return;
      }
      container.held = taken;
      container.refusedUntil = taken === 0 ? second + REFUSAL_CACHE_S : 0;
    }
    if (container.held > 0) {
      container.held -= 1;
      issued += 1;
    } else {
      firstRefusal ??= issued / budget;
    }
  };

  for (let second = 0; second < SECONDS; second += 1) {
    counter.beginSecond();
    for (let count = 0; count < perSecond; count += 1) {
      request(containers[Math.floor(random() * containers.length)] ?? { held: 0, refusedUntil: 0 }, second);
    }
  }
  return { budget, issued, firstRefusal, throttled, peakWrites: counter.peakWrites() };
}

/** The budget, divided among items. Each item accepts a limited number of writes a second. */
function createCounter({ shards, lease, furtherShards }: Strategy, budget: number, random: () => number) {
  const items = Array.from({ length: shards }, () => ({ left: Math.floor(budget / shards), writes: 0 }));
  let peakWrites = 0;

  /** @returns how many places were taken; 0 is a refusal, undefined means that the item was throttled */
  function takeFrom(item: (typeof items)[number]): number | undefined {
    item.writes += 1;
    peakWrites = Math.max(peakWrites, item.writes);
    if (item.writes > WRITES_PER_S) {
      return;
    }
    const taken = Math.min(lease, item.left);
    item.left -= taken;
    return taken;
  }

  return {
    peakWrites: () => peakWrites,
    beginSecond() {
      for (const item of items) {
        item.writes = 0;
      }
    },
    /** @returns the same for the whole counter */
    take(): number | undefined {
      const first = Math.floor(random() * shards);
      const candidates = [...items.slice(first), ...items.slice(0, first)].slice(0, 1 + furtherShards);
      for (const item of candidates) {
        const taken = takeFrom(item);
        if (taken !== 0) {
          return taken;
        }
      }
      return 0;
    },
  };
}

export function renderHotItem(): string {
  const rows = DEMANDS.flatMap((perSecond) =>
    STRATEGIES.map((strategy) => {
      const { budget, issued, firstRefusal, throttled, peakWrites } = simulateMinute(strategy, perSecond);
      return [
        perSecond.toLocaleString('en'),
        strategy.name,
        peakWrites.toLocaleString('en'),
        percent(throttled / (perSecond * SECONDS)),
        firstRefusal === undefined ? 'no refusal' : percent(firstRefusal),
        percent(issued / budget),
      ];
    }),
  );
  return markdownTable([
    [
      'requests/s',
      'counter',
      'peak writes/s of one item',
      'throttled',
      'issued before the first refusal',
      'issued in total',
    ],
    ...rows,
  ]);
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}
