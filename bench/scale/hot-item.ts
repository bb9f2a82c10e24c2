/**
 * Where one counter for everybody ends, and what could come then. A minute of demand for twice as many keys as there are,
 * spread over as many containers as it needs; each item takes 1,000 writes a second. Shards and leases are simulated here and
 * built nowhere. Seeded: each run gives the same figures.
 */
import { markdownTable } from '../harness/markdown.ts';
import { seeded } from '../harness/seeded.ts';

/** DynamoDB's bound for one partition, and so for one item. */
const WRITES_PER_S = 1_000;
const SECONDS = 60;
/** For how long a container believes a refusal. */
const BELIEVED_S = 2;
/** A key takes about a second, so there are as many containers as keys are asked for in a second. */
const KEY_S = 1;

export interface Strategy {
  readonly name: string;
  readonly shards: number;
  /** Places that a container takes at once, to give out by itself. */
  readonly lease: number;
  /** How many further shards are asked after a no. */
  readonly others: number;
}

export const STRATEGIES: readonly Strategy[] = [
  { name: 'one item, as built', shards: 1, lease: 1, others: 0 },
  { name: '8 shards', shards: 8, lease: 1, others: 0 },
  { name: '8 shards, after a no two others', shards: 8, lease: 1, others: 2 },
  { name: '16 shards', shards: 16, lease: 1, others: 0 },
  { name: 'leases of 20', shards: 1, lease: 20, others: 0 },
  { name: '4 shards, leases of 20, after a no two others', shards: 4, lease: 20, others: 2 },
];

export const DEMANDS = [500, 2_000, 10_000] as const;

export interface Minute {
  readonly budget: number;
  readonly given: number;
  /** How much had been given when somebody was first refused, as a share of the budget; undefined if nobody was. */
  readonly firstRefusal: number | undefined;
  /** Requests that got neither a yes nor a no, because the item had taken all that it can. */
  readonly unavailable: number;
  /** Of the item that is written most, in its busiest second. */
  readonly busiestItem: number;
}

export function simulateMinute(strategy: Strategy, perSecond: number): Minute {
  const random = seeded(1);
  const budget = (perSecond * SECONDS) / 2;
  const counter = createCounter(strategy, budget, random);
  const containers = Array.from({ length: perSecond * KEY_S }, () => ({ held: 0, refusedUntil: 0 }));
  let given = 0;
  let firstRefusal: number | undefined;
  let unavailable = 0;

  const ask = (container: (typeof containers)[number], second: number): void => {
    if (container.held === 0 && container.refusedUntil <= second) {
      const taken = counter.take();
      if (taken === undefined) {
        unavailable += 1;
        return;
      }
      container.held = taken;
      container.refusedUntil = taken === 0 ? second + BELIEVED_S : 0;
    }
    if (container.held > 0) {
      container.held -= 1;
      given += 1;
    } else {
      firstRefusal ??= given / budget;
    }
  };

  for (let second = 0; second < SECONDS; second += 1) {
    counter.beginSecond();
    for (let request = 0; request < perSecond; request += 1) {
      ask(containers[Math.floor(random() * containers.length)] ?? { held: 0, refusedUntil: 0 }, second);
    }
  }
  return { budget, given, firstRefusal, unavailable, busiestItem: counter.busiestItem() };
}

/** The budget, divided among items of which each takes so many writes a second. */
function createCounter({ shards, lease, others }: Strategy, budget: number, random: () => number) {
  const items = Array.from({ length: shards }, () => ({ left: Math.floor(budget / shards), writes: 0 }));
  let busiest = 0;

  /** 0 is a no; undefined, no answer. */
  function takeFrom(item: (typeof items)[number]): number | undefined {
    item.writes += 1;
    busiest = Math.max(busiest, item.writes);
    if (item.writes > WRITES_PER_S) {
      return;
    }
    const taken = Math.min(lease, item.left);
    item.left -= taken;
    return taken;
  }

  return {
    busiestItem: () => busiest,
    beginSecond() {
      for (const item of items) {
        item.writes = 0;
      }
    },
    /** @returns how many places were taken; undefined if an item gave no answer */
    take(): number | undefined {
      const first = Math.floor(random() * shards);
      const asked = [...items.slice(first), ...items.slice(0, first)].slice(0, 1 + others);
      for (const item of asked) {
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
      const { budget, given, firstRefusal, unavailable, busiestItem } = simulateMinute(strategy, perSecond);
      return [
        perSecond.toLocaleString('en'),
        strategy.name,
        busiestItem.toLocaleString('en'),
        percent(unavailable / (perSecond * SECONDS)),
        firstRefusal === undefined ? 'nobody' : percent(firstRefusal),
        percent(given / budget),
      ];
    }),
  );
  return markdownTable([
    [
      'asked a second',
      'the counter',
      'writes of its busiest item, a second',
      'unanswered',
      'first refused at',
      'given in the end',
    ],
    ...rows,
  ]);
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}
