/**
 * A day of abuse at the default brakes, second by second: what of it reaches the function, what the containers answer from
 * memory, and what is left for DynamoDB. Seeded: each run gives the same figures.
 */
import { VARIABLES } from '../../contract/configuration.ts';
import { parsePolicies } from '../../limiter/index.ts';
import { AWS_ITEMS, FUNCTION_GB, LONGEST_SESSION_MINUTES, OPENAI_PER_MINUTE } from '../../operator/commands/prices.ts';
import { markdownTable } from '../harness/markdown.ts';
import { seeded } from '../harness/seeded.ts';
import { dollars, dollarsBesideDynamoDb, dollarsFor } from './million.ts';

/** The defaults of lib/, and what AWS makes of them. */
export const BRAKES = { reservedConcurrency: 5, maxReadUnits: 50, maxWriteUnits: 50 } as const;
/** A Function URL takes ten times the reserved concurrency a second; more is refused before it costs anything at Lambda. */
const REQUESTS_PER_S = 10 * BRAKES.reservedConcurrency;
export const DAY_S = 86_400;
/** For how long a container believes a refusal. */
const BELIEVED_S = 2;

export interface Attack {
  readonly name: string;
  readonly perSecond: number;
  readonly addresses: number;
  readonly idempotencyKeys?: boolean;
}

export const ATTACKS: readonly Attack[] = [
  { name: 'one address', perSecond: 50, addresses: 1 },
  { name: '1,000 addresses', perSecond: 50, addresses: 1_000 },
  { name: 'a new address each time', perSecond: 50, addresses: Number.POSITIVE_INFINITY },
  {
    name: 'the same, each with an Idempotency-Key',
    perSecond: 50,
    addresses: Number.POSITIVE_INFINITY,
    idempotencyKeys: true,
  },
  { name: 'a new address each time', perSecond: 1_000, addresses: Number.POSITIVE_INFINITY },
  { name: 'a new address each time', perSecond: 10_000, addresses: Number.POSITIVE_INFINITY },
];

export interface Day {
  readonly sent: number;
  /** What reached the function. */
  readonly served: number;
  readonly keys: number;
  /** Refused without a request to DynamoDB. */
  readonly fromMemory: number;
  /** Answered `limiter_unavailable`, because the table was at its maximum. */
  readonly throttled: number;
  readonly reads: number;
  readonly writes: number;
}

export function simulateDay(attack: Attack): Day {
  const random = seeded(1);
  const reaching = Math.min(attack.perSecond, REQUESTS_PER_S);
  const table = createTable();
  const issuer = createIssuer(table, attack.idempotencyKeys === true);
  const isNew = attack.addresses === Number.POSITIVE_INFINITY;
  let visitors = 0;
  for (let second = 0; second < DAY_S; second += 1) {
    table.beginSecond();
    for (let request = 0; request < reaching; request += 1) {
      visitors += 1;
      const visitor = isNew ? visitors : Math.floor(random() * attack.addresses);
      const container = issuer.containers[Math.floor(random() * issuer.containers.length)];
      if (container !== undefined) {
        issuer.ask(visitor, container, second);
      }
    }
  }
  return { sent: attack.perSecond * DAY_S, served: reaching * DAY_S, ...table.used, ...issuer.outcomes };
}

type Units = 'reads' | 'writes';

/** A table with a maximum. What it does not serve costs nothing. */
function createTable() {
  const used = { reads: 0, writes: 0 };
  let left = { reads: 0, writes: 0 };
  return {
    used,
    beginSecond() {
      left = { reads: BRAKES.maxReadUnits, writes: BRAKES.maxWriteUnits };
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
  budgetGoneUntil: number;
  readonly refusedUntil: Map<number, number>;
}

/** What the limits say of a visitor, and what it takes to say so, without a lock. */
type Limited = { readonly by: 'visitor' | 'budget' | 'nobody'; readonly writes: number };

/** The way of a request, as far as DynamoDB sees it. A repeatable one reads its answer besides, and takes and gives back a lock. */
function createIssuer({ take }: ReturnType<typeof createTable>, repeatable: boolean) {
  const perVisitor = onlyLimit(VARIABLES.CLIENT_LIMITS.default);
  const forAll = onlyLimit(VARIABLES.GLOBAL_LIMITS.default);
  const containers: readonly Container[] = Array.from({ length: BRAKES.reservedConcurrency }, () => ({
    budgetGoneUntil: 0,
    refusedUntil: new Map(),
  }));
  const outcomes = { keys: 0, fromMemory: 0, throttled: 0 };
  const counted = new Map<string, number>();

  function limited(window: string): Limited {
    if ((counted.get(window) ?? 0) >= perVisitor.limit) {
      return { by: 'visitor', writes: 1 };
    }
    // At the budget's end the visitor's place is given back.
    return outcomes.keys < forAll.limit ? { by: 'nobody', writes: 2 } : { by: 'budget', writes: 3 };
  }

  function reserve(visitor: number, container: Container, second: number): void {
    const window = `${visitor} ${Math.floor((second * 1_000) / perVisitor.windowMs)}`;
    const { by, writes } = limited(window);
    if (!take('writes', writes + (repeatable ? 2 : 0))) {
      outcomes.throttled += 1;
    } else if (by === 'nobody') {
      outcomes.keys += 1;
      counted.set(window, (counted.get(window) ?? 0) + 1);
    } else if (by === 'visitor') {
      container.refusedUntil.set(visitor, second + BELIEVED_S);
    } else {
      container.budgetGoneUntil = second + BELIEVED_S;
    }
  }

  function ask(visitor: number, container: Container, second: number): void {
    const isKnown = Math.max(container.budgetGoneUntil, container.refusedUntil.get(visitor) ?? 0) > second;
    if (isKnown && !repeatable) {
      outcomes.fromMemory += 1;
    } else if (!take('reads', repeatable ? 3 : 2)) {
      outcomes.throttled += 1;
    } else if (!isKnown) {
      reserve(visitor, container, second);
    }
  }

  return { outcomes, containers, ask };
}

/** In AWS, as if nothing were free. */
export function dollarsOf(day: Day): {
  readonly dynamodb: number;
  readonly lambda: number;
  readonly cloudfront: number;
} {
  const cloudfront = dollarsFor('CloudFront', day.sent);
  const refused = dollarsBesideDynamoDb(day.served - day.keys, 'perRefusal');
  const keys = dollarsBesideDynamoDb(day.keys, 'perKey');
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
      `${((100 * day.fromMemory) / day.served).toFixed(0)} %`,
      whole(day.reads),
      whole(day.writes),
      dollars(dynamodb),
      dollars(lambda),
      dollars(cloudfront),
      dollars(dynamodb + lambda + cloudfront),
    ];
  });
  const heading = [
    'attack',
    'keys',
    'from memory',
    'reads',
    'writes',
    'DynamoDB',
    'Lambda, log',
    'CloudFront',
    'together',
  ];
  return markdownTable([heading, ...rows]);
}

/** What a day cannot cost more than, whatever anybody sends; for DynamoDB as far as AWS keeps to the maximum. */
export function ceilings() {
  const requests = REQUESTS_PER_S * DAY_S;
  const gbSeconds = BRAKES.reservedConcurrency * FUNCTION_GB * DAY_S;
  return {
    dynamodb:
      dollarsFor('DynamoDB reads', BRAKES.maxReadUnits * DAY_S) +
      dollarsFor('DynamoDB writes', BRAKES.maxWriteUnits * DAY_S),
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
  const { reservedConcurrency, maxReadUnits, maxWriteUnits } = BRAKES;
  return markdownTable([
    ['', 'at most', 'in a day'],
    ['DynamoDB', `${maxReadUnits} reads and ${maxWriteUnits} writes a second`, dollars(dynamodb)],
    ['Lambda requests, log', `${REQUESTS_PER_S} requests a second`, dollars(requests)],
    ['Lambda compute', `${reservedConcurrency} requests at once, however long OpenAI takes`, dollars(compute)],
    ['together', '', dollars(dynamodb + requests + compute)],
    ['CloudFront', 'no ceiling; for each 1,000 requests a second', dollars(dollarsFor('CloudFront', 1_000 * DAY_S))],
  ]);
}

/** What the keys of one day can cost at OpenAI. */
export function renderOpenAi(): string {
  const { limit } = onlyLimit(VARIABLES.GLOBAL_LIMITS.default);
  const worst = (perMinute: number) => dollars(limit * LONGEST_SESSION_MINUTES * perMinute);
  const heading = (model: string, perMinute: number) => `${model}, at an assumed ${dollars(perMinute)} a minute`;
  return markdownTable([
    ['keys in a day', heading('a mini model', OPENAI_PER_MINUTE.mini), heading('another', OPENAI_PER_MINUTE.other)],
    [
      `${limit}, for each session of ${LONGEST_SESSION_MINUTES} minutes that every key opens`,
      worst(OPENAI_PER_MINUTE.mini),
      worst(OPENAI_PER_MINUTE.other),
    ],
  ]);
}

function onlyLimit(text: string): { readonly limit: number; readonly windowMs: number } {
  const [policy] = parsePolicies(text);
  if (policy === undefined) {
    throw new TypeError(`${text} is no limit.`);
  }
  return policy;
}
