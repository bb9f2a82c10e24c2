import { readFileSync } from 'node:fs';
import { Stack } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { beforeAll, describe, expect, it } from 'vitest';

const FOLDER = 'examples/construct';

let template: Template;

beforeAll(async () => {
  const { app } = await import('../../examples/construct/app.ts');
  template = Template.fromStack(Stack.of(app.node.findChild('VoiceDemo')));
});

describe('the construct in a stack of your own', () => {
  it('is synthesised with its limits', () => {
    template.hasResourceProperties('AWS::Lambda::Function', {
      Environment: {
        Variables: Match.objectLike({
          CLIENT_LIMITS: '3/1m,10/1h',
          GLOBAL_LIMITS: '200/1d',
          OPENAI_KEY_PARAMETER: '/voice-demo/openai-api-key',
        }),
      },
    });
  });

  it('sends alarms by mail', () => {
    template.hasResourceProperties('AWS::SNS::Subscription', { Protocol: 'email', Endpoint: 'on-call@example.com' });
  });

  it('lets its operators change the switch, and not read the OpenAI key', () => {
    const [policy = {}] = Object.values(
      template.findResources('AWS::IAM::Policy', {
        Properties: { Roles: [{ Ref: Match.stringLikeRegexp('^Operator') }] },
      }),
    );
    const allowed = JSON.stringify(policy);
    expect(allowed).toContain('dynamodb:UpdateItem');
    expect(allowed).not.toContain('ssm:');
  });

  it('outputs where the page is', () => {
    expect(Object.keys(template.findOutputs('*'))).toEqual(expect.arrayContaining(['Page', 'OperatorRole']));
  });

  it('is what the command line of CDK runs', () => {
    expect(JSON.parse(readFileSync(`${FOLDER}/cdk.json`, 'utf8'))).toEqual({ app: 'node app.ts' });
  });
});
