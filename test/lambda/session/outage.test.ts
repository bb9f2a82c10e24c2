import { setImmediate } from 'node:timers/promises';
import type { SSMClient } from '@aws-sdk/client-ssm';
import { beforeAll, describe, expect, it } from 'vitest';
import { readConfiguration } from '../../../contract/configuration.ts';
import { MINT_TIMEOUT_MS } from '../../../contract/times.ts';
import type { Verdict } from '../../../lambda/answers/verdict.ts';
import { issueSession } from '../../../lambda/session/issue-session.ts';
import { createIssuer, warmUp } from '../../../lambda/session/issuer.ts';
import { parsePolicies } from '../../../limiter/index.ts';
import { createFakeClock, type FakeClock } from '../../resilience/fake-clock.ts';
import { freshTable, type TestTable } from '../../support/table.ts';

const NOON = Date.UTC(2026, 0, 1, 12);
/** Seconds of virtual time. */
const OUTAGE_S = 120;
const LOAD_S = 140;
/** A visitor comes every so often. */
const EVERY_S = 2;
const COOLDOWN_S = 10;
/** Until the last who asked in vain has heard so. */
const SLOWEST_REFUSAL_S = MINT_TIMEOUT_MS / 1_000;

interface Run {
  /** What each visitor heard. */
  readonly verdicts: Verdict[];
  /** How long they were told to wait. */
  readonly waitsS: number[];
  /** When requests reached OpenAI, in seconds from the start. */
  readonly arrivalsS: number[];
  /** The counters when the outage is over and all who met it have heard so, and at the end. */
  readonly countsAfterOutage: number[];
  readonly counts: number[];
}

type Upstream = (signal: AbortSignal | null | undefined) => Promise<Response>;

/** OpenAI is down in the way that is given, and visitors go on coming. */
async function runOutage(down: Upstream): Promise<Run> {
  const clock = createFakeClock(NOON);
  const { table, settle } = await watchedTable();
  const elapsedS = () => (clock.now() - NOON) / 1_000;
  const arrivalsS: number[] = [];
  const issuer = createIssuer({
    configuration: readConfiguration({ TABLE_NAME: table.name, OPENAI_KEY_PARAMETER: '/key' }, parsePolicies),
    session: { type: 'realtime', model: 'a-model' },
    dynamodb: table.client,
    ssm: { send: () => Promise.resolve({ Parameter: { Value: 'sk-test' } }) } as unknown as SSMClient,
    fetch: (_, init) => {
      arrivalsS.push(elapsedS());
      return elapsedS() < OUTAGE_S ? down(init?.signal) : Promise.resolve(minted(clock));
    },
    clock,
    random: () => 0,
  });
  await warmUp(issuer, clock);

  const verdicts: Promise<Verdict>[] = [];
  const waitsS: number[] = [];
  let countsAfterOutage: number[] = [];
  async function visit(address: string): Promise<Verdict> {
    const verdict = await issueSession({ address, idempotencyKey: undefined }, issuer, {});
    if ('retryAt' in verdict) {
      waitsS.push((verdict.retryAt - clock.now()) / 1_000);
    }
    return verdict;
  }
  while (elapsedS() < LOAD_S) {
    verdicts.push(visit(`203.0.113.${elapsedS()}`));
    await settle();
    await clock.advance(EVERY_S * 1_000);
    await settle();
    if (elapsedS() === OUTAGE_S + SLOWEST_REFUSAL_S) {
      countsAfterOutage = Object.values(await table.counters());
    }
  }
  const counts = Object.values(await table.counters());
  return { verdicts: await Promise.all(verdicts), waitsS, arrivalsS, countsAfterOutage, counts };
}

function minted(clock: FakeClock): Response {
  const expires_at = Math.floor(clock.now() / 1_000) + 60;
  return Response.json({ value: 'ek_test', expires_at, session: { type: 'realtime', model: 'a-model' } });
}

/** A table, and a wait until no request to it is under way: DynamoDB is real, and virtual time stands still for it. */
async function watchedTable(): Promise<{ readonly table: TestTable; readonly settle: () => Promise<void> }> {
  const table = await freshTable();
  const underWay = new Set<Promise<unknown>>();
  table.client.middlewareStack.add(
    (next) => (args) => {
      const request = next(args);
      const remove = () => underWay.delete(over);
      const over: Promise<boolean> = request.then(remove, remove);
      underWay.add(over);
      return request;
    },
    { step: 'initialize', name: 'underWay' },
  );
  return {
    table,
    async settle() {
      do {
        await Promise.all(underWay);
        await setImmediate();
      } while (underWay.size > 0);
    },
  };
}

const refuses: Upstream = () =>
  Promise.reject(new TypeError('fetch failed', { cause: Object.assign(new Error('no'), { code: 'ECONNREFUSED' }) }));

const hangs: Upstream = (signal) =>
  new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));

/** From, to and step, in seconds. */
function every(stepS: number, fromS: number, toS: number): number[] {
  return Array.from({ length: Math.floor((toS - fromS) / stepS) + 1 }, (_, index) => fromS + index * stepS);
}

describe.each([
  // Two attempts for each visitor, until the fifth failure in a row; then one in 10 s, which fails at once.
  { way: 'refuses connections', down: refuses, failsAfterS: 0, untilOpen: [0, 0, 2, 2, 4], probes: every(10, 14, 114) },
  // The first attempts fail at 4, 6, 8, …, and each is followed by a second; a probe takes 4 s of the 14 between two.
  {
    way: 'does not answer',
    down: hangs,
    failsAfterS: 4,
    untilOpen: [0, 2, 4, 4, 6, 6, 8, 8],
    probes: every(14, 20, 118),
  },
])('OpenAI $way for two minutes', ({ down, failsAfterS, untilOpen, probes }) => {
  const recoveryS = (probes.at(-1) ?? 0) + failsAfterS + COOLDOWN_S;
  const inVain = recoveryS / EVERY_S;
  const keys = LOAD_S / EVERY_S - inVain;
  let run: Run;
  beforeAll(async () => {
    run = await runOutage(down);
  });

  it('what reaches it while the breaker is open are the probes, and after one that succeeds all', () => {
    expect(run.arrivalsS).toEqual([...untilOpen, ...probes, ...every(EVERY_S, recoveryS, LOAD_S - EVERY_S)]);
  });

  it('visitors are well again within one cooldown after the last failure', () => {
    expect(run.verdicts.map(({ code }) => code)).toEqual([
      ...Array<string>(inVain).fill('upstream_unavailable'),
      ...Array<string>(keys).fill('issued'),
    ]);
    expect(recoveryS).toBeLessThanOrEqual(OUTAGE_S + failsAfterS + COOLDOWN_S);
  });

  it('nobody is told to wait for more than the cooldown, or for nothing', () => {
    expect(Math.max(...run.waitsS)).toBeLessThanOrEqual(COOLDOWN_S);
    expect(Math.min(...run.waitsS)).toBeGreaterThan(0);
  });

  it('every place is given back, and the counters say how many keys left', () => {
    expect(run.countsAfterOutage.length).toBeGreaterThan(OUTAGE_S / EVERY_S);
    expect(run.countsAfterOutage.filter((count) => count !== 0)).toEqual([]);
    expect(run.counts.filter((count) => count !== 0).toSorted((a, b) => a - b)).toEqual([...Array(keys).fill(1), keys]);
  });
});
