import { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { OUTPUTS, STACK_NAME } from '../../contract/outputs.ts';
import type { EphemeralKeyIssuerProps } from '../../lib/ephemeral-key-issuer.ts';
import { IssuerStack } from '../../lib/issuer-stack.ts';
import { CERTIFICATE, CODE_FOLDER, newApp, PAGE_FOLDER } from './synth.ts';

const DOMAIN = { domainName: 'demo.example.com', certificateArn: CERTIFICATE };

function stackWith(props: EphemeralKeyIssuerProps) {
  return new IssuerStack(newApp(), { codeFolder: CODE_FOLDER, ...props });
}

function outputNames(props: EphemeralKeyIssuerProps): string[] {
  return Object.keys(Template.fromStack(stackWith(props)).findOutputs('*')).sort();
}

describe('the stack', () => {
  it('has the name by which the command line finds it', () => {
    expect(stackWith({ page: false }).stackName).toBe(STACK_NAME);
  });

  it('has every output that contract/ lists, under the same name', () => {
    expect(outputNames({ page: PAGE_FOLDER, ...DOMAIN })).toEqual(Object.keys(OUTPUTS).sort());
  });

  it('has the DNS record to set as an output, if there is one', () => {
    const { DnsRecord } = Template.fromStack(stackWith({ page: false, ...DOMAIN })).findOutputs('DnsRecord');
    expect(JSON.stringify(DnsRecord?.['Value'])).toMatch(
      /\["demo\.example\.com CNAME ",\{"Fn::GetAtt":\["\w+","DomainName"\]\}\]/,
    );
    expect(outputNames({ page: false })).not.toContain('DnsRecord');
    expect(
      outputNames({ page: false, ...DOMAIN, hostedZoneId: 'Z0123456789', hostedZoneName: 'example.com' }),
    ).not.toContain('DnsRecord');
  });

  it('has the custom domain in the URLs', () => {
    const { SessionUrl, PageUrl } = Template.fromStack(stackWith({ page: PAGE_FOLDER, ...DOMAIN })).findOutputs('*');
    expect([PageUrl?.['Value'], SessionUrl?.['Value']]).toEqual([
      'https://demo.example.com/',
      'https://demo.example.com/session',
    ]);
  });

  it('has no page output without a page, and no session URL without a distribution', () => {
    expect(outputNames({ page: false })).not.toContain('PageUrl');
    expect(outputNames({ createDistribution: false })).not.toContain('SessionUrl');
  });

  it("has the distribution's URL of /session as an output", () => {
    const { SessionUrl } = Template.fromStack(stackWith({ page: false })).findOutputs('SessionUrl');
    expect(JSON.stringify(SessionUrl?.['Value'])).toMatch(
      /\["https:\/\/",\{"Fn::GetAtt":\["\w+","DomainName"\]\},"\/session"\]/,
    );
  });

  it('leaves nothing behind when it is destroyed', () => {
    const { Resources } = Template.fromStack(stackWith({ page: PAGE_FOLDER })).toJSON();
    const kept = Object.keys(Resources).filter((id) => (Resources[id].DeletionPolicy ?? 'Delete') !== 'Delete');
    expect(kept).toEqual([]);
    for (const type of ['AWS::DynamoDB::Table', 'AWS::S3::Bucket', 'AWS::Logs::LogGroup']) {
      const ids = Object.keys(Resources).filter((id) => Resources[id].Type === type);
      expect(ids.map((id) => Resources[id].DeletionPolicy)).not.toContain(undefined);
    }
  });
});
