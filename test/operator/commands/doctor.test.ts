import { describe, expect, it } from 'vitest';
import type { DoctorReport } from '../../../operator/commands/doctor.ts';
import { type Answer, describedStack, type Script, scriptedAccount } from '../../support/scripted-account.ts';
import { issuer } from '../command.ts';

const WELL: Script = {
  DescribeStacks: () => ({ error: 'ValidationError', message: 'Stack with id EphemeralKeyIssuer does not exist' }),
  GetAccountSettings: () => ({ body: { AccountLimit: { UnreservedConcurrentExecutions: 1000 } } }),
  GetParameter: ({ Name }) => parameter(Name === '/cdk-bootstrap/hnb659fds/version' ? 'String' : 'SecureString'),
};

function parameter(Type: string, Value = '27'): Answer {
  return { body: { Parameter: { Type, Value } } };
}

/** The parameter of the key alone; the bootstrap is as it should be. */
function keyIs(answer: Answer): Script {
  return { GetParameter: ({ Name }) => (String(Name).startsWith('/cdk') ? parameter('String') : answer) };
}

async function doctor(script: Script = {}, args: string[] = [], surroundings: Parameters<typeof issuer>[1] = {}) {
  const { client, operations } = scriptedAccount({ ...WELL, ...script });
  const { code, out } = await issuer(['doctor', '--json', ...args], { client, ...surroundings });
  const report: DoctorReport = JSON.parse(out);
  return { code, operations, report, check: (name: string) => report.checks.find((each) => each.name === name) };
}

it('passes where a deploy would, a first one too', async () => {
  const { code, report } = await doctor();

  expect(code).toBe(0);
  expect(report.checks.map(({ name, result }) => `${name} ${result}`)).toEqual([
    'node pass',
    'region pass',
    'credentials pass',
    'bootstrap pass',
    'concurrency pass',
    'parameter pass',
    'openai-key note',
  ]);
});

it('only looks', async () => {
  const { operations } = await doctor();
  expect(new Set(operations)).toEqual(new Set(['GetAccountSettings', 'DescribeStacks', 'GetParameter']));
});

describe('each finding has its mending command', () => {
  it.each<[string, string, Script, string, string]>([
    [
      'a missing bootstrap',
      'bootstrap',
      { GetParameter: () => ({ error: 'ParameterNotFound' }) },
      'not bootstrapped',
      'npx cdk bootstrap',
    ],
    [
      'a missing parameter',
      'parameter',
      keyIs({ error: 'ParameterNotFound' }),
      'There is no parameter',
      '--type SecureString --name /ephemeral-key-issuer/openai-api-key',
    ],
    [
      'a parameter in the clear',
      'parameter',
      keyIs(parameter('String')),
      'is a String, not a SecureString',
      'aws ssm delete-parameter',
    ],
    [
      'a small account',
      'concurrency',
      { GetAccountSettings: () => ({ body: { AccountLimit: { UnreservedConcurrentExecutions: 104 } } }) },
      'would leave 99 unreserved, and AWS insists on 100',
      '"reservedConcurrency": "off"',
    ],
    [
      'an expired session',
      'credentials',
      { GetAccountSettings: () => ({ error: 'ExpiredTokenException' }) },
      'has expired',
      'aws sts get-caller-identity',
    ],
  ])('%s', async (_, name, script, sentence, mending) => {
    const { code, check } = await doctor(script);

    expect(code).toBe(1);
    expect(check(name)).toMatchObject({ result: 'fail', sentence: expect.stringContaining(sentence) });
    expect(JSON.stringify(check(name))).toContain(JSON.stringify(mending).slice(1, -1));
  });

  it('an old Node', async () => {
    const { check } = await doctor({}, [], { nodeVersion: '20.18.3' });
    expect(check('node')).toMatchObject({ result: 'fail', commands: ['nvm install 24'] });
  });
});

it.each(['20.19.0', '22.12.0', '24.0.0'])('takes Node %s', async (nodeVersion) => {
  expect((await doctor({}, [], { nodeVersion })).check('node')?.result).toBe('pass');
});

it('counts what the issuer that is deployed has reserved already', async () => {
  const outputs = { FunctionName: 'f', LogGroupName: 'l', TableName: 'table', KeyParameterName: '/k' };
  const { check } = await doctor({
    DescribeStacks: () => describedStack(outputs),
    GetFunctionConcurrency: () => ({ body: { ReservedConcurrentExecutions: 5 } }),
    GetAccountSettings: () => ({ body: { AccountLimit: { UnreservedConcurrentExecutions: 100 } } }),
  });
  expect(check('concurrency')?.result).toBe('pass');
});

it('without credentials asks for nothing else', async () => {
  const { operations, report } = await doctor({ GetAccountSettings: () => ({ error: 'UnrecognizedClientException' }) });

  expect(operations).toEqual(['GetAccountSettings']);
  expect(report.checks.at(-1)?.name).toBe('credentials');
});

it('does not take a missing permission for a missing parameter', async () => {
  const { code, check } = await doctor(keyIs({ error: 'AccessDeniedException' }));

  expect(code).toBe(0);
  expect(check('parameter')).toMatchObject({ result: 'note', sentence: expect.stringContaining('is not known') });
});

describe('--live', () => {
  const live = (response: () => Response) =>
    doctor(keyIs(parameter('SecureString', 'sk-live')), ['--live'], { fetch: () => Promise.resolve(response()) });

  it('says that the key works, and shows neither it nor what it made', async () => {
    const { code, check, report } = await live(() =>
      Response.json({ value: 'ek_made', expires_at: 4_102_444_800, session: { type: 'realtime', model: 'm' } }),
    );

    expect(code).toBe(0);
    expect(check('openai-key')?.result).toBe('pass');
    expect(JSON.stringify(report)).not.toMatch(/sk-live|ek_made/);
  });

  it.each<[string, number, object, string]>([
    ['a wrong key', 401, { error: { code: 'invalid_api_key' } }, 'does not accept the key'],
    ['an unpaid bill', 429, { error: { code: 'insufficient_quota' } }, 'OpenAI refuses'],
    ['a model that is not there', 404, { error: { code: 'model_not_found' } }, 'OpenAI refuses'],
  ])('says %s', async (_, status, body, sentence) => {
    const { code, check } = await live(() => Response.json(body, { status }));

    expect(code).toBe(1);
    expect(check('openai-key')).toMatchObject({ result: 'fail', sentence: expect.stringContaining(sentence) });
  });

  it('does not blame the key for an outage', async () => {
    const { code, check } = await live(() => new Response('', { status: 503 }));

    expect(code).toBe(0);
    expect(check('openai-key')?.result).toBe('note');
  });
});
