import { readFileSync } from 'node:fs';
import { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { METRICS, METRICS_DIMENSION, METRICS_NAMESPACE } from '../../../contract/metrics.ts';
import { SWITCH_KEY } from '../../../lambda/gate/kill-switch.ts';
import { EphemeralKeyIssuer } from '../../../lib/ephemeral-key-issuer.ts';
import { CODE_FOLDER, issuerIn, newStack, propertiesOf, templateOf } from '../synth.ts';

const ALARM = 'AWS::CloudWatch::Alarm';
const ALL = templateOf({ guardrails: true, limiterFailureMode: 'open', alarmMail: 'you@example.com' });
const MAILLESS = templateOf({ guardrails: true });

/** The properties of each alarm, by the last part of its name. */
function alarmsIn(template: Template) {
  const alarms = Object.entries(template.findResources(ALARM)).map(
    ([id, { Properties }]) => [Properties['AlarmName'].replace('Test-Issuer-', ''), { id, ...Properties }] as const,
  );
  return new Map<string, Record<string, unknown>>(alarms);
}

/** Of the guard and not of the issuer, which has a reserved concurrency. */
function guardIn(template: Template) {
  const functions = Object.entries(template.findResources('AWS::Lambda::Function'));
  const [id, guard] = functions.find(([each]) => each.includes('Guard')) ?? [];
  return { id, properties: guard?.['Properties'] };
}

describe('the alarms', () => {
  it('are ten at most, since ten are free', () => {
    expect(alarmsIn(ALL).size).toBe(10);
  });

  it('have one on keys that left uncounted only where that can happen', () => {
    expect([...alarmsIn(ALL).keys()].filter((name) => !alarmsIn(MAILLESS).has(name))).toEqual(['failed-open']);
  });

  // [alarm, metric, minutes, how often]
  it.each([
    ['keys-per-hour', 'KeysIssued', 60, 100],
    ['budget-exhausted', 'BudgetExhausted', 60, 1],
    ['upstream-refused', 'UpstreamRefused', 5, 1],
    ['upstream-unavailable', 'UpstreamUnavailable', 15, 10],
    ['limiter-unavailable', 'LimiterUnavailable', 5, 5],
    ['failed-open', 'FailedOpen', 5, 1],
    ['faults', 'Faults', 5, 1],
    ['function-errors', 'Errors', 5, 3],
    ['throttles', 'Throttles', 5, 50],
    ['guard-errors', 'Errors', 5, 1],
  ])('%s goes off by %s in %d minutes, from %d on', (name, MetricName, minutes, Threshold) => {
    expect(alarmsIn(ALL).get(name)).toMatchObject({
      MetricName,
      Statistic: 'Sum',
      Period: minutes * 60,
      EvaluationPeriods: 1,
      Threshold,
      ComparisonOperator: 'GreaterThanOrEqualToThreshold',
      TreatMissingData: 'notBreaching',
    });
  });

  it("look at the function's own metrics, under the very dimension that its log names", () => {
    const [issuer] = Object.keys(ALL.findResources('AWS::Lambda::Function'));
    for (const { MetricName, Namespace, Dimensions } of alarmsIn(ALL).values()) {
      const isOurs = Object.hasOwn(METRICS, String(MetricName));
      expect(Namespace).toBe(isOurs ? METRICS_NAMESPACE : 'AWS/Lambda');
      expect(Dimensions).toEqual([
        { Name: isOurs ? METRICS_DIMENSION : 'FunctionName', Value: { Ref: expect.any(String) } },
      ]);
      if (isOurs) {
        expect(Dimensions).toMatchObject([{ Value: { Ref: issuer } }]);
      }
    }
  });

  it('go off from the number on that their documentation says', () => {
    const source = readFileSync('lib/monitoring/alarms.ts', 'utf8');
    const documented = [...source.matchAll(/@default (\d+) .*\n.*\n {2}readonly \w+\?/g)].map(([, number]) =>
      Number(number),
    );
    expect([...alarmsIn(ALL).values()].map((alarm) => alarm['Threshold'])).toEqual(documented);
  });

  it('go off as they are told', () => {
    const template = templateOf({ guardrails: { keysPerHour: 40 } });
    expect(alarmsIn(template).get('keys-per-hour')).toMatchObject({ Threshold: 40 });
    expect(alarmsIn(template).get('faults')).toMatchObject({ Threshold: 1 });
  });

  it('have names of their own where a stack has two issuers', () => {
    const stack = newStack();
    issuerIn(stack, { guardrails: true });
    new EphemeralKeyIssuer(stack, 'Second issuer', { codeFolder: CODE_FOLDER, page: false });
    const alarms = Object.values(Template.fromStack(stack).findResources(ALARM));
    const names = alarms.map(({ Properties }) => Properties['AlarmName']);
    expect(names).toHaveLength(18);
    expect(new Set(names).size).toBe(18);
    expect(names).toContain('Test-Second-issuer-keys-per-hour');
  });

  it('are none, and no function and no topic with them, where they are not wanted', () => {
    const template = templateOf({ guardrails: false });
    template.resourceCountIs(ALARM, 0);
    template.resourceCountIs('AWS::Lambda::Function', 1);
  });
});

describe('the pause', () => {
  it('is an action of the alarm on spending speed, and of no other', () => {
    const { id } = guardIn(MAILLESS);
    for (const [name, { AlarmActions }] of alarmsIn(MAILLESS)) {
      const action = name === 'keys-per-hour' ? [{ 'Fn::GetAtt': [id, 'Arn'] }] : undefined;
      expect(AlarmActions, name).toEqual(action);
    }
  });

  it('is invoked by that alarm alone', () => {
    const permissions = Object.values(MAILLESS.findResources('AWS::Lambda::Permission'));
    const alarms = permissions.filter(
      ({ Properties }) => Properties['Principal'] === 'lambda.alarms.cloudwatch.amazonaws.com',
    );
    expect(alarms.map(({ Properties }) => Properties)).toEqual([
      {
        Action: 'lambda:InvokeFunction',
        FunctionName: { 'Fn::GetAtt': [guardIn(MAILLESS).id, 'Arn'] },
        Principal: 'lambda.alarms.cloudwatch.amazonaws.com',
        SourceAccount: { Ref: 'AWS::AccountId' },
        SourceArn: { 'Fn::GetAtt': [alarmsIn(MAILLESS).get('keys-per-hour')?.['id'], 'Arn'] },
      },
    ]);
  });

  it("knows the alarm by its name, and the issuer's table", () => {
    const [table] = Object.keys(MAILLESS.findResources('AWS::DynamoDB::Table'));
    expect(guardIn(MAILLESS).properties.Environment.Variables).toEqual({
      TABLE_NAME: { Ref: table },
      PAUSING_ALARMS: alarmsIn(MAILLESS).get('keys-per-hour')?.['AlarmName'],
    });
  });

  it('runs the bundle on Node 24 and arm64, with a log that goes with the stack', () => {
    const { properties } = guardIn(MAILLESS);
    expect(properties).toMatchObject({ Handler: 'index.handler', Runtime: 'nodejs24.x', Architectures: ['arm64'] });
    const log = MAILLESS.findResources('AWS::Logs::LogGroup')[properties.LoggingConfig.LogGroup.Ref];
    expect(log).toMatchObject({ DeletionPolicy: 'Delete', Properties: { RetentionInDays: 30 } });
  });

  it('may write the switch, and its log, and nothing else', () => {
    const policies = Object.entries(MAILLESS.findResources('AWS::IAM::Policy'));
    const [, policy] = policies.find(([id]) => id.includes('Guard')) ?? [];
    const [table] = Object.keys(MAILLESS.findResources('AWS::DynamoDB::Table'));
    expect(policy?.['Properties'].PolicyDocument.Statement).toEqual([
      {
        Effect: 'Allow',
        Action: 'dynamodb:UpdateItem',
        Resource: { 'Fn::GetAtt': [table, 'Arn'] },
        Condition: { 'ForAllValues:StringEquals': { 'dynamodb:LeadingKeys': [SWITCH_KEY] } },
      },
      {
        Effect: 'Allow',
        Action: ['logs:CreateLogStream', 'logs:PutLogEvents'],
        Resource: expect.arrayContaining([
          { 'Fn::GetAtt': [guardIn(MAILLESS).properties.LoggingConfig.LogGroup.Ref, 'Arn'] },
        ]),
      },
    ]);
  });
});

describe('mail', () => {
  it('goes to the address for every alarm', () => {
    expect(propertiesOf(ALL, 'AWS::SNS::Subscription')).toMatchObject({
      Protocol: 'email',
      Endpoint: 'you@example.com',
    });
    const [topic] = Object.keys(ALL.findResources('AWS::SNS::Topic'));
    for (const [name, { AlarmActions }] of alarmsIn(ALL)) {
      expect(AlarmActions, name).toContainEqual({ Ref: topic });
    }
  });

  it("is taken from the account's alarms, though the topic has a policy of its own", () => {
    expect(propertiesOf(ALL, 'AWS::SNS::TopicPolicy').PolicyDocument.Statement).toContainEqual(
      expect.objectContaining({
        Effect: 'Allow',
        Action: 'sns:Publish',
        Principal: { Service: 'cloudwatch.amazonaws.com' },
        Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
      }),
    );
  });

  it('goes to nobody unless an address is given', () => {
    MAILLESS.resourceCountIs('AWS::SNS::Topic', 0);
  });
});
