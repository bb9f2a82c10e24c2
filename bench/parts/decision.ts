/**
 * What a decision costs: each of our algorithms beside the raw conditional write that none can be faster than, beside
 * rate-limiter-flexible, and beside the limiter that adds first and compares afterwards. On DynamoDB Local, which is
 * quicker than DynamoDB, so that what the code itself takes shows more than it ever would in AWS.
 */
import { ConditionalCheckFailedException, type DynamoDB } from '@aws-sdk/client-dynamodb';
import { RateLimiterDynamo } from 'rate-limiter-flexible';
import { createLimiter, parsePolicies, type Table } from '../../limiter/index.ts';
import { createTable } from '../../local/aws/dynamodb.ts';
import { reservationOf } from '../functions/floor-requests.ts';
import type { Figure, Part } from '../harness/figures.ts';
import { type CountingClient, type LocalDynamoDb, startLocalDynamoDb } from '../harness/local-dynamodb.ts';
import { alternate, median, medianRatio } from '../harness/measure.ts';
import { addThenCompare } from '../incident/add-then-compare.ts';

const LIMIT = 10;
const WINDOW_S = 3_600;
const CALLS_AT_LIMIT = 210;
const CONCURRENCIES = [1, 16, 64] as const;
/** Short rounds, and many: what slows the machine down for a while then meets all contenders alike. One caller alone fills one item. */
const CALLS_PER_ROUND = { 1: LIMIT, 16: 32, 64: 128 } as const;
const ROUNDS = { 1: 50, 16: 40, 64: 24 } as const;
/** Of those without a target. */
const FEWER_ROUNDS = 5;
/** DynamoDB Local's engine is interpreted at first, and half as fast: by then it is compiled. */
const WARM_UP_CALLS = 600;
const PEERS_TABLE = 'rate-limiter-flexible';
const REFUSED_SUBJECTS = 20;
const REMEMBERED_CALLS = 20_000;

/** @returns whether the call is admitted */
type Decide = (subject: string) => Promise<boolean>;

interface Contender {
  readonly decide: Decide;
  readonly takeRequests: () => number;
  /** What the store has counted for a subject. */
  readonly counter: (subject: string) => Promise<number>;
}

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
    figures.push(...figuresWithout(await measureRates(contenders, NAMES, concurrency, FEWER_ROUNDS), concurrency));
  }
  figures.push(...(await rememberedRefusals(dynamodb)));
  figures.push(...(await requestsPerDecision(contenders)), ...(await countersAfterHammering(contenders)));
  return { name: 'Decision', figures };
}

const WITH_TARGETS = ['raw', 'fixed', 'flexible'] as const;
const NAMES = ['raw', 'fixed', 'sliding', 'bucket', 'addThenCompare'] as const;

type Name = (typeof WITH_TARGETS | typeof NAMES)[number];

async function createContenders(dynamodb: LocalDynamoDb): Promise<Record<Name, Contender>> {
  const { client } = dynamodb.client();
  const name = 'limits';
  await createTable(client, name);
  await client.createTable({
    TableName: PEERS_TABLE,
    KeySchema: [{ AttributeName: 'key', KeyType: 'HASH' }],
    AttributeDefinitions: [{ AttributeName: 'key', AttributeType: 'S' }],
    BillingMode: 'PAY_PER_REQUEST',
  });
  const contender = (build: (table: Table & { client: DynamoDB }) => Omit<Contender, 'takeRequests'>): Contender => {
    const counting: CountingClient = dynamodb.client();
    return { ...build({ client: counting.client, name }), takeRequests: counting.takeRequests };
  };
  return {
    raw: contender(rawWrite),
    fixed: contender((table) => ours(table, `${LIMIT}/1h`)),
    sliding: contender((table) => ours(table, `sliding ${LIMIT}/1h`)),
    bucket: contender((table) => ours(table, `bucket ${LIMIT}/1h burst ${LIMIT}`)),
    flexible: contender(({ client }) => flexible(client)),
    addThenCompare: contender((table) => addsFirst(table)),
  };
}

/** The floor: one conditional write, and nothing around it. */
function rawWrite({ client, name }: { readonly client: DynamoDB; readonly name: string }) {
  const keyOf = (subject: string) => `raw#${subject}`;
  const decide: Decide = async (subject) => {
    try {
      await client.updateItem(reservationOf(name, keyOf(subject), String(LIMIT)));
      return true;
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) {
        return false;
      }
      throw error;
    }
  };
  return {
    decide,
    async counter(subject: string) {
      const Key = { pk: { S: keyOf(subject) } };
      const { Item } = await client.getItem({ TableName: name, Key, ConsistentRead: true });
      return Number(Item?.['cnt']?.N);
    },
  };
}

function ours(table: Table, text: string) {
  // One instant for the whole run: no window ends in the middle of it.
  const now = Date.now();
  const scopes = [{ name: 'client', policies: parsePolicies(text), counts: 'each' }] as const;
  const limiter = createLimiter({ table, scopes, now: () => now });
  return {
    decide: async (subject: string) => (await limiter.reserve(subject)).admitted,
    async counter(subject: string) {
      const outcome = await limiter.reserve(subject);
      const { limit, remaining } = outcome.admitted ? outcome.nearest : outcome.state;
      return limit - remaining;
    },
  };
}

function flexible(storeClient: DynamoDB, further: { readonly inMemoryBlockOnConsumed?: number } = {}) {
  const options = { ...further, storeClient, tableName: PEERS_TABLE, tableCreated: true, ttlSet: true };
  const limiter = new RateLimiterDynamo({ ...options, points: LIMIT, duration: WINDOW_S, keyPrefix: 'peer' });
  return {
    decide: (subject: string) =>
      limiter.consume(subject).then(
        () => true,
        (refusal: unknown) => {
          if (refusal instanceof Error) {
            throw refusal;
          }
          return false;
        },
      ),
    counter: async (subject: string) => (await limiter.get(subject))?.consumedPoints ?? 0,
  };
}

function addsFirst(table: Table) {
  const ask = (subject: string) => addThenCompare(table, subject, LIMIT, WINDOW_S * 1_000, Date.now());
  return {
    decide: async (subject: string) => (await ask(subject)).admitted,
    // It has no way to look without adding.
    counter: async (subject: string) => (await ask(subject)).counter - 1,
  };
}

async function warmUp(contenders: Record<Name, Contender>): Promise<void> {
  for (const [name, { decide }] of Object.entries(contenders)) {
    await rate(REFUSED_SUBJECTS * LIMIT, 8, decide, (call) => `full-${call % REFUSED_SUBJECTS}`);
    await rate(WARM_UP_CALLS / 2, 16, decide, (call) => `full-${call % REFUSED_SUBJECTS}`);
    await rate(WARM_UP_CALLS / 2, 16, decide, (call) => `${name}-${Math.floor(call / LIMIT)}`);
  }
}

type Rates = Record<`${Name} ${'allowed' | 'refused'}`, number[]>;

/** Decisions a second, of calls that are allowed and of calls that are refused. What is compared stands side by side. */
async function measureRates(
  contenders: Record<Name, Contender>,
  names: readonly Name[],
  concurrency: 1 | 16 | 64,
  rounds: number,
): Promise<Rates> {
  const calls = CALLS_PER_ROUND[concurrency];
  let round = 0;
  const allowed = names.map((name) => [
    `${name} allowed`,
    () => {
      round += 1;
      const prefix = `${names.length}-${concurrency}-${round}`;
      return rate(
        calls,
        concurrency,
        contenders[name].decide,
        (call) => `${prefix}-${call % Math.ceil(calls / LIMIT)}`,
      );
    },
  ]);
  const refused = names.map((name) => [
    `${name} refused`,
    () => rate(calls, concurrency, contenders[name].decide, (call) => `full-${call % REFUSED_SUBJECTS}`),
  ]);
  return await alternate(Object.fromEntries([...allowed, ...refused]), rounds);
}

async function rate(
  calls: number,
  concurrency: number,
  decide: Decide,
  subjectOf: (call: number) => string,
): Promise<number> {
  const startedAt = performance.now();
  let next = 0;
  const caller = async () => {
    while (next < calls) {
      next += 1;
      await decide(subjectOf(next - 1));
    }
  };
  await Promise.all(Array.from({ length: concurrency }, caller));
  return calls / ((performance.now() - startedAt) / 1_000);
}

const OURS = [
  ['fixed', `\`${LIMIT}/1h\``],
  ['sliding', `\`sliding ${LIMIT}/1h\``],
  ['bucket', `\`bucket ${LIMIT}/1h\``],
] as const;

const OUTCOMES = ['allowed', 'refused'] as const;

function figuresWithTargets(rates: Rates, concurrency: number): Figure[] {
  return OUTCOMES.flatMap((outcome) => [
    decisionFigure(rates, `fixed ${outcome}`, `raw ${outcome}`, concurrency, OF_RAW[outcome]),
    decisionFigure(rates, `fixed ${outcome}`, `flexible ${outcome}`, concurrency, OF_PEER),
  ]);
}

function figuresWithout(rates: Rates, concurrency: number): Figure[] {
  return OUTCOMES.flatMap((outcome) => [
    decisionFigure(rates, `sliding ${outcome}`, `raw ${outcome}`, concurrency),
    decisionFigure(rates, `bucket ${outcome}`, `raw ${outcome}`, concurrency),
    decisionFigure(rates, `fixed ${outcome}`, `addThenCompare ${outcome}`, concurrency),
  ]);
}

const WORDS = {
  raw: 'raw write',
  flexible: 'rate-limiter-flexible',
  addThenCompare: 'add, then compare',
  ...Object.fromEntries(OURS),
} as Record<Name, string>;

function decisionFigure(
  rates: Rates,
  own: keyof Rates,
  other: keyof Rates,
  concurrency: number,
  target?: Figure['target'],
): Figure {
  const [name, outcome] = own.split(' ') as [Name, string];
  const [peer] = other.split(' ') as [Name];
  const what = `${WORDS[name]} ${outcome} / ${WORDS[peer]}, ${concurrency} at once`;
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

const OF_RAW = {
  allowed: {
    at: 'least',
    ratio: 0.95,
    reason:
      "The write carries the reservation's id, by which a repeat after a lost answer is recognised; the raw write counts it twice. " +
      'With one caller, the set of ids takes 3 to 5 % of the time, its clause of the condition 2 %, the window in the ' +
      "key's name 1 %; our own code about 1 %.",
  },
  refused: {
    at: 'least',
    ratio: 0.95,
    reason:
      'The condition has a clause more, by which a repeat after a lost answer is told from a refusal, and the write carries ' +
      "the reservation's id twice: for the clause and for the set.",
  },
} as const;
const OF_PEER = {
  at: 'least',
  ratio: 1.7,
  reason: 'It differs from run to run, 1.6 to 2.4 on two cores, of which DynamoDB Local takes most.',
} as const;

/** A refusal that the process remembers needs no request at all; rate-limiter-flexible can do that too. */
async function rememberedRefusals(dynamodb: LocalDynamoDb): Promise<Figure[]> {
  const { client } = dynamodb.client();
  const scopes = [{ name: 'cached', policies: parsePolicies('1/1h'), counts: 'each' }] as const;
  const now = Date.now();
  const limiter = createLimiter({ table: { client, name: 'limits' }, scopes, now: () => now });
  const ask = async (subject: string) => (await limiter.reserve(subject)).admitted;
  const peer = flexible(client, { inMemoryBlockOnConsumed: LIMIT }).decide;
  await rate(2, 1, ask, () => 'someone');
  await rate(LIMIT + 1, 1, peer, () => 'someone');
  const rates = await alternate(
    {
      remembered: () =>
        rate(
          REMEMBERED_CALLS,
          1,
          (subject) => Promise.resolve(limiter.knownRefusal(subject) === undefined),
          () => 'someone',
        ),
      peer: () => rate(REMEMBERED_CALLS, 1, peer, () => 'someone'),
      asked: () => rate(200, 16, ask, () => 'someone'),
    },
    FEWER_ROUNDS,
  );
  const what = 'a refusal that is remembered';
  return [
    rateFigure(rates, `${what} / one that is asked for`, 'remembered', 'asked'),
    rateFigure(rates, `${what} / rate-limiter-flexible's`, 'remembered', 'peer'),
  ];
}

async function requestsPerDecision(contenders: Record<Name, Contender>): Promise<Figure[]> {
  const calls = 100;
  const counted = async ({ decide, takeRequests }: Contender, subjectOf: (call: number) => string) => {
    takeRequests();
    await rate(calls, 1, decide, subjectOf);
    return takeRequests() / calls;
  };
  const allowed = (name: Name) => counted(contenders[name], (call) => `requests-${Math.floor(call / LIMIT)}`);
  const refused = (name: Name) => counted(contenders[name], () => 'full-0');
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

async function countersAfterHammering(contenders: Record<Name, Contender>): Promise<Figure[]> {
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
