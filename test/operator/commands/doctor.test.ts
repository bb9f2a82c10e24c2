import { describe, expect, it } from 'vitest';
import type { DoctorReport } from '../../../operator/commands/doctor.ts';
import { type Answer, describedStack, type Script, scriptedAccount } from '../../support/scripted-account.ts';
import { issuer } from '../command.ts';

const READY: Script = {
  DescribeStacks: () => ({ error: 'ValidationError', message: 'Stack with id EphemeralKeyIssuer does not exist' }),
  GetAccountSettings: () => ({ body: { AccountLimit: { UnreservedConcurrentExecutions: 1000 } } }),
  GetParameter: ({ Name }) => parameter(Name === '/cdk-bootstrap/hnb659fds/version' ? 'String' : 'SecureString'),
};

function parameter(Type: string, Value = '27'): Answer {
  return { body: { Parameter: { Type, Value } } };
}

/** Changes only the parameter of the key; the bootstrap is valid. */
function keyIs(answer: Answer): Script {
  return { GetParameter: ({ Name }) => (String(Name).startsWith('/cdk') ? parameter('String') : answer) };
}

async function doctor(script: Script = {}, args: string[] = [], surroundings: Parameters<typeof issuer>[1] = {}) {
  const { client, operations } = scriptedAccount({ ...READY, ...script });
  const { code, out } = await issuer(['doctor', '--json', ...args], { client, ...surroundings });
  const report: DoctorReport = JSON.parse(out);
  return { code, operations, report, check: (name: string) => report.checks.find((each) => each.name === name) };
}

it('passes if a deployment would succeed, a first one too', async () => {
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

it('only reads', async () => {
  const { operations } = await doctor();
  expect(new Set(operations)).toEqual(new Set(['GetAccountSettings', 'DescribeStacks', 'GetParameter']));
});

describe('each failed check has the command that fixes it', () => {
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
      'an unencrypted parameter',
      'parameter',
      keyIs(parameter('String')),
      'has the type String, and must be a SecureString',
      'aws ssm delete-parameter',
    ],
    [
      'a small account',
      'concurrency',
      { GetAccountSettings: () => ({ body: { AccountLimit: { UnreservedConcurrentExecutions: 104 } } }) },
      'would leave 99 unreserved, and AWS requires 100',
      '"reservedConcurrency": "off"',
    ],
    [
      'an expired session',
      'credentials',
      { GetAccountSettings: () => ({ error: 'ExpiredTokenException' }) },
      'has expired',
      'aws sts get-caller-identity',
    ],
  ])('%s', async (_, name, script, sentence, fix) => {
    const { code, check } = await doctor(script);

    expect(code).toBe(1);
    expect(check(name)).toMatchObject({ result: 'fail', sentence: expect.stringContaining(sentence) });
    expect(JSON.stringify(check(name))).toContain(JSON.stringify(fix).slice(1, -1));
  });

  it('an old Node', async () => {
    const { check } = await doctor({}, [], { nodeVersion: '20.18.3' });
    expect(check('node')).toMatchObject({ result: 'fail', commands: ['nvm install 24'] });
  });
});

it.each(['20.19.0', '22.12.0', '24.0.0'])('accepts Node %s', async (nodeVersion) => {
  expect((await doctor({}, [], { nodeVersion })).check('node')?.result).toBe('pass');
});

it('takes into account what the deployed issuer has already reserved', async () => {
  const outputs = { FunctionName: 'f', LogGroupName: 'l', TableName: 'table', KeyParameterName: '/k' };
  const { check } = await doctor({
    DescribeStacks: () => describedStack(outputs),
    GetFunctionConcurrency: () => ({ body: { ReservedConcurrentExecutions: 5 } }),
    GetAccountSettings: () => ({ body: { AccountLimit: { UnreservedConcurrentExecutions: 100 } } }),
  });
  expect(check('concurrency')?.result).toBe('pass');
});

it('without valid credentials sends no other request', async () => {
  const { operations, report } = await doctor({ GetAccountSettings: () => ({ error: 'UnrecognizedClientException' }) });

  expect(operations).toEqual(['GetAccountSettings']);
  expect(report.checks.at(-1)?.name).toBe('credentials');
});

it('does not mistake a missing permission for a missing parameter', async () => {
  const { code, check } = await doctor(keyIs({ error: 'AccessDeniedException' }));

  expect(code).toBe(0);
  expect(check('parameter')).toMatchObject({
    result: 'note',
    sentence: expect.stringContaining('Could not check the parameter'),
  });
});

describe('--live', () => {
  const live = (response: () => Response) =>
    doctor(keyIs(parameter('SecureString', 'sk-live')), ['--live'], { fetch: () => Promise.resolve(response()) });

  it('reports that the key works, and shows neither that key nor the ephemeral one', async () => {
    const { code, check, report } = await live(() =>
      Response.json({ value: 'ek_made', expires_at: 4_102_444_800, session: { type: 'realtime', model: 'm' } }),
    );

    expect(code).toBe(0);
    expect(check('openai-key')?.result).toBe('pass');
    expect(JSON.stringify(report)).not.toMatch(/sk-live|ek_made/);
  });

  it.each<[string, number, object, string]>([
    ['an invalid key', 401, { error: { code: 'invalid_api_key' } }, 'OpenAI rejected the key'],
    ['an unpaid bill', 429, { error: { code: 'insufficient_quota' } }, 'OpenAI refused the request'],
    ['a model that does not exist', 404, { error: { code: 'model_not_found' } }, 'OpenAI refused the request'],
  ])('reports %s', async (_, status, body, sentence) => {
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
