import type { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { CORS } from '../../../contract/endpoint.ts';
import { pageHeaders, SECURITY_HEADERS } from '../../../contract/security-headers.ts';
import { PAGE_FOLDER, propertiesOf, templateOf } from '../synth.ts';

const ORIGINS = ['https://www.example.com', 'https://example.com'];
const template = templateOf({ page: PAGE_FOLDER, allowedOrigins: ORIGINS, openaiBaseUrl: 'https://eu.example.com/v1' });
const { CacheBehaviors, DefaultCacheBehavior } = propertiesOf(
  template,
  'AWS::CloudFront::Distribution',
).DistributionConfig;

/** @returns the response headers policy of a behavior */
function policyOf(behavior: { ResponseHeadersPolicyId: { Ref: string } }, from: Template = template) {
  const policies = from.findResources('AWS::CloudFront::ResponseHeadersPolicy');
  return policies[behavior.ResponseHeadersPolicyId.Ref]?.['Properties'].ResponseHeadersPolicyConfig;
}

/** @returns the headers that result from a policy's settings. An unknown setting fails the test. */
function headersOf({
  SecurityHeadersConfig,
  CustomHeadersConfig,
}: ReturnType<typeof policyOf>): Record<string, string> {
  const security = Object.entries<Record<string, unknown>>(SecurityHeadersConfig).map(([setting, value]) => {
    expect(value['Override']).toBe(true);
    return securityHeader(setting, value);
  });
  const custom = (CustomHeadersConfig?.Items ?? []).map((item: Record<string, unknown>) => [
    item['Header'],
    item['Value'],
  ]);
  return Object.fromEntries([...security, ...custom]);
}

function securityHeader(setting: string, value: Record<string, unknown>): [string, unknown] {
  switch (setting) {
    case 'StrictTransportSecurity':
      expect(Object.keys(value).sort()).toEqual(['AccessControlMaxAgeSec', 'Override']);
      return ['strict-transport-security', `max-age=${value['AccessControlMaxAgeSec']}`];
    case 'ContentTypeOptions':
      return ['x-content-type-options', 'nosniff'];
    case 'ReferrerPolicy':
      return ['referrer-policy', value['ReferrerPolicy']];
    case 'ContentSecurityPolicy':
      return ['content-security-policy', value['ContentSecurityPolicy']];
    default:
      throw new Error(`${setting} is not one of the headers in contract/.`);
  }
}

describe('security headers', () => {
  it('of /session are exactly those of contract/', () => {
    expect(headersOf(policyOf(CacheBehaviors[0]))).toEqual(SECURITY_HEADERS);
  });

  it('of the page are exactly those of contract/, with the OpenAI host in the Content-Security-Policy', () => {
    expect(headersOf(policyOf(DefaultCacheBehavior))).toEqual({
      ...SECURITY_HEADERS,
      ...pageHeaders('https://eu.example.com/v1'),
    });
  });
});

describe('CORS', () => {
  it('has the settings of contract/ for the allowed origins, and overrides the headers of the function', () => {
    expect(policyOf(CacheBehaviors[0]).CorsConfig).toEqual({
      AccessControlAllowOrigins: { Items: ORIGINS },
      AccessControlAllowMethods: { Items: CORS.allowMethods },
      AccessControlAllowHeaders: { Items: CORS.allowHeaders },
      AccessControlExposeHeaders: { Items: CORS.exposeHeaders },
      AccessControlMaxAgeSec: CORS.maxAgeSeconds,
      AccessControlAllowCredentials: false,
      OriginOverride: true,
    });
  });

  it('is absent without an allowed origin', () => {
    const alone = templateOf();
    const { DefaultCacheBehavior: session } = propertiesOf(alone, 'AWS::CloudFront::Distribution').DistributionConfig;
    expect(policyOf(session, alone)).not.toHaveProperty('CorsConfig');
  });

  it('is absent on the page', () => {
    expect(policyOf(DefaultCacheBehavior)).not.toHaveProperty('CorsConfig');
  });
});
