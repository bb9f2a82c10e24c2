import { Fn } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Distribution } from 'aws-cdk-lib/aws-cloudfront';
import { HttpOrigin } from 'aws-cdk-lib/aws-cloudfront-origins';
import { describe, expect, it } from 'vitest';
import { VARIABLES } from '../../../contract/configuration.ts';
import type { EphemeralKeyIssuerProps } from '../../../lib/ephemeral-key-issuer.ts';
import { complaintAbout, issuerIn, newStack, propertiesOf, templateOf } from '../synth.ts';

function variables(props: EphemeralKeyIssuerProps = {}): Record<string, unknown> {
  return propertiesOf(templateOf(props), 'AWS::Lambda::Function').Environment.Variables;
}

describe("the function's environment", () => {
  it('names every variable, so that the console shows what it runs with', () => {
    expect(Object.keys(variables()).sort()).toEqual(Object.keys(VARIABLES).sort());
  });

  it('holds the defaults of contract/ where nothing is said', () => {
    expect(variables()).toMatchObject({
      OPENAI_KEY_PARAMETER: '/ephemeral-key-issuer/openai-api-key',
      OPENAI_BASE_URL: 'https://api.openai.com/v1',
      KEY_TTL_SECONDS: '60',
      CLIENT_LIMITS: '10/1h',
      GLOBAL_LIMITS: '500/1d',
      IPV6_PREFIX: '56',
      ALLOWED_ORIGINS: '',
      LIMITER_FAILURE_MODE: 'closed',
      SESSION_CONFIG: '',
    });
  });

  it('holds what the props say', () => {
    const props = {
      keyParameterName: '/demo/key',
      openaiBaseUrl: 'https://eu.example.com/v1',
      keyTtlSeconds: 10,
      clientLimits: '5/1h,20/1d',
      globalLimits: '100/1d',
      ipv6Prefix: 64,
      allowedOrigins: ['https://a.example', 'https://b.example:8443'],
      limiterFailureMode: 'open',
    } as const;
    expect(variables(props)).toMatchObject({
      OPENAI_KEY_PARAMETER: '/demo/key',
      OPENAI_BASE_URL: 'https://eu.example.com/v1',
      KEY_TTL_SECONDS: '10',
      CLIENT_LIMITS: '5/1h,20/1d',
      GLOBAL_LIMITS: '100/1d',
      IPV6_PREFIX: '64',
      ALLOWED_ORIGINS: 'https://a.example,https://b.example:8443',
      LIMITER_FAILURE_MODE: 'open',
    });
  });

  it("names the issuer's own table", () => {
    const template = templateOf();
    const [table] = Object.keys(template.findResources('AWS::DynamoDB::Table'));
    expect(propertiesOf(template, 'AWS::Lambda::Function').Environment.Variables.TABLE_NAME).toEqual({ Ref: table });
  });
});

describe('a wrong value stops the synth', () => {
  it.each<[EphemeralKeyIssuerProps, string]>([
    [{ clientLimits: '10 per hour' }, 'clientLimits: CLIENT_LIMITS="10 per hour" is wrong'],
    [{ clientLimits: '' }, 'clientLimits: CLIENT_LIMITS="" is wrong'],
    [{ globalLimits: '500' }, 'globalLimits: GLOBAL_LIMITS="500" is wrong'],
    [{ keyTtlSeconds: 9 }, 'keyTtlSeconds: KEY_TTL_SECONDS="9" is wrong'],
    [{ keyTtlSeconds: 7201 }, 'keyTtlSeconds: KEY_TTL_SECONDS="7201" is wrong'],
    [{ keyTtlSeconds: Number.NaN }, 'keyTtlSeconds: KEY_TTL_SECONDS="NaN" is wrong'],
    [{ ipv6Prefix: 31 }, 'ipv6Prefix: IPV6_PREFIX="31" is wrong'],
    [{ allowedOrigins: ['*'] }, 'allowedOrigins: ALLOWED_ORIGINS="*" is wrong'],
    [
      { allowedOrigins: ['https://a.example,https://b.example'] },
      'allowedOrigins: ALLOWED_ORIGINS="https://a.example,https://b.example" is wrong',
    ],
    [{ allowedOrigins: [''] }, 'allowedOrigins: ALLOWED_ORIGINS="" is wrong'],
    [{ allowedOrigins: [Fn.importValue('site'), '*'] }, 'allowedOrigins: ALLOWED_ORIGINS="*" is wrong'],
    [{ openaiBaseUrl: 'https://api.openai.com/v1; script-src *' }, 'openaiBaseUrl: OPENAI_BASE_URL='],
    [{ allowedOrigins: ['https://a.example/'] }, 'allowedOrigins: ALLOWED_ORIGINS="https://a.example/" is wrong'],
    [{ openaiBaseUrl: 'http://127.0.0.1:8080/v1' }, 'is wrong: it must be https: http is for a stand-in'],
    ...['//demo/key', 'demo/key', '/demo/', 'awsKey', '/aws/key', '/SSM/key', '/a:b:c', '/x'.repeat(16)].map(
      (keyParameterName): [EphemeralKeyIssuerProps, string] => [{ keyParameterName }, 'is wrong: SSM has no such name'],
    ),
    [{ openaiBaseUrl: 'api.openai.com' }, 'openaiBaseUrl: OPENAI_BASE_URL="api.openai.com" is wrong'],
    [{ keyParameterName: 'sk-1234' }, 'keyParameterName: OPENAI_KEY_PARAMETER is wrong, and not shown'],
    [{ tableName: 'a' }, 'tableName: TABLE_NAME="a" is wrong'],
  ])('%j, with a sentence that names it and shows a right one', (props, complaint) => {
    const said = complaintAbout(props);
    expect(said).toContain(complaint);
    expect(said).toMatch(/A right value: [A-Z0-9_]+=\S+$/);
    expect(said.split('\n')).toHaveLength(1);
  });

  it('together with every other wrong value', () => {
    const said = complaintAbout({ clientLimits: 'x', keyTtlSeconds: 1, reservedConcurrency: 0, logRetentionDays: 2 });
    expect(said.split('\n').map((line) => line.split(':')[0])).toEqual([
      'keyTtlSeconds',
      'clientLimits',
      'reservedConcurrency',
      'logRetentionDays',
    ]);
  });
});

describe("Lambda's 4 KB", () => {
  const origins = (count: number) => Array.from({ length: count }, (_, n) => `https://site-${n}.example.com`);

  it('are counted with names and values', () => {
    expect(complaintAbout({ allowedOrigins: origins(130) })).toMatch(
      /^allowedOrigins: the function's environment would have \d{4} bytes, and Lambda takes 4096\. ALLOWED_ORIGINS is the longest/,
    );
  });

  it('hold many origins all the same', () => {
    expect(() => issuerIn(newStack(), { allowedOrigins: origins(100) })).not.toThrow();
  });
});

it('an origin that CloudFormation has yet to make is taken as it is', () => {
  const stack = newStack();
  const site = new Distribution(stack, 'Site', { defaultBehavior: { origin: new HttpOrigin('www.example.com') } });
  issuerIn(stack, { allowedOrigins: [`https://${site.domainName}`], createDistribution: false });
  const { ALLOWED_ORIGINS } = propertiesOf(Template.fromStack(stack), 'AWS::Lambda::Function').Environment.Variables;
  expect(JSON.stringify(ALLOWED_ORIGINS)).toMatch(/\["https:\/\/",\{"Fn::GetAtt":\["Site\w+","DomainName"\]\}\]/);
});
