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
/** The interval between visitors. */
const EVERY_S = 2;
const COOLDOWN_S = 10;
/** How long the slowest refused visitor waits. */
const SLOWEST_REFUSAL_S = MINT_TIMEOUT_MS / 1_000;

interface Run {
  /** Each visitor's verdict. */
  readonly verdicts: Verdict[];
  /** The waits until retryAt, in seconds. */
  readonly waitsS: number[];
  /** When requests reached OpenAI, in seconds from the start. */
  readonly arrivalsS: number[];
  /** The counters after the outage, when all visitors who met it have their verdicts. */
  readonly countsAfterOutage: number[];
  /** The counters at the end. */
  readonly counts: number[];
}

type Upstream = (signal: AbortSignal | null | undefined) => Promise<Response>;

/** Simulates visitors while OpenAI fails as given, and after it has recovered. */
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

/** A table, and a function that waits until no request to it is pending. DynamoDB is real; virtual time stops for it. */
async function watchedTable(): Promise<{ readonly table: TestTable; readonly settle: () => Promise<void> }> {
  const table = await freshTable();
  const pending = new Set<Promise<unknown>>();
  table.client.middlewareStack.add(
    (next) => (args) => {
      const request = next(args);
      const remove = () => pending.delete(settled);
      const settled: Promise<boolean> = request.then(remove, remove);
      pending.add(settled);
      return request;
    },
    { step: 'initialize', name: 'pending' },
  );
  return {
    table,
    async settle() {
      do {
        await Promise.all(pending);
        await setImmediate();
      } while (pending.size > 0);
    },
  };
}

const refuses: Upstream = () =>
  Promise.reject(new TypeError('fetch failed', { cause: Object.assign(new Error('no'), { code: 'ECONNREFUSED' }) }));

const hangs: Upstream = (signal) =>
  new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));

/** The numbers from `fromS` to `toS`, in seconds. */
function every(stepS: number, fromS: number, toS: number): number[] {
  return Array.from({ length: Math.floor((toS - fromS) / stepS) + 1 }, (_, index) => fromS + index * stepS);
}

describe.each([
  // Two attempts per visitor until the fifth failure in a row; then one probe in 10 s, which fails immediately.
  { way: 'refuses connections', down: refuses, failsAfterS: 0, untilOpen: [0, 0, 2, 2, 4], probes: every(10, 14, 114) },
  // First attempts fail at 4, 6, 8, … s, and each is followed by a second one. A probe takes 4 s of the 14 s between probes.
  {
    way: 'does not answer',
    down: hangs,
    failsAfterS: 4,
    untilOpen: [0, 2, 4, 4, 6, 6, 8, 8],
    probes: every(14, 20, 118),
  },
])('OpenAI $way for two minutes', ({ down, failsAfterS, untilOpen, probes }) => {
  const recoveryS = (probes.at(-1) ?? 0) + failsAfterS + COOLDOWN_S;
  const refused = recoveryS / EVERY_S;
  const keys = LOAD_S / EVERY_S - refused;
  let run: Run;
  beforeAll(async () => {
    run = await runOutage(down);
  });

  it('while the breaker is open only probes reach OpenAI, and after a successful probe all requests do', () => {
    expect(run.arrivalsS).toEqual([...untilOpen, ...probes, ...every(EVERY_S, recoveryS, LOAD_S - EVERY_S)]);
  });

  it('visitors get keys again within one cooldown after the last failure', () => {
    expect(run.verdicts.map(({ code }) => code)).toEqual([
      ...Array<string>(refused).fill('upstream_unavailable'),
      ...Array<string>(keys).fill('issued'),
    ]);
    expect(recoveryS).toBeLessThanOrEqual(OUTAGE_S + failsAfterS + COOLDOWN_S);
  });

  it('every wait is above zero and at most the cooldown', () => {
    expect(Math.max(...run.waitsS)).toBeLessThanOrEqual(COOLDOWN_S);
    expect(Math.min(...run.waitsS)).toBeGreaterThan(0);
  });

  it('every reservation without a key is released, and the counters equal the number of keys', () => {
    expect(run.countsAfterOutage.length).toBeGreaterThan(OUTAGE_S / EVERY_S);
    expect(run.countsAfterOutage.filter((count) => count !== 0)).toEqual([]);
    expect(run.counts.filter((count) => count !== 0).toSorted((a, b) => a - b)).toEqual([...Array(keys).fill(1), keys]);
  });
});
