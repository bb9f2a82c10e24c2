import { readFileSync } from 'node:fs';
import { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { propsFromContext } from '../../../lib/configuration/context.ts';
import type { EphemeralKeyIssuerProps } from '../../../lib/ephemeral-key-issuer.ts';
import { IssuerStack } from '../../../lib/issuer-stack.ts';
import { CERTIFICATE, CODE_FOLDER, newApp, PAGE_FOLDER } from '../synth.ts';

type Name = keyof EphemeralKeyIssuerProps;

interface Examples {
  /** A value as it is written in cdk.json or `--context`, and the resulting prop. */
  readonly valid: readonly (readonly [value: unknown, prop: unknown])[];
  readonly invalid: readonly unknown[];
}

const settings = { type: 'realtime', model: 'gpt-realtime-2.1' };
const provisioned = { provisioned: { readUnits: 5, writeUnits: 5 } };

/** A context value that is missing here is a compile error. */
const EXAMPLES: Record<Name, Examples> = {
  keyParameterName: { valid: [['/demo/key', '/demo/key']], invalid: ['', 'a key', 'sk-proj-1', 7] },
  openaiBaseUrl: {
    valid: [['https://eu.example.com/v1', 'https://eu.example.com/v1']],
    invalid: ['api.openai.com', 'http://example.com', 7],
  },
  keyTtlSeconds: {
    valid: [
      [120, 120],
      ['120', 120],
    ],
    invalid: [9, 7201, 60.5, '', '1e3', '60s', true],
  },
  session: {
    valid: [
      [settings, settings],
      [JSON.stringify(settings), settings],
      ['cdk.json', 'cdk.json'],
    ],
    invalid: ['nowhere.json', '{"type":', { type: 'realtime' }, 7],
  },
  clientLimits: { valid: [['5/1h,20/1d', '5/1h,20/1d']], invalid: ['', '10', '10/1w', '0/1h', 10] },
  globalLimits: { valid: [['100/1d', '100/1d']], invalid: ['', '500', 'unlimited', 500] },
  ipv6Prefix: {
    valid: [
      [64, 64],
      ['64', 64],
    ],
    invalid: [31, 129, '/64'],
  },
  allowedOrigins: {
    valid: [
      [
        ['https://a.example', 'https://b.example'],
        ['https://a.example', 'https://b.example'],
      ],
      ['https://a.example, https://b.example', ['https://a.example', 'https://b.example']],
      ['', []],
    ],
    invalid: ['*', 'a.example', ['https://a.example/'], 'https://a.example,', [7], true],
  },
  limiterFailureMode: { valid: [['open', 'open']], invalid: ['shut', '', true] },
  reservedConcurrency: {
    valid: [
      [12, 12],
      ['12', 12],
      ['off', 'off'],
    ],
    invalid: [0, -1, 2.5, 'none', 'OFF', '', false],
  },
  tableCapacity: {
    valid: [
      [provisioned, provisioned],
      [JSON.stringify(provisioned), provisioned],
    ],
    invalid: [
      50,
      'on-demand',
      {},
      [],
      { onDemand: {} },
      { onDemand: { maxReadUnits: '50', maxWriteUnits: 50 } },
      { provisioned: { readUnits: 0, writeUnits: 5 } },
      { onDemand: { maxReadUnits: 50, maxWriteUnits: 50 }, ...provisioned },
    ],
  },
  tableName: { valid: [['keys', 'keys']], invalid: ['', 'a', 'my table', 7] },
  logRetentionDays: {
    valid: [
      [7, 7],
      ['7', 7],
    ],
    invalid: [0, 8, 'for ever'],
  },
  createDistribution: {
    valid: [
      [false, false],
      ['false', false],
      ['true', true],
    ],
    invalid: ['no', 0, ''],
  },
  domainName: {
    valid: [['demo.example.com', 'demo.example.com']],
    invalid: ['', 'https://demo.example.com', 'demo', 7],
  },
  certificateArn: { valid: [[CERTIFICATE, CERTIFICATE]], invalid: ['', 'arn:aws:acm:us-east-1', 'my-certificate', 7] },
  hostedZoneId: { valid: [['Z0123456789', 'Z0123456789']], invalid: ['', '/hostedzone/Z0123456789', 'example.com', 7] },
  hostedZoneName: { valid: [['example.com', 'example.com']], invalid: ['', 'example.com.', 'EXAMPLE.com', 7] },
  page: {
    valid: [
      [false, false],
      ['true', true],
      ['my-page', 'my-page'],
    ],
    invalid: ['nowhere', '', 7],
  },
  guardrails: {
    valid: [
      [false, false],
      ['true', true],
      [{ keysPerHour: 40 }, { keysPerHour: 40 }],
      ['{"keysPerHour":40,"faults":3}', { keysPerHour: 40, faults: 3 }],
    ],
    invalid: [
      'off',
      40,
      '',
      [],
      { keysPerDay: 40 },
      { keysPerHour: 0 },
      { keysPerHour: '40' },
      { keysPerHour: null },
      { faults: 1.5 },
    ],
  },
  alarmMail: {
    valid: [['you@example.com', 'you@example.com']],
    invalid: ['', 'you', 'a@example.com,b@example.com', 'you@ example.com', 7],
  },
  dashboard: {
    valid: [
      [false, false],
      ['true', true],
    ],
    invalid: ['no', 0, ''],
  },
  codeFolder: { valid: [['elsewhere', 'elsewhere']], invalid: ['', 'nowhere', 7] },
};

const STAND_INS = { codeFolder: CODE_FOLDER, page: false };

function deploy(context: Readonly<Record<string, unknown>>): IssuerStack {
  const props = propsFromContext({ ...STAND_INS, ...context });
  return new IssuerStack(newApp(), props);
}

describe.each(Object.entries(EXAMPLES))('%s', (name, { valid, invalid }) => {
  it.each(valid)('accepts %j', (value, prop) => {
    expect(propsFromContext({ [name]: value })).toEqual({ [name]: prop });
  });

  it.each(invalid.map((value) => [value]))('rejects %j at synth, and says how to fix it', (value) => {
    const message = new RegExp(`^${name}\\b.*(For example: .|npm run build)`);
    expect(() => deploy({ [name]: value })).toThrow(message);
  });

  it('can be absent or null', () => {
    expect(propsFromContext({ [name]: null })).toEqual({});
  });
});

describe('an unknown context value', () => {
  it('is rejected at synth if its name could be a mistyped name of ours', () => {
    expect(() => propsFromContext({ CLIENT_LIMITS: '5/1h' })).toThrow(/^CLIENT_LIMITS: unknown context value/);
    expect(() => propsFromContext({ clientLimit: '5/1h' })).toThrow(
      /^clientLimit: unknown context value\. Expected one of: .*\bclientLimits\b/,
    );
  });

  it.each(['@aws-cdk/core:newStyleStackSynthesis', 'aws:cdk:bundling-stacks', 'cli-telemetry'])(
    "is ignored if it is one of CDK's own, such as %s",
    (name) => {
      expect(propsFromContext({ [name]: true })).toEqual({});
    },
  );
});

it('alarmMail is rejected if there are no alarms', () => {
  expect(() => deploy({ guardrails: false, alarmMail: 'you@example.com' })).toThrow(
    /^alarmMail: there are no alarms, because guardrails is false\. Remove alarmMail, or set guardrails to true$/,
  );
});

it('one error message reports all invalid values', () => {
  expect(() => propsFromContext({ clientLimit: 'x', ipv6Prefix: 'y', page: 3 })).toThrow(
    /^clientLimit: .*\nipv6Prefix: .*\npage: .*$/,
  );
});

it('cdk.json contains every default, and changes none of them', () => {
  const { context } = JSON.parse(readFileSync('cdk.json', 'utf8'));
  const page = PAGE_FOLDER;
  const fromCdkJson = Template.fromStack(deploy({ ...context, page })).toJSON();
  expect(fromCdkJson).toEqual(Template.fromStack(deploy({ page })).toJSON());
  const domain: Name[] = ['domainName', 'certificateArn', 'hostedZoneId', 'hostedZoneName'];
  const withoutDefault: Name[] = ['session', 'tableName', ...domain, 'alarmMail', 'codeFolder'];
  expect(
    Object.keys(context)
      .filter((name) => name in EXAMPLES)
      .sort(),
  ).toEqual(
    Object.keys(EXAMPLES)
      .filter((name) => !withoutDefault.some((known) => known === name))
      .sort(),
  );
});
