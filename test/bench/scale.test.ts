import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { execPath } from 'node:process';
import type { BatchGetItemInput, PutItemInput, UpdateItemInput } from '@aws-sdk/client-dynamodb';
import { Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { beforeEach, describe, expect, it } from 'vitest';
import { DEMANDS, STRATEGIES, simulateMinute } from '../../bench/scale/hot-item.ts';
import { OUTCOMES } from '../../bench/scale/million.ts';
import { ATTACKS, ceilings, DEFAULT_CAPS, dollarsOf, simulateDay } from '../../bench/scale/worst-day.ts';
import { withTables } from '../../bench/scale.ts';
import { issueSession } from '../../lambda/session/issue-session.ts';
import type { Issuer } from '../../lambda/session/issuer.ts';
import { FUNCTION_GB } from '../../operator/commands/prices.ts';
import { issuerIn, newApp, propertiesOf } from '../lib/synth.ts';
import { testIssuer } from '../support/issuer.ts';
import { writeSwitch } from '../support/switch.ts';
import { freshTable, isDynamoDbLocal, type TestTable } from '../support/table.ts';

it('the tables in docs/scale.md are those of the simulation', async () => {
  const document = await readFile('docs/scale.md', 'utf8');
  expect(withTables(document)).toBe(document);
});

it('the caps of the simulation are those that are deployed', () => {
  const stack = new Stack(newApp(), 'Test');
  issuerIn(stack);
  const template = Template.fromStack(stack);
  expect(FUNCTION_GB).toBe(propertiesOf(template, 'AWS::Lambda::Function').MemorySize / 1_024);
  expect(DEFAULT_CAPS).toEqual({
    reservedConcurrency: propertiesOf(template, 'AWS::Lambda::Function').ReservedConcurrentExecutions,
    maxReadUnits: propertiesOf(template, 'AWS::DynamoDB::Table').OnDemandThroughput.MaxReadRequestUnits,
    maxWriteUnits: propertiesOf(template, 'AWS::DynamoDB::Table').OnDemandThroughput.MaxWriteRequestUnits,
  });
});

describe('an attack', () => {
  it.each(ATTACKS)(
    'from $name, $perSecond a second: gets no more keys, reads and writes than the caps allow',
    (attack) => {
      const day = simulateDay(attack);
      expect(day.keys).toBeLessThanOrEqual(500);
      expect(day.reads).toBeLessThanOrEqual(86_400 * DEFAULT_CAPS.maxReadUnits);
      expect(day.writes).toBeLessThanOrEqual(86_400 * DEFAULT_CAPS.maxWriteUnits);
    },
  );

  it.each(ATTACKS)(
    'from $name, $perSecond a second: costs no more than the maximum, apart from CloudFront',
    (attack) => {
      const { dynamodb, lambda } = dollarsOf(simulateDay(attack));
      const most = ceilings();
      expect(dynamodb).toBeLessThanOrEqual(most.dynamodb);
      expect(lambda).toBeLessThanOrEqual(most.requests + most.compute);
    },
  );
});

it('the maximum costs are units times prices', () => {
  // 4,320,000 units of each kind; as many requests, with a kilobyte of log each; 5 x 0.25 GB for 86,400 s.
  expect(ceilings().dynamodb).toBeCloseTo(4.32 * 0.125 + 4.32 * 0.625);
  expect(ceilings().requests).toBeCloseTo(4.32 * 0.2 + 4.32 * 0.5);
  expect(ceilings().compute).toBeCloseTo(108_000 * 0.0000133334);
});

describe('npm run scale', () => {
  const scale = (...args: string[]) => spawnSync(execPath, ['bench/scale.ts', ...args], { encoding: 'utf8' });

  it('with --help says which tables it writes', () => {
    const { status, stdout, stderr } = scale('--help');
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toContain('update the tables in\ndocs/scale.md');
  });

  it.each([['--jsn'], ['worst-day']])('with %s exits with code 2 and an error message', (arg) => {
    const { status, stdout, stderr } = scale(arg);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toContain('More: npm run scale -- --help');
  });
});

describe('a counter with shards or leases', () => {
  const cases = STRATEGIES.flatMap((strategy) => DEMANDS.map((demand) => ({ ...strategy, demand })));

  it.each(cases)(
    '$name, at $demand requests a second, never issues more than the budget',
    ({ demand, ...strategy }) => {
      const { issued, budget } = simulateMinute(strategy, demand);
      expect(issued).toBeGreaterThan(0);
      expect(issued).toBeLessThanOrEqual(budget);
    },
  );
});

describe.runIf(isDynamoDbLocal)('the units in the table of costs are those that DynamoDB charges for', () => {
  const NOON = Date.UTC(2026, 0, 1, 12);
  const MINTED = { value: 'ek_x', expires_at: NOON / 1_000 + 60, session: { type: 'realtime', model: 'm' } };

  let table: TestTable;
  let units = { reads: 0, writes: 0 };
  let openai = () => Promise.resolve(Response.json(MINTED));

  beforeEach(async () => {
    table = await freshTable();
    openai = () => Promise.resolve(Response.json(MINTED));
    table.client.middlewareStack.add(
      (next) => (args) => {
        // DynamoDB charges an absent item like a small one, and a failed condition like a write.
        const { RequestItems, UpdateExpression, Item } = args.input as Partial<
          BatchGetItemInput & UpdateItemInput & PutItemInput
        >;
        units.reads += RequestItems?.[table.name]?.Keys?.length ?? 0;
        units.writes += UpdateExpression === undefined && Item === undefined ? 0 : 1;
        return next(args);
      },
      { step: 'initialize', name: 'units' },
    );
  });

  const issuerWith = (environment: Record<string, string> = {}): Issuer =>
    testIssuer({ table, environment, fetch: () => openai(), now: () => NOON });

  async function request(issuer: Issuer, idempotencyKey?: string) {
    await issuer.salt();
    units = { reads: 0, writes: 0 };
    const { code } = await issueSession({ address: '203.0.113.9', idempotencyKey }, issuer, {});
    return { code, ...units };
  }

  const outcome = (name: string) => {
    const { reads, writes } = OUTCOMES.find((each) => each.name === name) ?? expect.unreachable(name);
    return { reads, writes };
  };

  it('a key is issued', async () => {
    expect(await request(issuerWith())).toEqual({ code: 'issued', ...outcome('key issued') });
  });

  it('OpenAI issues no key', async () => {
    openai = () => Promise.resolve(new Response('', { status: 400 }));
    const units = outcome('OpenAI issues no key; reservations released');
    expect(await request(issuerWith())).toEqual({ code: 'upstream_refused', ...units });
  });

  it('a refusal by the limit of the visitor, and a refusal from the cache', async () => {
    const issuer = issuerWith({ CLIENT_LIMITS: '1/1h' });
    await request(issuer);
    const refused = { code: 'rate_limited' };
    expect(await request(issuer)).toEqual({ ...refused, ...outcome('refusal: limit of the visitor') });
    expect(await request(issuer)).toEqual({ ...refused, ...outcome('refusal from the cache of a container') });
    expect(await request(issuer, 'a-key-of-16-characters')).toEqual({
      ...refused,
      ...outcome('the same, with an Idempotency-Key'),
    });
  });

  it('a refusal by the limit for all visitors', async () => {
    await request(issuerWith({ GLOBAL_LIMITS: '1/1d' }));
    expect(await request(issuerWith({ GLOBAL_LIMITS: '1/1d' }))).toEqual({
      code: 'budget_exhausted',
      ...outcome('refusal: limit for all visitors'),
    });
  });

  it('a request while paused', async () => {
    const message = { ja: undefined, en: undefined };
    await writeSwitch(table, { paused: true, since: undefined, by: undefined, message });
    expect(await request(issuerWith())).toEqual({ code: 'paused', ...outcome('request while paused or blocked') });
  });
});
