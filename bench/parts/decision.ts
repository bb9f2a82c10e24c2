/**
 * What a decision costs: each of our algorithms beside the raw conditional write that none can be faster than, beside
 * rate-limiter-flexible, and beside the limiter that adds first and compares afterwards. On DynamoDB Local, which is
 * quicker than DynamoDB, so that what the code itself takes shows more than it ever would in AWS.
 */
import { ConditionalCheckFailedException, type DynamoDB } from '@aws-sdk/client-dynamodb';
import { RateLimiterDynamo } from 'rate-limiter-flexible';
import { createLimiter, parsePolicies, type Table } from '../../limiter/index.ts';
import { createTable } from '../../local/dynamodb.ts';
import { addThenCompare } from '../add-then-compare.ts';
import type { Figure, Part } from '../figures.ts';
import { type CountingClient, type LocalDynamoDb, startLocalDynamoDb } from '../local-dynamodb.ts';
import { alternate, median, medianRatio } from '../measure.ts';

const LIMIT = 10;
const WINDOW_S = 3_600;
const CALLS_AT_LIMIT = 210;
const CONCURRENCIES = [1, 16, 64] as const;
const CALLS_PER_ROUND = { 1: 32, 16: 96, 64: 128 } as const;
const ROUNDS = 13;
const PEERS_TABLE = 'rate-limiter-flexible';
const REFUSED_SUBJECTS = 20;

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

  for (const concurrency of CONCURRENCIES) {
    const rates = await measureRates(contenders, concurrency);
    figures.push(...ratesAsFigures(rates, concurrency));
  }
  figures.push(await cachedRefusal(dynamodb));
  figures.push(...(await requestsPerDecision(contenders)), ...(await countersAfterHammering(contenders)));
  return { name: 'Decision', figures };
}

type Name = 'raw' | 'fixed' | 'sliding' | 'bucket' | 'flexible' | 'addThenCompare';

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
  const key = (subject: string) => ({ pk: { S: `raw#${subject}` } });
  const decide: Decide = async (subject) => {
    try {
      await client.updateItem({
        TableName: name,
        Key: key(subject),
        UpdateExpression: 'SET expires_at = :kept_until ADD cnt :one',
        ConditionExpression: 'attribute_not_exists(cnt) OR cnt < :limit',
        ExpressionAttributeValues: { ':one': { N: '1' }, ':limit': { N: String(LIMIT) }, ':kept_until': { N: '1' } },
        ReturnValues: 'ALL_NEW',
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      });
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
      const { Item } = await client.getItem({ TableName: name, Key: key(subject), ConsistentRead: true });
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

function flexible(storeClient: DynamoDB) {
  const options = { storeClient, tableName: PEERS_TABLE, tableCreated: true, ttlSet: true };
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

type Rates = Record<`${Name} ${'allowed' | 'refused'}`, number[]>;

/** Decisions a second, of calls that are allowed and of calls that are refused. */
async function measureRates(contenders: Record<Name, Contender>, concurrency: 1 | 16 | 64): Promise<Rates> {
  const calls = CALLS_PER_ROUND[concurrency];
  let round = 0;
  const measured = Object.entries(contenders).filter(([name]) => concurrency === 16 || isShownEverywhere(name));
  const blocks = measured.flatMap(([name, { decide }]) => [
    [
      `${name} allowed`,
      () => {
        round += 1;
        const prefix = `${concurrency}-${round}`;
        return rate(calls, concurrency, decide, (call) => `${prefix}-${call % Math.ceil(calls / LIMIT)}`);
      },
    ],
    [`${name} refused`, () => rate(calls, concurrency, decide, (call) => `full-${call % REFUSED_SUBJECTS}`)],
  ]);
  for (const [, { decide }] of measured) {
    await rate(REFUSED_SUBJECTS * (LIMIT + 1), 8, decide, (call) => `full-${call % REFUSED_SUBJECTS}`);
  }
  return await alternate(Object.fromEntries(blocks), ROUNDS);
}

/** The others are measured at 16 callers only. */
function isShownEverywhere(name: string): boolean {
  return name === 'raw' || name === 'fixed' || name === 'flexible';
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

function ratesAsFigures(rates: Rates, concurrency: number): Figure[] {
  const perSecond = (values: readonly number[]) => `${Math.round(median(values)).toLocaleString('en')}/s`;
  const row = (what: string, own: readonly number[], other: readonly number[], target?: Figure['target']): Figure => ({
    what: `${what}, ${concurrency} at once`,
    ratio: medianRatio(own, other),
    target,
    ours: perSecond(own),
    other: perSecond(other),
  });
  return (['allowed', 'refused'] as const).flatMap((outcome) => {
    const raw = rates[`raw ${outcome}`];
    return [
      ...OURS.filter(([name]) => name === 'fixed' || concurrency === 16).map(([name, text]) =>
        row(`${text} ${outcome} / raw write`, rates[`${name} ${outcome}`], raw, name === 'fixed' ? OF_RAW : undefined),
      ),
      row(
        `\`${LIMIT}/1h\` ${outcome} / rate-limiter-flexible`,
        rates[`fixed ${outcome}`],
        rates[`flexible ${outcome}`],
        OF_PEER,
      ),
      ...(concurrency === 16
        ? [
            row(
              `\`${LIMIT}/1h\` ${outcome} / add, then compare`,
              rates[`fixed ${outcome}`],
              rates[`addThenCompare ${outcome}`],
            ),
          ]
        : []),
    ];
  });
}

const OF_RAW = {
  at: 'least',
  ratio: 0.95,
  reason:
    "The write carries the reservation's id, by which a repeat is recognised: a longer expression for the engine to read.",
} as const;
const OF_PEER = {
  at: 'least',
  ratio: 1.7,
  reason: 'It differs from run to run, 1.5 to 2.1 on two cores, of which DynamoDB Local takes most.',
} as const;

/** A refusal that the process remembers needs no request at all. */
async function cachedRefusal(dynamodb: LocalDynamoDb): Promise<Figure> {
  const calls = 100_000;
  const { client } = dynamodb.client();
  const scopes = [{ name: 'cached', policies: parsePolicies('1/1h'), counts: 'each' }] as const;
  const now = Date.now();
  const limiter = createLimiter({ table: { client, name: 'limits' }, scopes, now: () => now });
  await limiter.reserve('someone');
  await limiter.reserve('someone');
  const remembered = () => {
    const startedAt = performance.now();
    for (let call = 0; call < calls; call += 1) {
      limiter.knownRefusal('someone');
    }
    return calls / ((performance.now() - startedAt) / 1_000);
  };
  const asked = () =>
    rate(
      200,
      16,
      async (subject) => (await limiter.reserve(subject)).admitted,
      () => 'someone',
    );
  const rates = await alternate({ remembered: () => Promise.resolve(remembered()), asked }, 5);
  return {
    what: `a refusal that is remembered / one that is asked for`,
    ratio: medianRatio(rates.remembered, rates.asked),
    ours: `${Math.round(median(rates.remembered)).toLocaleString('en')}/s`,
    other: `${Math.round(median(rates.asked)).toLocaleString('en')}/s`,
  };
}

async function requestsPerDecision(contenders: Record<Name, Contender>): Promise<Figure[]> {
  const calls = 200;
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
