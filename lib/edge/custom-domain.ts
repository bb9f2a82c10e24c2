/** A domain name of the user's own for the distribution, and the DNS records that lead to it. */

import { Token } from 'aws-cdk-lib';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import { type Distribution, type DistributionProps, SecurityPolicyProtocol } from 'aws-cdk-lib/aws-cloudfront';
import { AaaaRecord, ARecord, HostedZone, type IHostedZone, RecordTarget } from 'aws-cdk-lib/aws-route53';
import { CloudFrontTarget } from 'aws-cdk-lib/aws-route53-targets';
import type { Construct } from 'constructs';
import type { CustomDomain } from '../configuration/custom-domain.ts';

type DomainProps = Pick<DistributionProps, 'domainNames' | 'certificate' | 'minimumProtocolVersion'>;

/** CloudFormation changes these on the existing distribution. The cloudfront.net name keeps working. */
export function domainProps(scope: Construct, { name, certificateArn }: CustomDomain): DomainProps {
  return {
    domainNames: [name],
    certificate: Certificate.fromCertificateArn(scope, 'Certificate', certificateArn),
    // Every browser that supports WebRTC also supports TLS 1.2. This policy has its ciphers with forward secrecy only.
    minimumProtocolVersion: SecurityPolicyProtocol.TLS_V1_2_2021,
  };
}

/** Alias records also work at an apex, and queries for them are free. */
export function createAliasRecords(scope: Construct, distribution: Distribution, domain: CustomDomain): void {
  if (domain.hostedZone === undefined) {
    return;
  }
  const { id, name } = domain.hostedZone;
  const zone: IHostedZone = HostedZone.fromHostedZoneAttributes(scope, 'Zone', { hostedZoneId: id, zoneName: name });
  const target = RecordTarget.fromAlias(new CloudFrontTarget(distribution));
  // With the final dot, CDK does not append the zone to the name.
  const record = { zone, recordName: `${domain.name}.`, target };
  new ARecord(scope, 'AliasRecord', record);
  new AaaaRecord(scope, 'AliasRecordIpv6', record);
}

/**
 * @returns the record to set by hand, as "name type target", or undefined if it is created. A name of two labels is the apex of its
 * zone, where DNS does not allow a CNAME.
 */
export function dnsRecord({ distributionDomainName }: Distribution, domain: CustomDomain): string | undefined {
  if (domain.hostedZone !== undefined) {
    return undefined;
  }
  const isApex = !Token.isUnresolved(domain.name) && domain.name.split('.').length === 2;
  const type = isApex ? 'ALIAS or ANAME (an apex cannot have a CNAME)' : 'CNAME';
  return `${domain.name} ${type} ${distributionDomainName}`;
}
