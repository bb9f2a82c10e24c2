/**
 * An issuer in a stack of your own: your limits and session settings, alarms by mail, and a role that lets the people on
 * call operate it.
 */
import { App, CfnOutput, Stack } from 'aws-cdk-lib';
import { AccountRootPrincipal, Role } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import { EphemeralKeyIssuer } from 'ephemeral-key-issuer';

class VoiceDemo extends Stack {
  constructor(scope: Construct, id: string) {
    super(scope, id);
    const issuer = new EphemeralKeyIssuer(this, 'Issuer', {
      // Create the parameter before the deployment. CloudFormation cannot create a SecureString.
      keyParameterName: '/voice-demo/openai-api-key',
      clientLimits: '3/1m,10/1h',
      globalLimits: '200/1d',
      session: {
        type: 'realtime',
        model: 'gpt-realtime-2.1-mini',
        instructions: 'You are a friendly guide to our museum. Keep your answers short.',
      },
      alarmMail: 'on-call@example.com',
    });

    // `npx issuer pause` and the other operator commands, without access to the OpenAI key.
    const operator = new Role(this, 'Operator', { assumedBy: new AccountRootPrincipal() });
    issuer.grantOperate(operator);

    new CfnOutput(this, 'Page', { value: issuer.pageUrl ?? '' });
    new CfnOutput(this, 'OperatorRole', { value: operator.roleArn });
  }
}

export const app = new App();
new VoiceDemo(app, 'VoiceDemo');
