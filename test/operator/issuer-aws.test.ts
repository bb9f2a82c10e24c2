import { beforeEach, describe, expect, it } from 'vitest';
import { readSwitch } from '../../lambda/gate/kill-switch.ts';
import { obeyAlarm } from '../../lambda/guard/guard.ts';
import { ALARM_NAME, eventOfAlarm } from '../support/alarms.ts';
import {
  type Answer,
  describedStack,
  type Script,
  type ScriptedAccount,
  scriptedAccount,
} from '../support/scripted-account.ts';
import { writeSwitch } from '../support/switch.ts';
import { freshTable, type TestTable } from '../support/table.ts';
import { issuer } from './command.ts';

let table: TestTable;
/** The function's reserved concurrency, as Lambda keeps it. */
let cap: number | undefined;

beforeEach(async () => {
  table = await freshTable();
  cap = 5;
});

const NOW = Date.parse('2026-11-30T03:12:00Z');

function outputs(): Answer {
  return describedStack({
    PageUrl: 'https://d111111abcdef8.cloudfront.net/',
    FunctionName: 'issuer-fn',
    LogGroupName: '/issuer/log',
    TableName: table.name,
    KeyParameterName: '/key',
  });
}

const ROWS: Record<string, object[]> = {
  hour: [
    [field('hour', '2026-11-30 02:00:00.000'), field('code', 'issued'), field('n', '40')],
    [field('hour', '2026-11-30 03:00:00.000'), field('code', 'rate_limited'), field('n', '1200')],
    [field('hour', '2026-11-30 03:00:00.000'), field('code', 'upstream_refused'), field('n', '3')],
  ],
  viewer: [
    [field('viewer', 'a'.repeat(32)), field('code', 'rate_limited'), field('n', '1200')],
    [field('viewer', 'a'.repeat(32)), field('code', 'issued'), field('n', '10')],
  ],
};

function field(name: string, value: string) {
  return { field: name, value };
}

function account(script: Script = {}): ScriptedAccount {
  return scriptedAccount({
    DescribeStacks: outputs,
    GetFunctionConfiguration: () => ({
      body: {
        Environment: { Variables: { TABLE_NAME: table.name, OPENAI_KEY_PARAMETER: '/key', GLOBAL_LIMITS: '500/1d' } },
      },
    }),
    GetFunctionConcurrency: () => ({ body: cap === undefined ? {} : { ReservedConcurrentExecutions: cap } }),
    PutFunctionConcurrency: ({ ReservedConcurrentExecutions }) => {
      cap = Number(ReservedConcurrentExecutions);
      return { body: { ReservedConcurrentExecutions } };
    },
    DeleteFunctionConcurrency: () => {
      cap = undefined;
      return { body: {} };
    },
    StartQuery: ({ queryString }) => ({
      body: { queryId: String(queryString).includes('bin(1h)') ? 'hour' : 'viewer' },
    }),
    GetQueryResults: ({ queryId }) => ({ body: { status: 'Complete', results: ROWS[String(queryId)] } }),
    ...script,
  });
}

const run = (args: string[], { client }: ScriptedAccount = account()) => issuer(args, { client, now: () => NOW });

describe('on AWS, status', () => {
  it('finds the stack by its outputs, and reads the budget from table and configuration', async () => {
    await table.put({ pk: { S: `global#86400#${Date.parse('2026-11-30T00:00:00Z') / 1_000}` }, cnt: { N: '450' } });
    const { code, out } = await run(['status']);

    expect(code).toBe(0);
    expect(out).toContain('EphemeralKeyIssuer in eu-central-1, https://d111111abcdef8.cloudfront.net/');
    expect(out).toContain('450 of 500 keys used today; resets in 20 hours');
  });

  it('reads from the log what happened: keys, refusals by reason, failures, busiest viewers', async () => {
    const { activity } = JSON.parse((await run(['status', '--json'])).out);

    expect(activity).toMatchObject({
      keys: 40,
      requests: 1243,
      refusals: { rate_limited: 1200 },
      failures: { upstream_refused: 3 },
      busiest: [{ viewer: 'a'.repeat(32), requests: 1210, keys: 10 }],
    });
    expect((await run(['status'])).out).toContain(
      "Not included: requests rejected by Lambda's concurrency cap. They are not logged; see Throttles in CloudWatch.",
    );
    expect(activity.keysPerHour.slice(-2)).toEqual([40, 0]);
    expect(activity.refusalsPerHour.slice(-2)).toEqual([0, 1200]);
  });

  it('shows everything else if the log cannot be read', async () => {
    const { code, out } = await run(['status'], account({ StartQuery: () => ({ error: 'LimitExceededException' }) }));

    expect(code).toBe(0);
    expect(out).toContain('not paused: keys are issued');
    expect(out).toContain('While reading the log: AWS returned LimitExceededException: said by AWS');
  });

  it('reports a query that failed', async () => {
    const script = { GetQueryResults: () => ({ body: { status: 'Failed' } }) };
    expect((await run(['status'], account(script))).out).toContain(
      'Logs Insights could not read the log group /issuer/log (status: Failed). Run the command again.',
    );
  });

  it('uses the given region and stack', async () => {
    const aws = account();
    const options = ['--region', 'ap-northeast-1', '--stack', 'Demo'];
    expect((await run(['status', ...options], aws)).out).toContain('Demo in ap-northeast-1');
    expect((await run(['pause', ...options], aws)).out).toContain(
      'issuer resume --stack Demo --region ap-northeast-1\n',
    );
  });
});

describe('status shows the concurrency that Lambda has', () => {
  const REGION = '--function-name issuer-fn --region eu-central-1';

  it.each([
    ['not paused, with a cap', async () => undefined, 5, 'not paused: keys are issued'],
    ['not paused, without a cap', async () => undefined, undefined, 'not paused: keys are issued'],
    ['paused', () => run(['pause']), 5, 'PAUSED by ann@laptop'],
    ['paused hard', () => run(['pause', '--hard']), 0, 'PAUSED hard by ann@laptop'],
  ])('%s: switch and concurrency match', async (_, begin, now, text) => {
    await begin();
    cap = now;
    const { code, out } = await run(['status']);

    expect(code).toBe(0);
    expect(out).toContain(text);
    expect(out).not.toMatch(/^ {2}Problem/m);
    expect(JSON.parse((await run(['status', '--json'])).out)).toMatchObject({
      switch: { hard: now === 0 },
      concurrency: { cap: now ?? 'none' },
    });
  });

  it.each<[string, () => Promise<unknown>, number | undefined, string, string, string[]]>([
    [
      'a hard pause whose concurrency was restored',
      () => run(['pause', '--hard']),
      7,
      'PAUSED by ann@laptop',
      "A hard pause was started, but the function's reserved concurrency is 7, not 0",
      ['issuer pause --hard', 'issuer resume'],
    ],
    [
      'a hard pause whose concurrency was deleted',
      () => run(['pause', '--hard']),
      undefined,
      'PAUSED by ann@laptop',
      "A hard pause was started, but the function's reserved concurrency is not set, not 0",
      ['issuer pause --hard', 'issuer resume'],
    ],
    [
      'concurrency 0 without a pause',
      async () => undefined,
      0,
      'Switch     not paused\n',
      "The issuer is not paused, but the function's reserved concurrency is 0: no keys are issued",
      [
        `aws lambda put-function-concurrency ${REGION} --reserved-concurrent-executions 5`,
        `aws lambda delete-function-concurrency ${REGION}`,
      ],
    ],
    [
      'concurrency 0 whose previous value was not recorded',
      () => run(['pause']),
      0,
      'PAUSED hard by ann@laptop',
      'its previous value was not recorded: resume cannot restore it',
      [
        `aws lambda put-function-concurrency ${REGION} --reserved-concurrent-executions 5`,
        `aws lambda delete-function-concurrency ${REGION}`,
      ],
    ],
  ])('and how to fix a mismatch: %s', async (_, begin, now, text, problem, commands) => {
    await begin();
    cap = now;
    const { code, out } = await run(['status']);

    expect(code).toBe(0);
    expect(out).toContain(text);
    expect(out).toMatch(new RegExp(`^  Problem +.*${problem}`, 'm'));
    expect(out).toContain(commands.map((command) => `               ${command}\n`).join(''));
    expect(JSON.parse((await run(['status', '--json'])).out).disagreement).toMatchObject({ commands });
  });

  it('with commands for the same stack, region and profile', async () => {
    const options = ['--region', 'ap-northeast-1', '--stack', 'Demo', '--profile', 'ops'];
    cap = 0;
    expect((await run(['status', ...options])).out).toContain(
      'aws lambda delete-function-concurrency --function-name issuer-fn --region ap-northeast-1 --profile ops\n',
    );
    cap = 5;
    await run(['pause', '--hard', ...options]);
    cap = 7;
    expect((await run(['status', ...options])).out).toContain(
      'issuer pause --hard --stack Demo --region ap-northeast-1 --profile ops\n',
    );
  });

  it('without permission to read it, uses the recorded value, and says so', async () => {
    await run(['pause', '--hard']);
    const { code, out } = await run(['status'], account({ GetFunctionConcurrency: denied }));

    expect(code).toBe(0);
    expect(out).toContain('PAUSED hard by ann@laptop');
    expect(out).toMatch(/ {2}Recorded as a hard pause\. While reading .*: These credentials do not have permission/);
  });

  it('a repeated pause reports a mismatch too', async () => {
    await run(['pause']);
    cap = 0;
    const { out } = await run(['pause']);

    expect(out).toContain("The function's reserved concurrency is 0: refusals cost nothing");
    expect(out).toContain('its previous value was not recorded');
    expect((await run(['pause'], account({ GetFunctionConcurrency: denied }))).code).toBe(0);
  });
});

function denied(): Answer {
  return { error: 'AccessDeniedException' };
}

describe('pause --hard', () => {
  it('pauses, and sets the reserved concurrency of the function to 0', async () => {
    const { code, out } = await run(['pause', '--hard']);

    expect(code).toBe(0);
    expect(out).toContain('visitors see "busy"');
    expect(cap).toBe(0);
    expect(await readSwitch(table)).toMatchObject({ paused: true, by: 'ann@laptop', since: NOW / 1_000 });
  });

  it.each([5, undefined])('records the previous value, %s, and resume restores it', async (before) => {
    cap = before;
    await run(['pause', '--hard']);
    await run(['pause', '--hard']);
    expect(cap).toBe(0);

    const report = JSON.parse((await run(['resume', '--json'])).out);
    expect(report).toMatchObject({ changed: true, restoredCap: before ?? 'none' });
    expect(cap).toBe(before);
    expect(await readSwitch(table)).toEqual({ paused: false });
  });

  it('hardens a pause of another operator, and keeps its author and time', async () => {
    await writeSwitch(table, { paused: true, since: 1, by: 'alarm', message: { ja: undefined, en: 'Closed.' } });
    await run(['pause', '--hard']);

    expect(cap).toBe(0);
    expect(await readSwitch(table)).toMatchObject({ since: 1, by: 'alarm', message: { en: 'Closed.' } });
  });

  it('that fails halfway reports that the issuer is paused nevertheless', async () => {
    const script = { PutFunctionConcurrency: () => ({ error: 'TooManyRequestsException' }) };
    const { code, errors } = await run(['pause', '--hard'], account(script));

    expect(code).toBe(1);
    expect(errors).toContain('The issuer is paused: no keys are issued. But the hard pause is incomplete.');
    expect(errors).toContain('AWS is throttling your requests.');
    expect(await readSwitch(table)).toMatchObject({ paused: true });
  });

  it('shows in the status, and in a pause that is repeated without --hard', async () => {
    await run(['pause', '--hard']);
    expect((await run(['status'])).out).toContain('PAUSED hard by ann@laptop');
    expect(JSON.parse((await run(['pause', '--json'])).out)).toMatchObject({ changed: false, hard: true });
  });
});

describe('resume', () => {
  it('keeps a cap that a deployment set in the meantime', async () => {
    await run(['pause', '--hard']);
    cap = 7;
    await run(['resume']);
    expect(cap).toBe(7);
  });

  it('that cannot restore the concurrency leaves the issuer paused', async () => {
    await run(['pause', '--hard']);
    const script = { PutFunctionConcurrency: () => ({ error: 'AccessDeniedException' }) };
    const { code, errors } = await run(['resume'], account(script));

    expect(code).toBe(1);
    expect(errors).toContain('These credentials do not have permission');
    expect(await readSwitch(table)).toMatchObject({ paused: true });
  });

  it('says how to restore a concurrency of 0 whose previous value was not recorded', async () => {
    cap = 0;
    const { code, errors } = await run(['resume']);

    expect(code).toBe(1);
    expect(errors).toContain('aws lambda put-function-concurrency --function-name issuer-fn');
  });

  it('after a soft pause does not change the concurrency', async () => {
    await run(['pause']);
    const aws = account();
    await run(['resume'], aws);
    expect(new Set(aws.operations)).toEqual(new Set(['DescribeStacks', 'GetFunctionConcurrency']));
  });

  it("records its time, by the table's clock and not by a laptop's, for alarms that are delivered late", async () => {
    await run(['pause']);
    const before = Date.now();
    await issuer(['resume'], { client: account().client, now: () => before + 365 * 86_400_000 });
    const [item] = await table.items();

    // A Date header has whole seconds, and a server may reuse one for as long.
    expect(Number(item?.['resumed_at']?.N)).toBeGreaterThan(before / 1_000 - 3);
    expect(Number(item?.['resumed_at']?.N)).toBeLessThanOrEqual(Date.now() / 1_000);

    const guard = { table, pausingAlarms: [ALARM_NAME] };
    const late = eventOfAlarm({ at: before - 10_000 });
    expect(await obeyAlarm(late, guard, Date.now())).toMatchObject({ outcome: 'ignored' });
    const fresh = eventOfAlarm({ at: Date.now() + 1_000 });
    expect(await obeyAlarm(fresh, guard, Date.now())).toMatchObject({ outcome: 'paused' });
  });
});

describe('an error message says what happened and what to do', () => {
  const failing = (answer: Answer) => account({ DescribeStacks: () => answer });
  const thrown = (name: string, message = 'x') => ({ fails: Object.assign(new Error(message), { name }) });

  it.each<[string, Answer, string]>([
    ['no credentials', thrown('CredentialsProviderError'), 'aws sso login --profile NAME'],
    ['an expired session', { error: 'ExpiredToken', status: 403 }, 'Your AWS session has expired. Sign in again'],
    ['an expired sign-on', thrown('TokenProviderError'), 'Your AWS session has expired. Sign in again'],
    ['invalid credentials', { error: 'InvalidClientTokenId', status: 403 }, 'AWS rejected these credentials.'],
    ['no permission', { error: 'AccessDenied', status: 403 }, 'These credentials do not have permission: said by AWS'],
    [
      'throttling',
      { error: 'Throttling' },
      'AWS is throttling your requests. Nothing is broken. Run the command again in a minute.',
    ],
    ['anything else', thrown('Error'), 'While looking for the stack EphemeralKeyIssuer: x'],
    [
      'no such host',
      { fails: Object.assign(new Error('x'), { code: 'ENOTFOUND' }) },
      'The connection failed (ENOTFOUND). Check your network',
    ],
    ['no answer', thrown('TimeoutError'), 'AWS did not answer in time.'],
    ['no region', thrown('Error', 'Region is missing'), 'export AWS_REGION=eu-central-1'],
    [
      'no such stack, or another region',
      { error: 'ValidationError', message: 'Stack with id EphemeralKeyIssuer does not exist' },
      'There is no stack EphemeralKeyIssuer in eu-central-1 in this account. If it is in another region: --region',
    ],
    [
      'another stack',
      describedStack({ TableName: 'some-table' }),
      'has no output FunctionName, LogGroupName, KeyParameterName',
    ],
  ])('%s', async (_, answer, sentence) => {
    const { code, out, errors } = await run(['status'], failing(answer));

    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(errors).toContain(sentence);
    expect(errors).not.toMatch(/^\s+at /m);
  });

  it('a table that does not exist', async () => {
    const aws = account({
      DescribeStacks: () =>
        describedStack({ FunctionName: 'f', LogGroupName: 'l', TableName: 'gone-table', KeyParameterName: '/k' }),
    });
    const { code, errors } = await run(['pause'], aws);

    expect(code).toBe(1);
    expect(errors).toContain(
      'There is no table gone-table in this account and region. Check the account, the region and the name of the stack.',
    );
  });

  it('a configuration that the function cannot read either', async () => {
    const aws = account({
      GetFunctionConfiguration: () => ({ body: { Environment: { Variables: { TABLE_NAME: 'x' } } } }),
    });
    expect((await run(['forget', '203.0.113.9'], aws)).errors).toContain('OPENAI_KEY_PARAMETER is not set.');
  });
});
