/** The reference documents list what the code has: codes, headers, variables, settings, timeouts, alarms, metrics. */
import { Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { HttpOrigin } from 'aws-cdk-lib/aws-cloudfront-origins';
import { describe, expect, it } from 'vitest';
import cdkJson from '../../cdk.json' with { type: 'json' };
import { VARIABLES } from '../../contract/configuration.ts';
import { ALLOWED_METHODS, BODY_HASH_HEADER, CORS, EMPTY_BODY_SHA256, SESSION_PATH } from '../../contract/endpoint.ts';
import { METRICS, METRICS_NAMESPACE } from '../../contract/metrics.ts';
import { PROBLEMS } from '../../contract/problems.ts';
import * as times from '../../contract/times.ts';
import { addIssuer } from '../../docs/examples/construct/own-distribution.ts';
import { answer } from '../../lambda/answers/answers.ts';
import { CONTEXT } from '../../lib/configuration/context.ts';
import { ALARMS, type AlarmId, PAUSING_ALARM, runbookAnchor } from '../../lib/monitoring/alarms.ts';
import { newApp } from '../lib/synth.ts';
import { codeBlocks, readDocument, section, tableRows, tableUnder } from '../support/documentation.ts';

describe('docs/api.md', async () => {
  const api = await readDocument('docs/api.md');
  const blocks = await codeBlocks('docs/api.md', 'http');
  const resetAt = Date.UTC(2026, 0, 1, 12);
  const refused = answer(
    {
      code: 'rate_limited',
      limit: { scope: 'client', limit: 10, windowMs: 3_600_000, remaining: 0, resetAt },
      retryAt: resetAt,
      cached: false,
    },
    'en',
    resetAt - 1_740_000,
  );

  it('lists every problem code with its status, and whether to repeat', () => {
    const rows = tableUnder(api, 'Errors')
      .filter(([code = '']) => code in PROBLEMS)
      .map(([code, status, retryable]) => [code, status, retryable]);
    const problems = Object.entries(PROBLEMS).map(([code, { status, retryable }]) => [
      code,
      String(status),
      retryable ? 'yes' : 'no',
    ]);
    expect(rows).toEqual(problems);
  });

  it("shows the client's request", () => {
    expect(blocks[0]).toBe(`POST ${SESSION_PATH}\n${BODY_HASH_HEADER}: ${EMPTY_BODY_SHA256}\n`);
  });

  it("shows the function's own refusal", () => {
    const [status = '', retryAfter = '', ...body] = (blocks[2] ?? '').split('\n');
    expect(status).toBe('HTTP/1.1 429 Too Many Requests');
    expect(retryAfter).toBe(`Retry-After: ${refused.headers['retry-after']}`);
    expect(JSON.parse(body.join(''))).toEqual(JSON.parse(refused.body));
  });

  it('lists every member of an error', () => {
    const members = tableUnder(api, 'Errors').filter(([name = '']) => !(name in PROBLEMS));
    expect(members.flatMap(([names = '']) => names.split(', '))).toEqual(Object.keys(JSON.parse(refused.body)));
  });

  it('lists every header of an error', () => {
    const { 'content-type': _, ...headers } = refused.headers;
    const listed = tableUnder(api, 'Response headers').flatMap(([names = '']) => names.split(', '));
    expect(listed.map((name) => name.split(':')[0]?.toLowerCase()).toSorted()).toEqual(Object.keys(headers).toSorted());
  });

  it('lists the CORS headers that the edge adds', () => {
    const cells = tableUnder(api, 'Other origins (CORS)').map(([name, , value]) => [name, value]);
    expect(Object.fromEntries(cells)).toEqual({
      'Access-Control-Allow-Origin': expect.any(String),
      'Access-Control-Expose-Headers': CORS.exposeHeaders.join(', '),
      'Access-Control-Allow-Methods': ALLOWED_METHODS.join(', '),
      'Access-Control-Allow-Headers': CORS.allowHeaders.join(', '),
      'Access-Control-Max-Age': String(CORS.maxAgeSeconds),
    });
  });
});

describe('the README', () => {
  it("shows the function's own refusal, shortened", async () => {
    const [, refusal = ''] = await codeBlocks('README.md', 'http');
    const [, api = ''] = (await readDocument('docs/api.md')).split('429 Too Many Requests\n');
    const whole = api.slice(0, api.indexOf('```')).replaceAll(/\n ?/g, '');
    const parts = refusal.split('\n')[1]?.replace(/}$/, '').split(' … ') ?? [];
    expect(parts.map((part) => whole.includes(part.replaceAll(/^,|,$/g, '')))).toEqual(parts.map(() => true));
  });
});

describe('docs/configuration.md', async () => {
  const configuration = await readDocument('docs/configuration.md');
  const settings = tableUnder(configuration, 'cdk.json');

  it('lists every variable with its default', () => {
    const rows = tableUnder(configuration, 'Environment variables').map(([name, value]) => [
      name,
      value === 'none' ? '' : value,
    ]);
    const variables = Object.entries(VARIABLES).map(([name, variable]) => [
      name,
      'default' in variable ? variable.default : '',
    ]);
    expect(rows).toEqual(variables);
  });

  it('lists every setting of cdk.json', () => {
    expect(settings.map(([name]) => name)).toEqual(Object.keys(CONTEXT));
  });

  it('lists the defaults that cdk.json has', () => {
    const context: Readonly<Record<string, unknown>> = cdkJson.context;
    for (const [name = '', value = ''] of settings.filter(([each = '']) => each in context)) {
      expect(JSON.parse(value), name).toEqual(context[name]);
    }
  });

  it('names the variable that a setting becomes, as the README does', async () => {
    const inTable = settings.flatMap(([setting, , variable]) => (variable === '' ? [] : [[variable, setting]]));
    const inReadme = tableUnder(await readDocument('README.md'), 'Configuration').map(([name, , setting]) => [
      name,
      setting,
    ]);
    expect(inTable.toSorted()).toEqual(inReadme.filter(([name]) => name !== 'SESSION_CONFIG').toSorted());
  });
});

describe('docs/timeouts.md', () => {
  it('lists every time', async () => {
    const values: Readonly<Record<string, number | undefined>> = { ...times };
    const lines = (await readDocument('docs/timeouts.md')).split('\n').filter((line) => line.startsWith('| `'));
    const rows = tableRows(lines).map(([names = '', time]) => ({ names: names.split(', '), time }));
    const written = rows.map(({ names }) => {
      const [ms = 0, attempts] = names.map((name) => values[name]);
      return { names, time: `${ms / 1_000} s${attempts === undefined ? '' : ` x ${attempts}`}` };
    });
    expect(rows).toEqual(written);
    expect(rows.flatMap(({ names }) => names).toSorted()).toEqual(Object.keys(values).toSorted());
  });
});

describe('docs/operations.md', async () => {
  const operations = await readDocument('docs/operations.md');

  it('lists every alarm with its threshold', () => {
    const rows = tableUnder(operations, 'Alarms').map(([alarm, threshold, when]) => [alarm, threshold, when]);
    const alarms = Object.entries(ALARMS).map(([id, { minutes, threshold }]) => [
      runbookAnchor(id as AlarmId),
      id,
      `${threshold} in ${minutes} minutes`,
    ]);
    expect(rows).toEqual(alarms);
  });

  it('says which alarm pauses the issuer', () => {
    const pausing = tableUnder(operations, 'Alarms').filter((cells) => cells.at(-1)?.includes('pauses itself'));
    expect(pausing.map(([, threshold = '']) => threshold)).toEqual([PAUSING_ALARM]);
  });

  it('lists every metric', () => {
    const [line = ''] = /The metrics are in the namespace.*?\.\n/s.exec(operations) ?? [];
    const [namespace, ...names] = [...line.matchAll(/`(\w+)`/g)].map(([, name]) => name);
    expect(namespace).toBe(METRICS_NAMESPACE);
    expect(names).toEqual(Object.keys(METRICS));
  });

  it('says that AWS Budgets do not include what OpenAI charges', () => {
    expect(section(operations, 'What it costs')).toContain("AWS Budgets do not include OpenAI's charges");
  });
});

describe('docs/construct.md', () => {
  it('shows the program below, to the letter', async () => {
    const [block] = await codeBlocks('docs/construct.md', 'ts');
    const program = await readDocument('docs/examples/construct/own-distribution.ts');
    expect(block).toBe(program.replace('../../../lib/ephemeral-key-issuer.ts', 'ephemeral-key-issuer'));
  });

  it('adds the issuer to a distribution that is there already', () => {
    const stack = new Stack(newApp(), 'Test');
    addIssuer(stack, { origin: new HttpOrigin('www.example.com') });
    const distributions = Object.values(Template.fromStack(stack).findResources('AWS::CloudFront::Distribution'));
    const paths = distributions.map(({ Properties }) => Properties['DistributionConfig'].CacheBehaviors);
    expect(paths).toEqual([[expect.objectContaining({ PathPattern: `${SESSION_PATH}*` })]]);
  });
});
