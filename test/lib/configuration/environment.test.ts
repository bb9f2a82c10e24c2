import { Fn } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Distribution } from 'aws-cdk-lib/aws-cloudfront';
import { HttpOrigin } from 'aws-cdk-lib/aws-cloudfront-origins';
import { describe, expect, it } from 'vitest';
import { VARIABLES } from '../../../contract/configuration.ts';
import type { EphemeralKeyIssuerProps } from '../../../lib/ephemeral-key-issuer.ts';
import { errorFrom, issuerIn, newStack, propertiesOf, templateOf } from '../synth.ts';

function variables(props: EphemeralKeyIssuerProps = {}): Record<string, unknown> {
  return propertiesOf(templateOf(props), 'AWS::Lambda::Function').Environment.Variables;
}

describe("the function's environment", () => {
  it('contains every variable, so that the console shows all settings of the function', () => {
    expect(Object.keys(variables()).sort()).toEqual(Object.keys(VARIABLES).sort());
  });

  it('contains the defaults of contract/ for props that are not set', () => {
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

  it('contains the values of the props', () => {
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

  it("contains the name of the issuer's own table", () => {
    const template = templateOf();
    const [table] = Object.keys(template.findResources('AWS::DynamoDB::Table'));
    expect(propertiesOf(template, 'AWS::Lambda::Function').Environment.Variables.TABLE_NAME).toEqual({ Ref: table });
  });
});

describe('an invalid value is an error at synth:', () => {
  it.each<[EphemeralKeyIssuerProps, string]>([
    [{ clientLimits: '10 per hour' }, 'clientLimits: CLIENT_LIMITS="10 per hour" is invalid'],
    [{ clientLimits: '' }, 'clientLimits: CLIENT_LIMITS="" is invalid'],
    [{ globalLimits: '500' }, 'globalLimits: GLOBAL_LIMITS="500" is invalid'],
    [{ keyTtlSeconds: 9 }, 'keyTtlSeconds: KEY_TTL_SECONDS="9" is invalid'],
    [{ keyTtlSeconds: 7201 }, 'keyTtlSeconds: KEY_TTL_SECONDS="7201" is invalid'],
    [{ keyTtlSeconds: Number.NaN }, 'keyTtlSeconds: KEY_TTL_SECONDS="NaN" is invalid'],
    [{ ipv6Prefix: 31 }, 'ipv6Prefix: IPV6_PREFIX="31" is invalid'],
    [{ allowedOrigins: ['*'] }, 'allowedOrigins: ALLOWED_ORIGINS="*" is invalid'],
    [
      { allowedOrigins: ['https://a.example,https://b.example'] },
      'allowedOrigins: ALLOWED_ORIGINS="https://a.example,https://b.example" is invalid',
    ],
    [{ allowedOrigins: [''] }, 'allowedOrigins: ALLOWED_ORIGINS="" is invalid'],
    [{ allowedOrigins: [Fn.importValue('site'), '*'] }, 'allowedOrigins: ALLOWED_ORIGINS="*" is invalid'],
    [{ openaiBaseUrl: 'https://api.openai.com/v1; script-src *' }, 'openaiBaseUrl: OPENAI_BASE_URL='],
    [{ allowedOrigins: ['https://a.example/'] }, 'allowedOrigins: ALLOWED_ORIGINS="https://a.example/" is invalid'],
    [
      { openaiBaseUrl: 'http://127.0.0.1:8080/v1' },
      'is invalid: it must use https; http is only for an OpenAI stand-in',
    ],
    ...['//demo/key', 'demo/key', '/demo/', 'awsKey', '/aws/key', '/SSM/key', '/a:b:c', '/x'.repeat(16)].map(
      (keyParameterName): [EphemeralKeyIssuerProps, string] => [
        { keyParameterName },
        'is invalid: it must be an SSM parameter name',
      ],
    ),
    [{ openaiBaseUrl: 'api.openai.com' }, 'openaiBaseUrl: OPENAI_BASE_URL="api.openai.com" is invalid'],
    [{ keyParameterName: 'sk-1234' }, 'keyParameterName: OPENAI_KEY_PARAMETER is invalid, and not shown'],
    [{ tableName: 'a' }, 'tableName: TABLE_NAME="a" is invalid'],
  ])('%j, with a message that names it and shows a valid one', (props, expected) => {
    const message = errorFrom(props);
    expect(message).toContain(expected);
    expect(message).toMatch(/For example: [A-Z0-9_]+=\S+$/);
    expect(message.split('\n')).toHaveLength(1);
  });

  it('the message reports all invalid values', () => {
    const message = errorFrom({ clientLimits: 'x', keyTtlSeconds: 1, reservedConcurrency: 0, logRetentionDays: 2 });
    expect(message.split('\n').map((line) => line.split(':')[0])).toEqual([
      'keyTtlSeconds',
      'clientLimits',
      'reservedConcurrency',
      'logRetentionDays',
    ]);
  });
});

describe("Lambda's limit of 4 KB for environment variables", () => {
  const origins = (count: number) => Array.from({ length: count }, (_, n) => `https://site-${n}.example.com`);

  it('counts names and values', () => {
    expect(errorFrom({ allowedOrigins: origins(130) })).toMatch(
      /^allowedOrigins: the function's environment would have \d{4} bytes, and Lambda allows at most 4096\. ALLOWED_ORIGINS is its longest variable\. For example: /,
    );
  });

  it('leaves room for a hundred origins', () => {
    expect(() => issuerIn(newStack(), { allowedOrigins: origins(100) })).not.toThrow();
  });
});

it('an origin that CloudFormation has not created yet is accepted unchecked', () => {
  const stack = newStack();
  const site = new Distribution(stack, 'Site', { defaultBehavior: { origin: new HttpOrigin('www.example.com') } });
  issuerIn(stack, { allowedOrigins: [`https://${site.domainName}`], createDistribution: false });
  const { ALLOWED_ORIGINS } = propertiesOf(Template.fromStack(stack), 'AWS::Lambda::Function').Environment.Variables;
  expect(JSON.stringify(ALLOWED_ORIGINS)).toMatch(/\["https:\/\/",\{"Fn::GetAtt":\["Site\w+","DomainName"\]\}\]/);
});
