/** The stack that `npm run deploy` creates: one issuer, and the outputs by which the command line finds it. */

import { CfnOutput, Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { OUTPUTS, type OutputName, STACK_NAME } from '../contract/outputs.ts';
import { EphemeralKeyIssuer, type EphemeralKeyIssuerProps } from './ephemeral-key-issuer.ts';

export class IssuerStack extends Stack {
  readonly issuer: EphemeralKeyIssuer;

  constructor(scope: Construct, props: EphemeralKeyIssuerProps) {
    super(scope, STACK_NAME, { description: 'Short-lived OpenAI Realtime keys for the visitors of a public demo' });
    this.issuer = new EphemeralKeyIssuer(this, 'Issuer', props);
    this.addOutputs();
  }

  private addOutputs(): void {
    const { issuer } = this;
    const values: Record<OutputName, string | undefined> = {
      SessionUrl: issuer.sessionUrl,
      PageUrl: issuer.pageUrl,
      DnsRecord: issuer.dnsRecord,
      FunctionUrl: issuer.functionUrl.url,
      FunctionName: issuer.function.functionName,
      LogGroupName: issuer.logGroup.logGroupName,
      TableName: issuer.table.tableName,
      KeyParameterName: issuer.keyParameterName,
    };
    for (const [name, description] of Object.entries(OUTPUTS)) {
      const value = values[name as OutputName];
      if (value !== undefined) {
        new CfnOutput(this, name, { description, value });
      }
    }
  }
}
