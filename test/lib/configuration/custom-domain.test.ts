import { Fn } from 'aws-cdk-lib';
import { describe, expect, it } from 'vitest';
import type { EphemeralKeyIssuerProps } from '../../../lib/ephemeral-key-issuer.ts';
import { CERTIFICATE, errorFrom, issuerIn, newStack } from '../synth.ts';

const DOMAIN = { domainName: 'demo.example.com', certificateArn: CERTIFICATE };
const ZONE = { hostedZoneId: 'Z0123456789', hostedZoneName: 'example.com' };

function accept(props: EphemeralKeyIssuerProps): void {
  expect(() => issuerIn(newStack(), props)).not.toThrow();
}

/** The rest of an ARN, after the region. */
const CERTIFICATE_ID = CERTIFICATE.slice(CERTIFICATE.indexOf(':111122223333'));

describe('a domain name', () => {
  it.each([
    'demo.example.com',
    'example.com',
    'a.b.c.d.example.co.uk',
    'xn--r8jz45g.jp',
    '0.1.example',
    'a--b.example',
  ])('%s is valid', (domainName) => accept({ ...DOMAIN, domainName }));

  it.each([
    ['with a scheme', 'https://demo.example.com'],
    ['with a port', 'demo.example.com:443'],
    ['with a path', 'demo.example.com/'],
    ['in upper case', 'Demo.example.com'],
    ['with a final dot', 'demo.example.com.'],
    ['with a wildcard', '*.example.com'],
    ['with one label', 'localhost'],
    ['with an empty label', 'demo..example.com'],
    ['that begins with a dot', '.example.com'],
    ['with a label that begins with a hyphen', '-demo.example.com'],
    ['with a label that ends with a hyphen', 'demo-.example.com'],
    ['with a label of 64 characters', `${'x'.repeat(64)}.example.com`],
    ['with 254 characters', `${'x.'.repeat(121)}examples.com`],
    ['with an underscore', 'my_demo.example.com'],
    ['in Japanese', '例え.jp'],
    ['with a space', 'demo.example.com '],
    ['with a line break', 'demo.example.com\n'],
    ['that is an address', '203.0.113.9'],
    ['of CloudFront', 'd111111abcdef8.cloudfront.net'],
    ['that is empty', ''],
  ])('%s is invalid, and nothing else is reported', (_, domainName) => {
    expect(errorFrom({ ...DOMAIN, domainName })).toBe(
      `domainName: ${JSON.stringify(domainName)} is invalid: it must be a host name of your own: lower case, no scheme, port, ` +
        'path, wildcard or final dot, and international names in their xn-- form. For example: demo.example.com',
    );
  });
});

describe('a certificate', () => {
  it.each(['eu-central-1', 'us-east-2', 'us-west-1'])('in %s is invalid, and the message says why', (region) => {
    expect(errorFrom({ ...DOMAIN, certificateArn: `arn:aws:acm:${region}${CERTIFICATE_ID}` })).toBe(
      `certificateArn: "arn:aws:acm:${region}${CERTIFICATE_ID}" is invalid: it must be in us-east-1, not in ${region}: CloudFront ` +
        `takes certificates from that region only, wherever the stack is. For example: ${CERTIFICATE}`,
    );
  });

  it('in China is invalid, because CloudFront takes them from IAM there', () => {
    expect(errorFrom({ ...DOMAIN, certificateArn: `arn:aws-cn:acm:cn-north-1${CERTIFICATE_ID}` })).toContain(
      'it must not be in China, where CloudFront takes certificates from IAM only.',
    );
  });

  it.each([
    '12345678-1234-1234-1234-123456789012',
    CERTIFICATE.slice(0, -1),
    `${CERTIFICATE}0`,
    CERTIFICATE.replace('111122223333', '1111'),
    CERTIFICATE.replace(':acm:', ':iam:'),
    CERTIFICATE.replace('us-east-1', ''),
    CERTIFICATE.toUpperCase(),
    ` ${CERTIFICATE}`,
    `${CERTIFICATE}\n`,
    '',
  ])('%j is malformed', (certificateArn) => {
    expect(errorFrom({ ...DOMAIN, certificateArn })).toBe(
      `certificateArn: ${JSON.stringify(certificateArn)} is invalid: it must be the ARN of an ACM certificate. ` +
        `For example: ${CERTIFICATE}`,
    );
  });
});

describe('a hosted zone', () => {
  it.each([
    ['demo.example.com', 'example.com'],
    ['demo.example.com', 'demo.example.com'],
    ['example.com', 'example.com'],
    ['a.b.example.com', 'example.com'],
  ])('that contains the name is valid: %s in %s', (domainName, hostedZoneName) =>
    accept({ ...DOMAIN, ...ZONE, domainName, hostedZoneName }),
  );

  it.each(['example.org', 'ample.com', 'a.demo.example.com', 'mple.com'])(
    'that does not contain the name is invalid: %s',
    (hostedZoneName) => {
      expect(errorFrom({ ...DOMAIN, ...ZONE, hostedZoneName })).toBe(
        `hostedZoneName: "${hostedZoneName}" is invalid: it must be demo.example.com, or a domain that contains it. For example: example.com`,
      );
    },
  );

  it.each(['/hostedzone/Z0123456789', 'z0123456789', '0123456789', 'Z', `Z${'0'.repeat(32)}`, 'Z0123456789\n', ''])(
    'with the id %j is invalid',
    (hostedZoneId) => {
      expect(errorFrom({ ...DOMAIN, ...ZONE, hostedZoneId })).toBe(
        `hostedZoneId: ${JSON.stringify(hostedZoneId)} is invalid: it must be the id of a Route 53 hosted zone: "Z" and up to 31 ` +
          'capital letters and digits. For example: Z0123456789ABCDEFGHIJ',
      );
    },
  );
});

describe('what belongs together', () => {
  it.each<[EphemeralKeyIssuerProps, string[]]>([
    [
      { domainName: 'demo.example.com' },
      [`domainName: certificateArn must be set too. For example: certificateArn=${CERTIFICATE}`],
    ],
    [
      { certificateArn: CERTIFICATE },
      ['certificateArn: domainName must be set too. For example: domainName=demo.example.com'],
    ],
    [
      { ...DOMAIN, hostedZoneId: ZONE.hostedZoneId },
      ['hostedZoneId: hostedZoneName must be set too. For example: hostedZoneName=example.com'],
    ],
    [
      { ...DOMAIN, hostedZoneName: ZONE.hostedZoneName },
      ['hostedZoneName: hostedZoneId must be set too. For example: hostedZoneId=Z0123456789ABCDEFGHIJ'],
    ],
    [
      ZONE,
      [
        'hostedZoneId: domainName must be set too. For example: domainName=demo.example.com',
        'hostedZoneName: domainName must be set too. For example: domainName=demo.example.com',
      ],
    ],
  ])('%j alone is incomplete', (props, messages) => {
    expect(errorFrom(props).split('\n')).toEqual(messages);
  });

  it('a domain needs a distribution', () => {
    expect(errorFrom({ ...DOMAIN, ...ZONE, createDistribution: false })).toBe(
      'domainName: the issuer has no distribution that could have a name, because createDistribution is false. Set name and ' +
        'certificate on your own distribution, and remove domainName, certificateArn, hostedZoneId, hostedZoneName here',
    );
  });
});

it('a value that only CloudFormation knows is accepted unchecked', () => {
  const deferred = Fn.importValue('shared');
  accept({
    domainName: deferred,
    certificateArn: deferred,
    hostedZoneId: deferred,
    hostedZoneName: deferred,
  });
  accept({ ...DOMAIN, ...ZONE, domainName: deferred });
  accept({ ...DOMAIN, ...ZONE, hostedZoneName: deferred });
});
