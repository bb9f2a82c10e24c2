import { readFileSync } from 'node:fs';
import { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { METRICS, METRICS_DIMENSION, METRICS_NAMESPACE } from '../../../contract/metrics.ts';
import { SWITCH_KEY } from '../../../lambda/gate/kill-switch.ts';
import { EphemeralKeyIssuer } from '../../../lib/ephemeral-key-issuer.ts';
import { CODE_FOLDER, issuerIn, newStack, propertiesOf, templateOf } from '../synth.ts';

const ALARM = 'AWS::CloudWatch::Alarm';
const ALL = templateOf({ guardrails: true, limiterFailureMode: 'open', alarmMail: 'you@example.com' });
const WITHOUT_MAIL = templateOf({ guardrails: true });

/** @returns the properties of each alarm, by the last part of its name */
function alarmsIn(template: Template) {
  const alarms = Object.entries(template.findResources(ALARM)).map(
    ([id, { Properties }]) => [Properties['AlarmName'].replace('Test-Issuer-', ''), { id, ...Properties }] as const,
  );
  return new Map<string, Record<string, unknown>>(alarms);
}

/** @returns the function that pauses the issuer, not the issuer's own function */
function guardIn(template: Template) {
  const functions = Object.entries(template.findResources('AWS::Lambda::Function'));
  const [id, guard] = functions.find(([each]) => each.includes('Guard')) ?? [];
  return { id, properties: guard?.['Properties'] };
}

describe('the alarms', () => {
  it('are at most ten, because ten are free', () => {
    expect(alarmsIn(ALL).size).toBe(10);
  });

  it('include failed-open only if limiterFailureMode is open', () => {
    expect([...alarmsIn(ALL).keys()].filter((name) => !alarmsIn(WITHOUT_MAIL).has(name))).toEqual(['failed-open']);
  });

  // [alarm, metric, minutes, threshold]
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
  ])('%s counts %s over %d minutes, and goes off at %d', (name, MetricName, minutes, Threshold) => {
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

  it("use the function's own metrics, with the same dimension as in its log", () => {
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

  it('go off at the documented defaults', () => {
    const source = readFileSync('lib/monitoring/alarms.ts', 'utf8');
    const documented = [...source.matchAll(/@default (\d+) .*\n.*\n {2}readonly \w+\?/g)].map(([, number]) =>
      Number(number),
    );
    expect([...alarmsIn(ALL).values()].map((alarm) => alarm['Threshold'])).toEqual(documented);
  });

  it('go off at the thresholds of the props', () => {
    const template = templateOf({ guardrails: { keysPerHour: 40 } });
    expect(alarmsIn(template).get('keys-per-hour')).toMatchObject({ Threshold: 40 });
    expect(alarmsIn(template).get('faults')).toMatchObject({ Threshold: 1 });
  });

  it('have different names if a stack has two issuers', () => {
    const stack = newStack();
    issuerIn(stack, { guardrails: true });
    new EphemeralKeyIssuer(stack, 'Second issuer', { codeFolder: CODE_FOLDER, page: false });
    const alarms = Object.values(Template.fromStack(stack).findResources(ALARM));
    const names = alarms.map(({ Properties }) => Properties['AlarmName']);
    expect(names).toHaveLength(18);
    expect(new Set(names).size).toBe(18);
    expect(names).toContain('Test-Second-issuer-keys-per-hour');
  });

  it('are not created, and the function and the topic neither, if guardrails is false', () => {
    const template = templateOf({ guardrails: false });
    template.resourceCountIs(ALARM, 0);
    template.resourceCountIs('AWS::Lambda::Function', 1);
  });
});

describe('the pause', () => {
  it('is an action of the alarm on keys per hour, and of no other', () => {
    const { id } = guardIn(WITHOUT_MAIL);
    for (const [name, { AlarmActions }] of alarmsIn(WITHOUT_MAIL)) {
      const action = name === 'keys-per-hour' ? [{ 'Fn::GetAtt': [id, 'Arn'] }] : undefined;
      expect(AlarmActions, name).toEqual(action);
    }
  });

  it('can be invoked by that alarm only', () => {
    const permissions = Object.values(WITHOUT_MAIL.findResources('AWS::Lambda::Permission'));
    const alarms = permissions.filter(
      ({ Properties }) => Properties['Principal'] === 'lambda.alarms.cloudwatch.amazonaws.com',
    );
    expect(alarms.map(({ Properties }) => Properties)).toEqual([
      {
        Action: 'lambda:InvokeFunction',
        FunctionName: { 'Fn::GetAtt': [guardIn(WITHOUT_MAIL).id, 'Arn'] },
        Principal: 'lambda.alarms.cloudwatch.amazonaws.com',
        SourceAccount: { Ref: 'AWS::AccountId' },
        SourceArn: { 'Fn::GetAtt': [alarmsIn(WITHOUT_MAIL).get('keys-per-hour')?.['id'], 'Arn'] },
      },
    ]);
  });

  it("has the alarm's name and the issuer's table in its environment", () => {
    const [table] = Object.keys(WITHOUT_MAIL.findResources('AWS::DynamoDB::Table'));
    expect(guardIn(WITHOUT_MAIL).properties.Environment.Variables).toEqual({
      TABLE_NAME: { Ref: table },
      PAUSING_ALARMS: alarmsIn(WITHOUT_MAIL).get('keys-per-hour')?.['AlarmName'],
    });
  });

  it('runs the bundle on Node 24 and arm64, with a log that is deleted with the stack', () => {
    const { properties } = guardIn(WITHOUT_MAIL);
    expect(properties).toMatchObject({ Handler: 'index.handler', Runtime: 'nodejs24.x', Architectures: ['arm64'] });
    const log = WITHOUT_MAIL.findResources('AWS::Logs::LogGroup')[properties.LoggingConfig.LogGroup.Ref];
    expect(log).toMatchObject({ DeletionPolicy: 'Delete', Properties: { RetentionInDays: 30 } });
  });

  it('may write the kill switch and its own log, and nothing else', () => {
    const policies = Object.entries(WITHOUT_MAIL.findResources('AWS::IAM::Policy'));
    const [, policy] = policies.find(([id]) => id.includes('Guard')) ?? [];
    const [table] = Object.keys(WITHOUT_MAIL.findResources('AWS::DynamoDB::Table'));
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
          { 'Fn::GetAtt': [guardIn(WITHOUT_MAIL).properties.LoggingConfig.LogGroup.Ref, 'Arn'] },
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

  it("can be sent by the account's alarms, although the topic has a policy of its own", () => {
    expect(propertiesOf(ALL, 'AWS::SNS::TopicPolicy').PolicyDocument.Statement).toContainEqual(
      expect.objectContaining({
        Effect: 'Allow',
        Action: 'sns:Publish',
        Principal: { Service: 'cloudwatch.amazonaws.com' },
        Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
      }),
    );
  });

  it('is not set up unless an address is given', () => {
    WITHOUT_MAIL.resourceCountIs('AWS::SNS::Topic', 0);
  });
});
