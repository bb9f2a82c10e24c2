/**
 * What a decision costs: each of our algorithms, compared with a raw conditional write as the floor, with rate-limiter-flexible,
 * and with the limiter that adds first and compares afterwards. The benchmark runs on DynamoDB Local, which is faster than
 * DynamoDB, so the share of the code itself is larger than it would be in AWS.
 */
import { createLimiter, parsePolicies } from '../../../limiter/index.ts';
import type { Figure, Part } from '../../harness/figures.ts';
import { type LocalDynamoDb, startLocalDynamoDb } from '../../harness/local-dynamodb.ts';
import { alternate, median, medianRatio } from '../../harness/measure.ts';
import { type Contender, type ContenderName, createContenders, flexible, LIMIT, TABLE_NAME } from './contenders.ts';
import { measureRates, type Rates, rate, warmUp } from './rates.ts';

const CALLS_AT_LIMIT = 210;
const CONCURRENCIES = [1, 16, 64] as const;
const ROUNDS = { 1: 50, 16: 40, 64: 24 } as const;
/** For figures without a target. */
const FEWER_ROUNDS = 5;
const CACHED_CALLS = 20_000;

export async function decision(): Promise<Part> {
  await using dynamodb = await startLocalDynamoDb();
  const contenders = await createContenders(dynamodb);
  const figures: Figure[] = [];

  await warmUp(contenders);
  for (const concurrency of CONCURRENCIES) {
    const rates = await measureRates(contenders, WITH_TARGETS, concurrency, ROUNDS[concurrency]);
    figures.push(...figuresWithTargets(rates, concurrency));
  }
  for (const concurrency of CONCURRENCIES) {
    figures.push(
      ...figuresWithoutTargets(await measureRates(contenders, WITHOUT_TARGETS, concurrency, FEWER_ROUNDS), concurrency),
    );
  }
  figures.push(...(await cachedRefusals(dynamodb)));
  figures.push(...(await requestsPerDecision(contenders)), ...(await countersAfterHammering(contenders)));
  return { name: 'Decision', figures };
}

const WITH_TARGETS: readonly ContenderName[] = ['raw', 'fixed', 'flexible'];
const WITHOUT_TARGETS: readonly ContenderName[] = ['raw', 'fixed', 'sliding', 'bucket', 'addThenCompare'];

const OURS = [
  ['fixed', `\`${LIMIT}/1h\``],
  ['sliding', `\`sliding ${LIMIT}/1h\``],
  ['bucket', `\`bucket ${LIMIT}/1h\``],
] as const;

const OUTCOMES = ['allowed', 'refused'] as const;

function figuresWithTargets(rates: Rates, concurrency: number): Figure[] {
  return OUTCOMES.flatMap((outcome) => [
    decisionFigure(rates, `fixed ${outcome}`, `raw ${outcome}`, concurrency, TARGET_AGAINST_RAW[outcome]),
    decisionFigure(rates, `fixed ${outcome}`, `flexible ${outcome}`, concurrency, TARGET_AGAINST_PEER),
  ]);
}

function figuresWithoutTargets(rates: Rates, concurrency: number): Figure[] {
  return OUTCOMES.flatMap((outcome) => [
    decisionFigure(rates, `sliding ${outcome}`, `raw ${outcome}`, concurrency),
    decisionFigure(rates, `bucket ${outcome}`, `raw ${outcome}`, concurrency),
    decisionFigure(rates, `fixed ${outcome}`, `addThenCompare ${outcome}`, concurrency),
  ]);
}

const DISPLAY_NAMES = {
  raw: 'raw write',
  flexible: 'rate-limiter-flexible',
  addThenCompare: 'add, then compare',
  ...Object.fromEntries(OURS),
} as Record<ContenderName, string>;

function decisionFigure(
  rates: Rates,
  own: keyof Rates,
  other: keyof Rates,
  concurrency: number,
  target?: Figure['target'],
): Figure {
  const [name, outcome] = own.split(' ') as [ContenderName, string];
  const [peer] = other.split(' ') as [ContenderName];
  const what = `${DISPLAY_NAMES[name]} ${outcome} / ${DISPLAY_NAMES[peer]}, ${concurrency} at once`;
  return rateFigure(rates, what, own, other, target);
}

function rateFigure<Key extends string>(
  rates: Readonly<Record<Key, readonly number[]>>,
  what: string,
  own: Key,
  other: Key,
  target?: Figure['target'],
): Figure {
  const perSecond = (values: readonly number[]) => `${Math.round(median(values)).toLocaleString('en')}/s`;
  return {
    what,
    ratio: medianRatio(rates[own], rates[other]),
    target,
    ours: perSecond(rates[own]),
    other: perSecond(rates[other]),
  };
}

const TARGET_AGAINST_RAW = {
  allowed: {
    at: 'least',
    ratio: 0.95,
    reason:
      "The write carries the reservation's id, which identifies a retry after a lost response; the raw write counts a retry twice. " +
      'With one caller, the set of ids takes 3 to 5 % of the time, its clause in the condition 2 %, the window in the ' +
      "key's name 1 %, and our own code about 1 %.",
  },
  refused: {
    at: 'least',
    ratio: 0.95,
    reason:
      'The condition has one more clause, which distinguishes a retry after a lost response from a refusal. The write carries ' +
      "the reservation's id twice: for that clause and for the set.",
  },
} as const;
const TARGET_AGAINST_PEER = {
  at: 'least',
  ratio: 1.7,
  reason: 'The ratio varies between runs, from 1.6 to 2.4 on two cores, most of which DynamoDB Local uses.',
} as const;

/** A refusal from the cache of the process needs no request. rate-limiter-flexible can cache refusals too. */
async function cachedRefusals(dynamodb: LocalDynamoDb): Promise<Figure[]> {
  const { client } = dynamodb.client();
  const scopes = [{ name: 'cached', policies: parsePolicies('1/1h'), counts: 'each' }] as const;
  const now = Date.now();
  const limiter = createLimiter({ table: { client, name: TABLE_NAME }, scopes, now: () => now });
  const decide = async (subject: string) => (await limiter.reserve(subject)).admitted;
  const peer = flexible(client, { inMemoryBlockOnConsumed: LIMIT }).decide;
  await rate(2, 1, decide, () => 'someone');
  await rate(LIMIT + 1, 1, peer, () => 'someone');
  const rates = await alternate(
    {
      cached: () =>
        rate(
          CACHED_CALLS,
          1,
          (subject) => Promise.resolve(limiter.knownRefusal(subject) === undefined),
          () => 'someone',
        ),
      peer: () => rate(CACHED_CALLS, 1, peer, () => 'someone'),
      fromTable: () => rate(200, 16, decide, () => 'someone'),
    },
    FEWER_ROUNDS,
  );
  return [
    rateFigure(rates, 'a cached refusal / one from DynamoDB', 'cached', 'fromTable'),
    rateFigure(rates, "a cached refusal / rate-limiter-flexible's", 'cached', 'peer'),
  ];
}

async function requestsPerDecision(contenders: Record<ContenderName, Contender>): Promise<Figure[]> {
  const calls = 100;
  const counted = async ({ decide, takeRequests }: Contender, subjectOf: (call: number) => string) => {
    takeRequests();
    await rate(calls, 1, decide, subjectOf);
    return takeRequests() / calls;
  };
  const allowed = (name: ContenderName) => counted(contenders[name], (call) => `requests-${Math.floor(call / LIMIT)}`);
  const refused = (name: ContenderName) => counted(contenders[name], () => 'full-0');
  const peer = { allowed: await allowed('flexible'), refused: await refused('flexible') };
  const figures: Figure[] = [];
  for (const [name, text] of OURS) {
    for (const [outcome, own] of Object.entries({ allowed: await allowed(name), refused: await refused(name) })) {
      const other = peer[outcome as keyof typeof peer];
      figures.push({
        what: `requests, ${text} ${outcome} / rate-limiter-flexible`,
        ratio: own / other,
        ours: own.toFixed(2),
        other: other.toFixed(2),
      });
    }
  }
  return figures;
}

async function countersAfterHammering(contenders: Record<ContenderName, Contender>): Promise<Figure[]> {
  const counterOf = async ({ decide, counter }: Contender) => {
    await rate(CALLS_AT_LIMIT, 1, decide, () => 'hammering');
    return await counter('hammering');
  };
  const own = await counterOf(contenders.fixed);
  const peers = [
    ['rate-limiter-flexible', await counterOf(contenders.flexible)],
    ['add, then compare', await counterOf(contenders.addThenCompare)],
  ] as const;
  return peers.map(([name, other]) => ({
    what: `counter after ${CALLS_AT_LIMIT} calls at limit ${LIMIT} / ${name}`,
    ratio: own / other,
    ours: String(own),
    other: String(other),
  }));
}
