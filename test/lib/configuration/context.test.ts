import { readFileSync } from 'node:fs';
import { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { propsFromContext } from '../../../lib/configuration/context.ts';
import type { EphemeralKeyIssuerProps } from '../../../lib/ephemeral-key-issuer.ts';
import { IssuerStack } from '../../../lib/issuer-stack.ts';
import { CODE_FOLDER, newApp, PAGE_FOLDER } from '../synth.ts';

type Name = keyof EphemeralKeyIssuerProps;

interface Examples {
  /** A value as cdk.json or `--context` has it, and the prop it becomes. */
  readonly right: readonly (readonly [value: unknown, prop: unknown])[];
  readonly wrong: readonly unknown[];
}

const settings = { type: 'realtime', model: 'gpt-realtime-2.1' };
const provisioned = { provisioned: { readUnits: 5, writeUnits: 5 } };

/** A context value that is missing here does not compile. */
const EXAMPLES: Record<Name, Examples> = {
  keyParameterName: { right: [['/demo/key', '/demo/key']], wrong: ['', 'a key', 'sk-proj-1', 7] },
  openaiBaseUrl: {
    right: [['https://eu.example.com/v1', 'https://eu.example.com/v1']],
    wrong: ['api.openai.com', 'http://example.com', 7],
  },
  keyTtlSeconds: {
    right: [
      [120, 120],
      ['120', 120],
    ],
    wrong: [9, 7201, 60.5, '', '1e3', '60s', true],
  },
  session: {
    right: [
      [settings, settings],
      [JSON.stringify(settings), settings],
      ['cdk.json', 'cdk.json'],
    ],
    wrong: ['nowhere.json', '{"type":', { type: 'realtime' }, 7],
  },
  clientLimits: { right: [['5/1h,20/1d', '5/1h,20/1d']], wrong: ['', '10', '10/1w', '0/1h', 10] },
  globalLimits: { right: [['100/1d', '100/1d']], wrong: ['', '500', 'unlimited', 500] },
  ipv6Prefix: {
    right: [
      [64, 64],
      ['64', 64],
    ],
    wrong: [31, 129, '/64'],
  },
  allowedOrigins: {
    right: [
      [
        ['https://a.example', 'https://b.example'],
        ['https://a.example', 'https://b.example'],
      ],
      ['https://a.example, https://b.example', ['https://a.example', 'https://b.example']],
      ['', []],
    ],
    wrong: ['*', 'a.example', ['https://a.example/'], 'https://a.example,', [7], true],
  },
  limiterFailureMode: { right: [['open', 'open']], wrong: ['shut', '', true] },
  reservedConcurrency: {
    right: [
      [12, 12],
      ['12', 12],
      ['off', 'off'],
    ],
    wrong: [0, -1, 2.5, 'none', 'OFF', '', false],
  },
  tableCapacity: {
    right: [
      [provisioned, provisioned],
      [JSON.stringify(provisioned), provisioned],
    ],
    wrong: [
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
  tableName: { right: [['keys', 'keys']], wrong: ['', 'a', 'my table', 7] },
  logRetentionDays: {
    right: [
      [7, 7],
      ['7', 7],
    ],
    wrong: [0, 8, 'for ever'],
  },
  createDistribution: {
    right: [
      [false, false],
      ['false', false],
      ['true', true],
    ],
    wrong: ['no', 0, ''],
  },
  page: {
    right: [
      [false, false],
      ['true', true],
      ['my-page', 'my-page'],
    ],
    wrong: ['nowhere', '', 7],
  },
  guardrails: {
    right: [
      [false, false],
      ['true', true],
      [{ keysPerHour: 40 }, { keysPerHour: 40 }],
      ['{"keysPerHour":40,"faults":3}', { keysPerHour: 40, faults: 3 }],
    ],
    wrong: [
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
    right: [['you@example.com', 'you@example.com']],
    wrong: ['', 'you', 'a@example.com,b@example.com', 'you@ example.com', 7],
  },
  dashboard: {
    right: [
      [false, false],
      ['true', true],
    ],
    wrong: ['no', 0, ''],
  },
  codeFolder: { right: [['elsewhere', 'elsewhere']], wrong: ['', 'nowhere', 7] },
};

const STAND_INS = { codeFolder: CODE_FOLDER, page: false };

function deploy(context: Readonly<Record<string, unknown>>): IssuerStack {
  const props = propsFromContext({ ...STAND_INS, ...context });
  return new IssuerStack(newApp(), props);
}

describe.each(Object.entries(EXAMPLES))('%s', (name, { right, wrong }) => {
  it.each(right)('may be %j', (value, prop) => {
    expect(propsFromContext({ [name]: value })).toEqual({ [name]: prop });
  });

  it.each(wrong.map((value) => [value]))('stops the synth when it is %j, and says how to mend it', (value) => {
    const sentence = new RegExp(`^${name}\\b.*(A right value: .|npm run build)`);
    expect(() => deploy({ [name]: value })).toThrow(sentence);
  });

  it('may be absent, or null', () => {
    expect(propsFromContext({ [name]: null })).toEqual({});
  });
});

describe('a context value that nobody knows', () => {
  it('stops the synth if its name could be one of ours, mistyped', () => {
    expect(() => propsFromContext({ CLIENT_LIMITS: '5/1h' })).toThrow(/^CLIENT_LIMITS: there is no such context value/);
    expect(() => propsFromContext({ clientLimit: '5/1h' })).toThrow(
      /^clientLimit: there is no such context value\. There are: .*\bclientLimits\b/,
    );
  });

  it.each(['@aws-cdk/core:newStyleStackSynthesis', 'aws:cdk:bundling-stacks', 'cli-telemetry'])(
    "is none of our business if it is one of CDK's, such as %s",
    (name) => {
      expect(propsFromContext({ [name]: true })).toEqual({});
    },
  );
});

it('mail is wanted of alarms that there are', () => {
  expect(() => deploy({ guardrails: false, alarmMail: 'you@example.com' })).toThrow(
    /^alarmMail: there are no alarms where guardrails is false\. A right value: /,
  );
});

it('everything that is wrong is said at once', () => {
  expect(() => propsFromContext({ clientLimit: 'x', ipv6Prefix: 'y', page: 3 })).toThrow(
    /^clientLimit: .*\nipv6Prefix: .*\npage: .*$/,
  );
});

it('cdk.json spells the defaults out, and changes none', () => {
  const { context } = JSON.parse(readFileSync('cdk.json', 'utf8'));
  const page = PAGE_FOLDER;
  const spelledOut = Template.fromStack(deploy({ ...context, page })).toJSON();
  expect(spelledOut).toEqual(Template.fromStack(deploy({ page })).toJSON());
  const withoutDefault: Name[] = ['session', 'tableName', 'alarmMail', 'codeFolder'];
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
