import { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { OUTPUTS, STACK_NAME } from '../../contract/outputs.ts';
import type { EphemeralKeyIssuerProps } from '../../lib/ephemeral-key-issuer.ts';
import { IssuerStack } from '../../lib/issuer-stack.ts';
import { CODE_FOLDER, newApp, PAGE_FOLDER } from './synth.ts';

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
    expect(outputNames({ page: PAGE_FOLDER })).toEqual(Object.keys(OUTPUTS).sort());
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
