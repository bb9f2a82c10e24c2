/**
 * Simulates a day of attacks with the default caps, second by second: how many requests reach the function, how many of them the
 * containers refuse from their caches, and what is left for DynamoDB. The random numbers are seeded: every run gives the same
 * figures.
 */
import { VARIABLES } from '../../contract/configuration.ts';
import { parsePolicies } from '../../limiter/index.ts';
import { AWS_ITEMS, FUNCTION_GB, LONGEST_SESSION_MINUTES, OPENAI_PER_MINUTE } from '../../operator/commands/prices.ts';
import { markdownTable } from '../harness/markdown.ts';
import { seeded } from '../harness/seeded.ts';
import { dollars, dollarsFor, dollarsWithoutDynamoDb } from './million.ts';

/** The defaults of lib/. */
export const DEFAULT_CAPS = { reservedConcurrency: 5, maxReadUnits: 50, maxWriteUnits: 50 } as const;
/** A Function URL accepts ten times the reserved concurrency a second. Lambda rejects the rest, and does not charge for it. */
const REQUESTS_PER_S = 10 * DEFAULT_CAPS.reservedConcurrency;
export const DAY_S = 86_400;
/** How long a container caches a refusal. */
const REFUSAL_CACHE_S = 2;

export interface Attack {
  readonly name: string;
  readonly perSecond: number;
  readonly addresses: number;
  readonly idempotencyKeys?: boolean;
}

export const ATTACKS: readonly Attack[] = [
  { name: 'one address', perSecond: 50, addresses: 1 },
  { name: '1,000 addresses', perSecond: 50, addresses: 1_000 },
  { name: 'a new address for each request', perSecond: 50, addresses: Number.POSITIVE_INFINITY },
  {
    name: 'a new address and Idempotency-Key for each request',
    perSecond: 50,
    addresses: Number.POSITIVE_INFINITY,
    idempotencyKeys: true,
  },
  { name: 'a new address for each request', perSecond: 1_000, addresses: Number.POSITIVE_INFINITY },
  { name: 'a new address for each request', perSecond: 10_000, addresses: Number.POSITIVE_INFINITY },
];

export interface Day {
  readonly sent: number;
  /** Requests that reached the function. */
  readonly served: number;
  readonly keys: number;
  /** Requests refused from the cache, without a request to DynamoDB. */
  readonly fromCache: number;
  /** Requests that ended with `limiter_unavailable`, because the table had reached its maximum. */
  readonly throttled: number;
  readonly reads: number;
  readonly writes: number;
}

export function simulateDay(attack: Attack): Day {
  const random = seeded(1);
  const servedPerSecond = Math.min(attack.perSecond, REQUESTS_PER_S);
  const table = createTable();
  const issuer = createIssuer(table, attack.idempotencyKeys === true);
  const isNewEachTime = attack.addresses === Number.POSITIVE_INFINITY;
  let visitors = 0;
  for (let second = 0; second < DAY_S; second += 1) {
    table.beginSecond();
    for (let request = 0; request < servedPerSecond; request += 1) {
      visitors += 1;
      const visitor = isNewEachTime ? visitors : Math.floor(random() * attack.addresses);
      const container = issuer.containers[Math.floor(random() * issuer.containers.length)];
      if (container !== undefined) {
        issuer.request(visitor, container, second);
      }
    }
  }
  return { sent: attack.perSecond * DAY_S, served: servedPerSecond * DAY_S, ...table.used, ...issuer.outcomes };
}

type Units = 'reads' | 'writes';

/** A table with a maximum throughput. Throttled requests cost nothing. */
function createTable() {
  const used = { reads: 0, writes: 0 };
  let left = { reads: 0, writes: 0 };
  return {
    used,
    beginSecond() {
      left = { reads: DEFAULT_CAPS.maxReadUnits, writes: DEFAULT_CAPS.maxWriteUnits };
    },
    take(kind: Units, units: number): boolean {
      if (left[kind] < units) {
        return false;
      }
      left[kind] -= units;
      used[kind] += units;
      return true;
    },
  };
}

interface Container {
  budgetRefusedUntil: number;
  readonly refusedUntil: Map<number, number>;
}

/** The decision of the limits on a visitor, and its writes, without those of a lock. */
type LimitDecision = { readonly refusedBy: 'visitor' | 'budget' | 'nobody'; readonly writes: number };

/** The issuer as DynamoDB sees it. With an Idempotency-Key, it also reads a stored response, and takes and releases a lock. */
function createIssuer({ take }: ReturnType<typeof createTable>, hasIdempotencyKey: boolean) {
  const perVisitor = onlyLimit(VARIABLES.CLIENT_LIMITS.default);
  const forAll = onlyLimit(VARIABLES.GLOBAL_LIMITS.default);
  const containers: readonly Container[] = Array.from({ length: DEFAULT_CAPS.reservedConcurrency }, () => ({
    budgetRefusedUntil: 0,
    refusedUntil: new Map(),
  }));
  const outcomes = { keys: 0, fromCache: 0, throttled: 0 };
  const counted = new Map<string, number>();

  function decide(window: string): LimitDecision {
    if ((counted.get(window) ?? 0) >= perVisitor.limit) {
      return { refusedBy: 'visitor', writes: 1 };
    }
    // If the budget is used up, the third write releases the visitor's place.
    return outcomes.keys < forAll.limit ? { refusedBy: 'nobody', writes: 2 } : { refusedBy: 'budget', writes: 3 };
  }

  function reserve(visitor: number, container: Container, second: number): void {
    const window = `${visitor} ${Math.floor((second * 1_000) / perVisitor.windowMs)}`;
    const { refusedBy, writes } = decide(window);
    if (!take('writes', writes + (hasIdempotencyKey ? 2 : 0))) {
      outcomes.throttled += 1;
    } else if (refusedBy === 'nobody') {
      outcomes.keys += 1;
      counted.set(window, (counted.get(window) ?? 0) + 1);
    } else if (refusedBy === 'visitor') {
      container.refusedUntil.set(visitor, second + REFUSAL_CACHE_S);
    } else {
      container.budgetRefusedUntil = second + REFUSAL_CACHE_S;
    }
  }

  function request(visitor: number, container: Container, second: number): void {
    const isCached = Math.max(container.budgetRefusedUntil, container.refusedUntil.get(visitor) ?? 0) > second;
    if (isCached && !hasIdempotencyKey) {
      outcomes.fromCache += 1;
    } else if (!take('reads', hasIdempotencyKey ? 3 : 2)) {
      outcomes.throttled += 1;
    } else if (!isCached) {
      reserve(visitor, container, second);
    }
  }

  return { outcomes, containers, request };
}

/** The dollars of AWS for a day, without the free amounts. */
export function dollarsOf(day: Day): {
  readonly dynamodb: number;
  readonly lambda: number;
  readonly cloudfront: number;
} {
  const cloudfront = dollarsFor('CloudFront', day.sent);
  const refused = dollarsWithoutDynamoDb(day.served - day.keys, 'perRefusal');
  const keys = dollarsWithoutDynamoDb(day.keys, 'perKey');
  return {
    dynamodb: dollarsFor('DynamoDB reads', day.reads) + dollarsFor('DynamoDB writes', day.writes),
    lambda: refused + keys - dollarsFor('CloudFront', day.served),
    cloudfront,
  };
}

export function renderWorstDay(): string {
  const rows = ATTACKS.map((attack) => {
    const day = simulateDay(attack);
    const { dynamodb, lambda, cloudfront } = dollarsOf(day);
    const whole = (value: number) => value.toLocaleString('en');
    return [
      `${attack.name}, ${whole(attack.perSecond)}/s`,
      whole(day.keys),
      `${((100 * day.fromCache) / day.served).toFixed(0)} %`,
      whole(day.reads),
      whole(day.writes),
      dollars(dynamodb),
      dollars(lambda),
      dollars(cloudfront),
      dollars(dynamodb + lambda + cloudfront),
    ];
  });
  const heading = ['attack', 'keys', 'from cache', 'reads', 'writes', 'DynamoDB', 'Lambda, log', 'CloudFront', 'total'];
  return markdownTable([heading, ...rows]);
}

/** The maximum dollars of a day, for any traffic. The maximum of DynamoDB is exact only as far as AWS enforces it. */
export function ceilings() {
  const requests = REQUESTS_PER_S * DAY_S;
  const gbSeconds = DEFAULT_CAPS.reservedConcurrency * FUNCTION_GB * DAY_S;
  return {
    dynamodb:
      dollarsFor('DynamoDB reads', DEFAULT_CAPS.maxReadUnits * DAY_S) +
      dollarsFor('DynamoDB writes', DEFAULT_CAPS.maxWriteUnits * DAY_S),
    requests:
      dollarsFor('Lambda requests', requests) + dollarsFor('CloudWatch Logs', requests * logGigabytesOfRequest()),
    compute: dollarsFor('Lambda compute', gbSeconds),
  };
}

function logGigabytesOfRequest(): number {
  return AWS_ITEMS.find(({ name }) => name === 'CloudWatch Logs')?.perRefusal ?? Number.NaN;
}

export function renderCeilings(): string {
  const { dynamodb, requests, compute } = ceilings();
  const { reservedConcurrency, maxReadUnits, maxWriteUnits } = DEFAULT_CAPS;
  return markdownTable([
    ['', 'at most', 'per day'],
    ['DynamoDB', `${maxReadUnits} reads and ${maxWriteUnits} writes a second`, dollars(dynamodb)],
    ['Lambda requests, log', `${REQUESTS_PER_S} requests a second`, dollars(requests)],
    ['Lambda compute', `${reservedConcurrency} requests at a time, however long OpenAI takes`, dollars(compute)],
    ['total', '', dollars(dynamodb + requests + compute)],
    ['CloudFront', 'no maximum; per 1,000 requests a second', dollars(dollarsFor('CloudFront', 1_000 * DAY_S))],
  ]);
}

/** What OpenAI can charge for the keys of one day. */
export function renderOpenAi(): string {
  const { limit } = onlyLimit(VARIABLES.GLOBAL_LIMITS.default);
  const worst = (perMinute: number) => dollars(limit * LONGEST_SESSION_MINUTES * perMinute);
  const heading = (model: string, perMinute: number) => `${model}, at an assumed ${dollars(perMinute)} a minute`;
  return markdownTable([
    [
      'keys per day',
      heading('a mini model', OPENAI_PER_MINUTE.mini),
      heading('another model', OPENAI_PER_MINUTE.other),
    ],
    [
      `${limit}, each opening one session of ${LONGEST_SESSION_MINUTES} minutes`,
      worst(OPENAI_PER_MINUTE.mini),
      worst(OPENAI_PER_MINUTE.other),
    ],
  ]);
}

function onlyLimit(text: string): { readonly limit: number; readonly windowMs: number } {
  const [policy] = parsePolicies(text);
  if (policy === undefined) {
    throw new TypeError(`Expected a limit, got ${JSON.stringify(text)}.`);
  }
  return policy;
}
