import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, inject, it } from 'vitest';
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

describe('the certificate of a custom domain', () => {
  const ARN = 'arn:aws:acm:us-east-1:111122223333:certificate/12345678-1234-1234-1234-123456789012';
  const DOMAIN = { domainName: 'demo.example.com', certificateArn: ARN };
  const ZONE = { hostedZoneId: 'Z0123456789', hostedZoneName: 'example.com' };
  const NOW = Date.UTC(2026, 11, 7);
  const DAY_S = 86_400;
  const RECORD = { Name: '_a1.demo.example.com.', Type: 'CNAME', Value: '_b2.acm-validations.aws.' };

  const REQUEST =
    'aws acm request-certificate --region us-east-1 --validation-method DNS --domain-name demo.example.com';
  const WAIT = `aws acm wait certificate-validated --region us-east-1 --certificate-arn ${ARN}`;

  /** What ACM answers for a certificate that is issued and covers the name, with these changes. */
  function certificate(changes: object = {}): Answer {
    const issued = { CertificateArn: ARN, Status: 'ISSUED', Type: 'AMAZON_ISSUED', NotAfter: NOW / 1_000 + 90 * DAY_S };
    return { body: { Certificate: { ...issued, SubjectAlternativeNames: ['demo.example.com'], ...changes } } };
  }

  function pending(...options: object[]): Answer {
    const DomainValidationOptions = options.map((option) => ({
      DomainName: 'demo.example.com',
      ValidationStatus: 'PENDING_VALIDATION',
      ValidationMethod: 'DNS',
      ...option,
    }));
    return certificate({ Status: 'PENDING_VALIDATION', NotAfter: undefined, DomainValidationOptions });
  }

  async function check(answer: Answer, context: object = DOMAIN) {
    const folder = mkdtempSync(join(inject('folder'), 'doctor-'));
    writeFileSync(join(folder, 'cdk.json'), JSON.stringify({ context }));
    const asked: unknown[] = [];
    const {
      code,
      report,
      check: checkNamed,
    } = await doctor(
      {
        DescribeCertificate(input, hostname) {
          asked.push({ ...input, hostname });
          return answer;
        },
      },
      [],
      { folder, now: () => NOW },
    );
    return { code, asked, report, finding: checkNamed('certificate') };
  }

  it('passes if it is issued and covers the name, and is read in us-east-1, although the stack is in eu-central-1', async () => {
    const { code, asked, report, finding } = await check(certificate());

    expect({ code, finding }).toEqual({
      code: 0,
      finding: {
        name: 'certificate',
        result: 'pass',
        sentence: 'The certificate covers demo.example.com and is issued, valid until 2027-03-07.',
      },
    });
    expect(asked).toEqual([{ CertificateArn: ARN, hostname: 'acm.us-east-1.amazonaws.com' }]);
    expect(report.checks).toContainEqual(
      expect.objectContaining({ name: 'region', sentence: 'The region is eu-central-1.' }),
    );
  });

  it.each([{}, { domainName: 'demo.example.com' }, { certificateArn: ARN }, { ...DOMAIN, domainName: null }])(
    'is not checked with %j in cdk.json: synth reports what is missing',
    async (context) => {
      const { code, asked, finding } = await check(certificate(), context);
      expect({ code, asked, finding }).toEqual({ code: 0, asked: [], finding: undefined });
    },
  );

  it.each<[string, string[]]>([
    ['the name itself', ['demo.example.com']],
    ['the name in another case', ['Demo.Example.com']],
    ['a wildcard', ['*.example.com']],
    ['one of its names', ['example.com', 'www.example.com', 'demo.example.com']],
  ])('covers the name by %s', async (_, SubjectAlternativeNames) => {
    expect((await check(certificate({ SubjectAlternativeNames }))).finding?.result).toBe('pass');
  });

  it.each<[string, string, string[]]>([
    ['another name', 'demo.example.com', ['www.example.com']],
    ['a wildcard that is one label too high', 'a.demo.example.com', ['*.example.com']],
    ['a wildcard, for the apex', 'example.com', ['*.example.com']],
    ['a wildcard of another domain', 'demo.example.com', ['*.ample.com']],
    ['a name that ends in the same way', 'demo.example.com', ['mydemo.example.com', 'o.example.com']],
    ['no name', 'demo.example.com', []],
  ])('does not cover the name by %s', async (_, domainName, SubjectAlternativeNames) => {
    const { code, finding } = await check(certificate({ SubjectAlternativeNames }), { ...DOMAIN, domainName });

    expect(code).toBe(1);
    expect(finding).toMatchObject({
      result: 'fail',
      sentence: `The certificate covers ${SubjectAlternativeNames.join(', ') || 'no name'}, but not ${domainName}.`,
      commands: [REQUEST.replace('demo.example.com', domainName)],
    });
  });

  it.each<[string, Answer, string, string[]]>([
    [
      'missing',
      { error: 'ResourceNotFoundException' },
      `There is no certificate ${ARN} in this account.`,
      ['aws acm list-certificates --region us-east-1', REQUEST],
    ],
    ['expired', certificate({ Status: 'EXPIRED', NotAfter: NOW / 1_000 - DAY_S }), 'expired on 2026-12-06.', [REQUEST]],
    ['expired a second ago', certificate({ NotAfter: NOW / 1_000 - 1 }), 'expired on 2026-12-06.', [REQUEST]],
    [
      'not validated in time',
      certificate({ Status: 'VALIDATION_TIMED_OUT' }),
      'has the status VALIDATION_TIMED_OUT, and must be ISSUED.',
      [REQUEST],
    ],
    [
      'refused by the authority',
      certificate({ Status: 'FAILED', FailureReason: 'CAA_ERROR' }),
      'has the status FAILED (CAA_ERROR), and must be ISSUED.',
      [REQUEST],
    ],
    [
      'revoked',
      certificate({ Status: 'REVOKED', RevocationReason: 'KEY_COMPROMISE' }),
      'has the status REVOKED (KEY_COMPROMISE), and must be ISSUED.',
      [REQUEST],
    ],
  ])('fails if it is %s, with the command that fixes it', async (_, answer, sentence, commands) => {
    const { code, finding } = await check(answer);

    expect(code).toBe(1);
    expect(finding).toMatchObject({ result: 'fail', sentence: expect.stringContaining(sentence), commands });
  });

  it('that was imported and has expired is imported again', async () => {
    const { finding } = await check(certificate({ Type: 'IMPORTED', NotAfter: NOW / 1_000 - DAY_S }));
    expect(finding).toMatchObject({
      result: 'fail',
      commands: [expect.stringMatching(/^aws acm import-certificate /)],
    });
  });

  it.each(['eu-central-1', ''])('in region "%s" fails without a request', async (region) => {
    const certificateArn = ARN.replace('us-east-1', region);
    const { code, asked, finding } = await check(certificate(), { ...DOMAIN, certificateArn });

    expect({ code, asked }).toEqual({ code: 1, asked: [] });
    expect(finding).toMatchObject({
      sentence: `The certificate ${certificateArn} is not in us-east-1.`,
      commands: [REQUEST],
    });
  });

  describe('that waits for validation', () => {
    const mend = (record: string) =>
      `Set this DNS record: ${record} (keep it, because AWS needs it for each renewal). Then wait until the certificate is issued, usually some minutes:`;

    it('fails with the CNAME that validates it', async () => {
      const { code, finding } = await check(pending({ ResourceRecord: RECORD }));

      expect(code).toBe(1);
      expect(finding).toMatchObject({
        sentence: 'The certificate for demo.example.com is not issued: AWS waits for the proof that the name is yours.',
        mend: mend('_a1.demo.example.com. CNAME _b2.acm-validations.aws.'),
        commands: [WAIT],
      });
    });

    it('in a hosted zone, also with the command that sets it', async () => {
      const { finding } = await check(pending({ ResourceRecord: RECORD }), { ...DOMAIN, ...ZONE });

      const set = { Name: RECORD.Name, Type: 'CNAME', TTL: 300, ResourceRecords: [{ Value: RECORD.Value }] };
      expect(finding).toMatchObject({
        commands: [
          `aws route53 change-resource-record-sets --hosted-zone-id Z0123456789 --change-batch '${JSON.stringify({ Changes: [{ Action: 'UPSERT', ResourceRecordSet: set }] })}'`,
          WAIT,
        ],
      });
    });

    it('shows the records of all names that are not validated, and sets only those of the zone', async () => {
      const other = { Name: '_c3.example.org.', Type: 'CNAME', Value: '_d4.acm-validations.aws.' };
      const validated = { ValidationStatus: 'SUCCESS', ResourceRecord: { ...RECORD, Name: '_e5.example.com.' } };
      const answer = pending({ ResourceRecord: RECORD }, { ResourceRecord: other }, validated);
      const { finding } = await check(answer, { ...DOMAIN, ...ZONE });

      expect(finding).toMatchObject({
        mend: mend(
          '_a1.demo.example.com. CNAME _b2.acm-validations.aws. and _c3.example.org. CNAME _d4.acm-validations.aws.',
        ),
        commands: [expect.stringContaining('_a1.demo.example.com.'), WAIT],
      });
    });

    it('by mail names the addresses', async () => {
      const ValidationEmails = ['admin@example.com', 'webmaster@example.com'];
      const { finding } = await check(pending({ ValidationMethod: 'EMAIL', ValidationEmails }));

      expect(finding).toMatchObject({
        mend: 'Open the link in the message that AWS sent to admin@example.com, webmaster@example.com. Then wait until the certificate is issued:',
        commands: [WAIT],
      });
    });

    it('without a record yet is checked again later', async () => {
      const { finding } = await check(pending({}));
      expect(finding).toMatchObject({
        mend: expect.stringContaining('Run the doctor again in a minute.'),
        commands: [],
      });
    });
  });

  it('is a note if these credentials may not read it', async () => {
    const { code, finding } = await check({ error: 'AccessDeniedException' });

    expect(code).toBe(0);
    expect(finding).toMatchObject({
      result: 'note',
      sentence: expect.stringContaining(`Could not check the certificate ${ARN}: `),
    });
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
