import fc from 'fast-check';
import { beforeAll, describe, it } from 'vitest';
import { reserveInFixedWindow } from '../../../limiter/algorithms/fixed-window.ts';
import { reserveInSlidingWindow } from '../../../limiter/algorithms/sliding-window.ts';
import { reserveInTokenBucket } from '../../../limiter/algorithms/token-bucket.ts';
import type { Item } from '../../../limiter/index.ts';
import type { BucketPolicy, FixedPolicy, Policy, SlidingPolicy } from '../../../limiter/policy/policy.ts';
import { type MemoryTable, memoryTable } from '../../support/memory-table.ts';
import { seededRandom } from '../../support/random.ts';
import { isLong, shortOrLong } from '../../support/runs.ts';
import { freshTable, isDynamoDbLocal, type TestTable } from '../../support/table.ts';
import { type Admission, type Reserve, runHistory, type Subject } from './history.ts';
import { bucketModel, fixedModel, type Model, slidingModel } from './model.ts';
import { type Schedule, schedules } from './schedules.ts';

const ONE_BY_ONE = shortOrLong(1_500, 20_000);
const INTERLEAVED = shortOrLong(250, 5_000);
const ON_DYNAMODB = shortOrLong(20, 300);
const TIMEOUT_MS = 600_000;
/** Short runs always use the same schedules, long runs use new ones. */
const SEED = isLong ? {} : { seed: 5 };

interface Proof<State, Limit extends Policy> {
  readonly reserve: Reserve<Limit>;
  readonly model: (counts: Schedule<Limit>['counts']) => Model<State, Limit>;
  readonly limit: (windowMs: number) => fc.Arbitrary<Limit>;
  /** Checks all admissions that were not released while the limit was the same, whatever the clocks did. */
  readonly bound: (times: readonly number[], limit: Limit) => void;
  /** Checks the item after every round. */
  readonly stored: (table: MemoryTable, rounds: Schedule<Limit>['rounds']) => void;
}

const remembers = (counts: 'each' | 'all') => (counts === 'each' ? 'for 30 s' : 'for ever');

const FIXED: Proof<ReturnType<typeof fixedModel>['empty'], FixedPolicy> = {
  reserve: reserveInFixedWindow,
  model: (counts) => fixedModel(remembers(counts)),
  limit: (windowMs) => fc.integer({ min: 1, max: 6 }).map((limit) => ({ algorithm: 'fixed', limit, windowMs })),
  bound(times, { limit, windowMs }) {
    for (const window of Map.groupBy(times, (time) => Math.floor(time / windowMs)).values()) {
      expectAtMost(window.length, limit);
    }
  },
  stored(table, rounds) {
    const highest = Math.max(...rounds.map(({ limit }) => limit.limit));
    for (const count of table.items().map((item) => numberIn(item, 'cnt'))) {
      expectAtMost(0, count);
      expectAtMost(count, highest);
    }
  },
};

const SLIDING: Proof<typeof slidingModel.empty, SlidingPolicy> = {
  reserve: reserveInSlidingWindow,
  model: () => slidingModel,
  limit: (windowMs) => fc.integer({ min: 1, max: 6 }).map((limit) => ({ algorithm: 'sliding', limit, windowMs })),
  bound: (times, { limit, windowMs }) => expectApart(times, limit + 1, windowMs),
  stored(table, rounds) {
    const highest = Math.max(...rounds.map(({ limit }) => limit.limit));
    for (const item of table.items()) {
      expectAtMost(Object.keys(item).filter((name) => /^s\d+$/.test(name)).length, highest);
    }
  },
};

const BUCKET: Proof<ReturnType<typeof bucketModel>['empty'], BucketPolicy> = {
  reserve: reserveInTokenBucket,
  model: (counts) => bucketModel(remembers(counts)),
  limit: (windowMs) =>
    fc
      .tuple(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 12 }))
      .map(([limit, burst]) => ({ algorithm: 'bucket', limit, burst: Math.min(limit, burst), windowMs })),
  bound(times, { limit, windowMs, burst }) {
    // Never more than burst + rate: between burst + n admissions there is at least the refill time of n tokens.
    for (let extra = 1; burst + extra <= times.length; extra += 1) {
      expectApart(times, burst + extra, Math.floor((extra * windowMs) / limit));
    }
  },
  stored(table) {
    for (const item of table.items()) {
      expectAtMost(numberIn(item, 'latest'), numberIn(item, 'full_at'));
    }
  },
};

/** @throws Error if any `count` of the times, in milliseconds, are within less than `lengthMs` */
function expectApart(times: readonly number[], count: number, lengthMs: number): void {
  const sorted = times.toSorted((a, b) => a - b);
  for (const [index, last] of sorted.entries()) {
    const first = sorted[index - count + 1];
    if (first !== undefined && last - first < lengthMs) {
      throw new Error(`${count} admissions within ${last - first} ms, which must be ${lengthMs} apart`);
    }
  }
}

function numberIn(item: Item, attribute: string): number {
  return Number(item[attribute]?.N ?? 0);
}

/** Used because Vitest's own expectations would take most of the time here. */
function expectAtMost(value: number, most: number): void {
  if (value > most) {
    throw new RangeError(`${value} is more than ${most}`);
  }
}

/** Checks the bound for the admissions since the limit last changed. */
function watching<State, Limit extends Policy>(
  proof: Proof<State, Limit>,
  schedule: Schedule<Limit>,
  table?: MemoryTable,
): Subject<State, Limit>['watch'] {
  let limit: Limit | undefined;
  let before = new Set<string>();
  return (admissions, round) => {
    if (limit !== round.limit) {
      const isOfRound = ({ place }: Admission<Limit>) => place.startsWith(`${schedule.rounds.indexOf(round)}.`);
      before = new Set(admissions.filter((each) => !isOfRound(each)).map(({ place }) => place));
      limit = round.limit;
    }
    const since = admissions.filter(({ place }) => !before.has(place));
    proof.bound(
      since.map(({ now }) => now),
      round.limit,
    );
    if (table !== undefined) {
      proof.stored(table, schedule.rounds);
    }
  };
}

async function inMemory<State, Limit extends Policy>(proof: Proof<State, Limit>, runs: number, atOnce: number) {
  const all = schedules({ limit: proof.limit, atOnce, rounds: 40 });
  const holds = fc.asyncProperty(all, async (schedule) => {
    const random = seededRandom(schedule.seed);
    const turns = (waiting: number) => Math.floor(random() * waiting);
    const table = memoryTable(atOnce > 1 ? turns : undefined);
    const watch = watching(proof, schedule, table);
    const { reserve } = proof;
    await runHistory(schedule, { table, reserve, model: proof.model(schedule.counts), random, watch });
  });
  await fc.assert(holds, { numRuns: runs, ...SEED });
}

let dynamodb: TestTable;
beforeAll(async () => {
  dynamodb = await freshTable();
});

async function onDynamoDb<State, Limit extends Policy>(proof: Proof<State, Limit>) {
  const all = schedules({ limit: proof.limit, atOnce: 4, rounds: 10 });
  const holds = fc.asyncProperty(all, async (schedule) => {
    const random = seededRandom(schedule.seed);
    const watch = watching(proof, schedule);
    const { reserve } = proof;
    await runHistory(schedule, { table: dynamodb, reserve, model: proof.model(schedule.counts), random, watch });
  });
  await fc.assert(holds, { numRuns: ON_DYNAMODB, ...SEED });
}

describe(`the fixed window, in ${ONE_BY_ONE} + ${INTERLEAVED} + ${ON_DYNAMODB} random schedules, agrees with its model`, () => {
  it('with one call after the other', () => inMemory(FIXED, ONE_BY_ONE, 1), TIMEOUT_MS);
  it(
    'with up to five concurrent calls, and their requests in any order',
    () => inMemory(FIXED, INTERLEAVED, 5),
    TIMEOUT_MS,
  );
  it.runIf(isDynamoDbLocal)(
    'with up to four concurrent callers on DynamoDB Local',
    () => onDynamoDb(FIXED),
    TIMEOUT_MS,
  );
});

describe(`the sliding window, in ${ONE_BY_ONE} + ${INTERLEAVED} + ${ON_DYNAMODB} random schedules, agrees with its model`, () => {
  it('with one call after the other', () => inMemory(SLIDING, ONE_BY_ONE, 1), TIMEOUT_MS);
  it(
    'with up to five concurrent calls, and their requests in any order',
    () => inMemory(SLIDING, INTERLEAVED, 5),
    TIMEOUT_MS,
  );
  it.runIf(isDynamoDbLocal)(
    'with up to four concurrent callers on DynamoDB Local',
    () => onDynamoDb(SLIDING),
    TIMEOUT_MS,
  );
});

describe(`the token bucket, in ${ONE_BY_ONE} + ${INTERLEAVED} + ${ON_DYNAMODB} random schedules, agrees with its model`, () => {
  it('with one call after the other', () => inMemory(BUCKET, ONE_BY_ONE, 1), TIMEOUT_MS);
  it(
    'with up to five concurrent calls, and their requests in any order',
    () => inMemory(BUCKET, INTERLEAVED, 5),
    TIMEOUT_MS,
  );
  it.runIf(isDynamoDbLocal)(
    'with up to four concurrent callers on DynamoDB Local',
    () => onDynamoDb(BUCKET),
    TIMEOUT_MS,
  );
});
