import { Fn } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import { describe, expect, it } from 'vitest';
import { pageHeaders } from '../../../contract/security-headers.ts';
import type { EphemeralKeyIssuerProps } from '../../../lib/ephemeral-key-issuer.ts';
import { CERTIFICATE, issuerIn, newStack, PAGE_FOLDER, propertiesOf, templateOf } from '../synth.ts';

const DISTRIBUTION = 'AWS::CloudFront::Distribution';
const TABLE = 'AWS::DynamoDB::Table';
const RECORD = 'AWS::Route53::RecordSet';

const DOMAIN = { domainName: 'demo.example.com', certificateArn: CERTIFICATE };
const ZONE = { hostedZoneId: 'Z0123456789', hostedZoneName: 'example.com' };
const STEPS = { none: {}, domain: DOMAIN, 'domain and zone': { ...DOMAIN, ...ZONE } };

const withDomain = templateOf({ ...DOMAIN, page: PAGE_FOLDER });
const withZone = templateOf({ ...DOMAIN, ...ZONE });

function configOf(template: Template) {
  return propertiesOf(template, DISTRIBUTION).DistributionConfig;
}

function resolved(props: EphemeralKeyIssuerProps) {
  const stack = newStack();
  const { pageUrl, sessionUrl, dnsRecord } = issuerIn(stack, props);
  return stack.resolve({ pageUrl, sessionUrl, dnsRecord });
}

describe('the distribution with a custom domain', () => {
  it('has the name and its certificate, for TLS 1.2 and later', () => {
    expect(configOf(withDomain)).toMatchObject({
      Aliases: ['demo.example.com'],
      ViewerCertificate: {
        AcmCertificateArn: CERTIFICATE,
        MinimumProtocolVersion: 'TLSv1.2_2021',
        SslSupportMethod: 'sni-only',
      },
    });
  });

  it('accepts a certificate that CloudFormation has not created yet', () => {
    const stack = newStack();
    const { certificateArn } = new Certificate(stack, 'Certificate', { domainName: 'demo.example.com' });
    issuerIn(stack, { ...DOMAIN, certificateArn });
    const { AcmCertificateArn } = configOf(Template.fromStack(stack)).ViewerCertificate;
    expect(AcmCertificateArn).toEqual({ Ref: expect.stringMatching(/^Certificate/) });
  });

  it('has neither without a custom domain', () => {
    const config = configOf(templateOf());
    expect(config).not.toHaveProperty('Aliases');
    expect(config).not.toHaveProperty('ViewerCertificate');
  });
});

describe('the URLs', () => {
  it('have the name', () => {
    expect(resolved({ ...DOMAIN, page: PAGE_FOLDER })).toMatchObject({
      pageUrl: 'https://demo.example.com/',
      sessionUrl: 'https://demo.example.com/session',
    });
  });
});

describe("the page's own origin", () => {
  const allowed = (template: Template) =>
    propertiesOf(template, 'AWS::Lambda::Function').Environment.Variables.ALLOWED_ORIGINS;
  const cors = (template: Template) =>
    Object.values(template.findResources('AWS::CloudFront::ResponseHeadersPolicy')).flatMap(
      ({ Properties }) => Properties['ResponseHeadersPolicyConfig'].CorsConfig ?? [],
    );

  it('is allowed by the function, for browsers without Sec-Fetch-Site, and has no CORS headers', () => {
    const template = templateOf(DOMAIN);
    expect(allowed(template)).toBe('https://demo.example.com');
    expect(cors(template)).toEqual([]);
  });

  it('is allowed in addition to other sites, which alone have CORS headers', () => {
    const template = templateOf({ ...DOMAIN, allowedOrigins: ['https://www.example.com'] });
    expect(allowed(template)).toBe('https://www.example.com,https://demo.example.com');
    expect(cors(template).map(({ AccessControlAllowOrigins }) => AccessControlAllowOrigins.Items)).toEqual([
      ['https://www.example.com'],
    ]);
  });

  it('is not repeated if allowedOrigins contains it', () => {
    expect(allowed(templateOf({ ...DOMAIN, allowedOrigins: ['https://demo.example.com'] }))).toBe(
      'https://demo.example.com',
    );
  });

  it('may be known only to CloudFormation', () => {
    const template = templateOf({ ...DOMAIN, domainName: Fn.importValue('name') });
    expect(allowed(template)).toEqual({ 'Fn::Join': ['', ['https://', { 'Fn::ImportValue': 'name' }]] });
  });

  it("is 'self' in the page's policy, whose headers do not depend on the name", () => {
    const policies = (props: EphemeralKeyIssuerProps) =>
      templateOf({ page: PAGE_FOLDER, ...props }).findResources('AWS::CloudFront::ResponseHeadersPolicy');
    expect(policies(DOMAIN)).toEqual(policies({}));
    expect(pageHeaders('https://api.openai.com/v1')['content-security-policy']).toContain("connect-src 'self' ");
  });
});

describe('in a hosted zone', () => {
  it('A and AAAA records lead to the distribution', () => {
    const [distribution] = Object.keys(withZone.findResources(DISTRIBUTION));
    const records = Object.values(withZone.findResources(RECORD)).map(({ Properties }) => Properties);
    expect(records.map(({ Type }) => Type).sort()).toEqual(['A', 'AAAA']);
    for (const record of records) {
      expect(record).toMatchObject({
        HostedZoneId: 'Z0123456789',
        Name: 'demo.example.com.',
        AliasTarget: { DNSName: { 'Fn::GetAtt': [distribution, 'DomainName'] } },
      });
    }
  });

  it('there is no record to set by hand', () => {
    expect(resolved({ ...DOMAIN, ...ZONE })).not.toHaveProperty('dnsRecord');
  });

  it('the name of the zone itself gets the records of an apex', () => {
    const apex = templateOf({ ...DOMAIN, ...ZONE, domainName: 'example.com' });
    const names = Object.values(apex.findResources(RECORD)).map(({ Properties }) => Properties['Name']);
    expect(names).toEqual(['example.com.', 'example.com.']);
  });

  it('a name that only CloudFormation knows gets no second zone', () => {
    const deferred = templateOf({ ...DOMAIN, ...ZONE, domainName: Fn.importValue('name') });
    const names = Object.values(deferred.findResources(RECORD)).map(({ Properties }) => Properties['Name']);
    expect(names).toEqual(Array(2).fill({ 'Fn::Join': ['', [{ 'Fn::ImportValue': 'name' }, '.']] }));
  });
});

describe('without a hosted zone', () => {
  const target = { 'Fn::GetAtt': [expect.stringMatching(/^IssuerDistribution/), 'DomainName'] };

  it('no record is created', () => {
    withDomain.resourceCountIs(RECORD, 0);
  });

  it.each(['demo.example.com', 'shop.example.co.uk'])('%s needs a CNAME', (domainName) => {
    expect(resolved({ ...DOMAIN, domainName }).dnsRecord).toEqual({
      'Fn::Join': ['', [`${domainName} CNAME `, target]],
    });
  });

  it('an apex needs an ALIAS or ANAME, because DNS allows no CNAME there', () => {
    expect(resolved({ ...DOMAIN, domainName: 'example.com' }).dnsRecord).toEqual({
      'Fn::Join': ['', ['example.com ALIAS or ANAME (an apex cannot have a CNAME) ', target]],
    });
  });

  it('and without a custom domain, there is no record to set', () => {
    expect(resolved({})).not.toHaveProperty('dnsRecord');
  });
});

/** Properties whose change makes CloudFormation replace the resource, according to its reference. A distribution has none. */
const REPLACING = { [TABLE]: ['TableName', 'KeySchema', 'ImportSourceSpecification'], [DISTRIBUTION]: [] };

describe('a change of the domain replaces nothing:', () => {
  const changes = Object.keys(STEPS).flatMap((from) =>
    Object.keys(STEPS)
      .filter((to) => to !== from)
      .map((to) => [from, to] as [keyof typeof STEPS, keyof typeof STEPS]),
  );

  it.each(changes)('from %s to %s', (from, to) => {
    const [before, after] = [from, to].map((step) =>
      templateOf({ ...STEPS[step as keyof typeof STEPS], page: PAGE_FOLDER }),
    );
    for (const [type, properties] of Object.entries(REPLACING)) {
      const [[idBefore, resourceBefore] = [], ...others] = Object.entries(before?.findResources(type) ?? {});
      const [[idAfter, resourceAfter] = []] = Object.entries(after?.findResources(type) ?? {});
      expect(others).toEqual([]);
      expect([type, idBefore]).toEqual([type, idAfter]);
      for (const property of properties) {
        expect(resourceBefore?.['Properties'][property], property).toEqual(resourceAfter?.['Properties'][property]);
      }
    }
  });

  it.each(changes)('from %s to %s: only the distribution, the function and the DNS records differ', (from, to) => {
    const changed = differing(STEPS[from], STEPS[to]);
    expect(changed.filter((type) => ![DISTRIBUTION, 'AWS::Lambda::Function', RECORD].includes(type))).toEqual([]);
  });
});

/** The types of the resources that are not the same in both. */
function differing(...[before, after]: [EphemeralKeyIssuerProps, EphemeralKeyIssuerProps]): string[] {
  const resources = (props: EphemeralKeyIssuerProps): Record<string, { Type: string }> =>
    templateOf({ ...props, page: PAGE_FOLDER }).toJSON()['Resources'];
  const [one, other] = [resources(before), resources(after)];
  const ids = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...ids]
    .filter((id) => JSON.stringify(one[id]) !== JSON.stringify(other[id]))
    .map((id) => (one[id] ?? other[id])?.Type ?? '');
}
