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

/** The response headers policy of a behaviour. */
function policyOf(behavior: { ResponseHeadersPolicyId: { Ref: string } }, from: Template = template) {
  const policies = from.findResources('AWS::CloudFront::ResponseHeadersPolicy');
  return policies[behavior.ResponseHeadersPolicyId.Ref]?.['Properties'].ResponseHeadersPolicyConfig;
}

/** What CloudFront makes of its settings, as headers. A setting that is not known here fails. */
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
      throw new Error(`${setting} is not a header of contract/`);
  }
}

describe('security headers', () => {
  it('of /session are those of contract/, no more and no fewer', () => {
    expect(headersOf(policyOf(CacheBehaviors[0]))).toEqual(SECURITY_HEADERS);
  });

  it("of the page are those of contract/, with the host of the keys' API in its policy", () => {
    expect(headersOf(policyOf(DefaultCacheBehavior))).toEqual({
      ...SECURITY_HEADERS,
      ...pageHeaders('https://eu.example.com/v1'),
    });
  });
});

describe('CORS', () => {
  it('is that of contract/, for the allowed origins, whatever the function says', () => {
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
