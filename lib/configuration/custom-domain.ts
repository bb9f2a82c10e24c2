/**
 * The props of a custom domain: the name, its certificate, and the Route 53 hosted zone that its DNS records are created in. Each
 * value may be known only to CloudFormation, for example the ARN of a certificate in the same stack; it is then not checked.
 */

import { Token } from 'aws-cdk-lib';
import type { EphemeralKeyIssuerProps } from './props.ts';

export interface CustomDomain {
  /** `demo.example.com` */
  readonly name: string;
  readonly certificateArn: string;
  /** Undefined if the DNS records are not created by the deployment. */
  readonly hostedZone: { readonly id: string; readonly name: string } | undefined;
}

/** Call {@link validateCustomDomain} first: this function expects valid props. */
export function customDomain(props: EphemeralKeyIssuerProps): CustomDomain | undefined {
  const { domainName, certificateArn, hostedZoneId, hostedZoneName } = props;
  if (domainName === undefined || certificateArn === undefined) {
    return undefined;
  }
  const hasZone = hostedZoneId !== undefined && hostedZoneName !== undefined;
  const hostedZone = hasZone ? { id: hostedZoneId, name: hostedZoneName } : undefined;
  return { name: domainName, certificateArn, hostedZone };
}

/** @returns the origin of the issuer's own page, or undefined if it has no custom domain */
export function customOrigin({ domainName }: EphemeralKeyIssuerProps): string | undefined {
  const isValid = domainName !== undefined && (Token.isUnresolved(domainName) || isHostName(domainName));
  return isValid ? `https://${domainName}` : undefined;
}

export type DomainProp = 'domainName' | 'certificateArn' | 'hostedZoneId' | 'hostedZoneName';

export const DOMAIN_EXAMPLES: Readonly<Record<DomainProp, string>> = {
  domainName: 'demo.example.com',
  certificateArn: 'arn:aws:acm:us-east-1:111122223333:certificate/12345678-1234-1234-1234-123456789012',
  hostedZoneId: 'Z0123456789ABCDEFGHIJ',
  hostedZoneName: 'example.com',
};

const NEEDED_BY: Readonly<Record<DomainProp, readonly DomainProp[]>> = {
  domainName: ['certificateArn'],
  certificateArn: ['domainName'],
  hostedZoneId: ['domainName', 'hostedZoneName'],
  hostedZoneName: ['domainName', 'hostedZoneId'],
};

/** RFC 1123: labels of letters, digits and inner hyphens; the last is not a number. CloudFront accepts lower case only. */
const LABEL = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
const HOST_NAME = new RegExp(`^(?=.{1,253}$)(?:${LABEL}\\.)+(?!\\d+$)${LABEL}$`);
const HOST_NAME_RULE =
  'lower case, no scheme, port, path, wildcard or final dot, and international names in their xn-- form';

const CERTIFICATE_ARN =
  /^arn:(?<partition>aws[a-z-]*):acm:(?<region>[a-z0-9-]+):\d{12}:certificate\/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Route 53's API shows the id after "/hostedzone/", which is not part of it. */
const HOSTED_ZONE_ID = /^Z[A-Z0-9]{1,31}$/;

/** @returns one error message for each prop of the domain that is invalid or missing */
export function validateCustomDomain(props: EphemeralKeyIssuerProps): string[] {
  const names = Object.keys(NEEDED_BY) as DomainProp[];
  const given = names.filter((name) => props[name] !== undefined);
  if (props.createDistribution === false && given[0] !== undefined) {
    return [
      `${given[0]}: the issuer has no distribution that could have a name, because createDistribution is false. ` +
        `Set name and certificate on your own distribution, and remove ${given.join(', ')} here`,
    ];
  }
  const missing = given.flatMap((name) =>
    NEEDED_BY[name]
      .filter((needed) => props[needed] === undefined)
      .map((needed) => `${name}: ${needed} must be set too. For example: ${needed}=${DOMAIN_EXAMPLES[needed]}`),
  );
  return [...missing, ...given.flatMap((name) => validateProp(name, props))];
}

function validateProp(name: DomainProp, props: EphemeralKeyIssuerProps): string[] {
  // From cdk.json, which no compiler checks.
  const value: unknown = props[name];
  if (Token.isUnresolved(value)) {
    return [];
  }
  const text = typeof value === 'string' ? value : '';
  const rule =
    brokenRule(name, text) ?? (name === 'hostedZoneName' ? brokenZoneRule(text, props.domainName) : undefined);
  return rule === undefined
    ? []
    : [`${name}: ${JSON.stringify(value)} is invalid: ${rule}. For example: ${DOMAIN_EXAMPLES[name]}`];
}

/** @returns what the value must be, or undefined if it is valid */
function brokenRule(name: DomainProp, value: string): string | undefined {
  switch (name) {
    case 'domainName':
      return isHostName(value) ? undefined : `it must be a host name of your own: ${HOST_NAME_RULE}`;
    case 'certificateArn':
      return brokenArnRule(value);
    case 'hostedZoneId':
      return HOSTED_ZONE_ID.test(value)
        ? undefined
        : 'it must be the id of a Route 53 hosted zone: "Z" and up to 31 capital letters and digits';
    case 'hostedZoneName':
      return isHostName(value) ? undefined : `it must be the name of a Route 53 hosted zone: ${HOST_NAME_RULE}`;
  }
}

function brokenArnRule(arn: string): string | undefined {
  const { partition, region } = CERTIFICATE_ARN.exec(arn)?.groups ?? {};
  if (region === undefined) {
    return 'it must be the ARN of an ACM certificate';
  }
  if (partition === 'aws-cn') {
    return 'it must not be in China, where CloudFront takes certificates from IAM only. There, use a distribution of your own';
  }
  return region === 'us-east-1'
    ? undefined
    : `it must be in us-east-1, not in ${region}: CloudFront takes certificates from that region only, wherever the stack is`;
}

function brokenZoneRule(zone: string, domainName: string | undefined): string | undefined {
  if (domainName === undefined || Token.isUnresolved(domainName) || !isHostName(domainName)) {
    return undefined;
  }
  return domainName === zone || domainName.endsWith(`.${zone}`)
    ? undefined
    : `it must be ${domainName}, or a domain that contains it`;
}

/** A name below cloudfront.net belongs to AWS, and CloudFront rejects it as an alias. */
function isHostName(name: string): boolean {
  return HOST_NAME.test(name) && !name.endsWith('.cloudfront.net');
}
