import { Duration, type Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { CfnDistribution } from 'aws-cdk-lib/aws-cloudfront';
import { Alarm, Dashboard, GraphWidget, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { AttributeType, BillingMode, CfnTable, StreamViewType, Table } from 'aws-cdk-lib/aws-dynamodb';
import { GatewayVpcEndpointAwsService, Vpc } from 'aws-cdk-lib/aws-ec2';
import { Key } from 'aws-cdk-lib/aws-kms';
import { FilterPattern, LogGroup, MetricFilter, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { SmsSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { CfnWebACL } from 'aws-cdk-lib/aws-wafv2';
import { describe, expect, it } from 'vitest';
import { METRICS } from '../../contract/metrics.ts';
import { EphemeralKeyIssuer, type EphemeralKeyIssuerProps } from '../../lib/ephemeral-key-issuer.ts';
import { costComplaints } from '../support/cost-guard.ts';
import { CODE_FOLDER, newStack, PAGE_FOLDER } from './synth.ts';

/** As it is deployed: nothing is left out. */
function whole(stack: Stack, props: EphemeralKeyIssuerProps = {}): EphemeralKeyIssuer {
  return new EphemeralKeyIssuer(stack, 'Issuer', { codeFolder: CODE_FOLDER, page: PAGE_FOLDER, ...props });
}

function complaintsAbout(stack: Stack, props: EphemeralKeyIssuerProps = {}): string[] {
  return costComplaints(Template.fromStack(stack).toJSON()['Resources'], props);
}

const PROVISIONED = { provisioned: { readUnits: 10, writeUnits: 10 } };

describe('what is deployed costs nothing while nobody calls:', () => {
  it.each<[string, EphemeralKeyIssuerProps]>([
    ['with every default', {}],
    ['with mail, where it was asked for', { alarmMail: 'you@example.com' }],
    ['with every alarm', { limiterFailureMode: 'open' }],
    ['without a page', { page: false }],
    ['behind another distribution', { createDistribution: false, page: false }],
    ['with a provisioned table, where it was asked for', { tableCapacity: PROVISIONED }],
  ])('%s', (_, props) => {
    const stack = newStack();
    whole(stack, props);
    expect(complaintsAbout(stack, props)).toEqual([]);
  });

  it('with ten metrics, since ten are free', () => {
    expect(Object.keys(METRICS)).toHaveLength(10);
  });

  it('a provisioned table that nobody asked for is found', () => {
    const stack = newStack();
    whole(stack, { tableCapacity: PROVISIONED });
    expect(complaintsAbout(stack)).toEqual([
      expect.stringMatching(/AWS::DynamoDB::Table is paid by the hour$/),
      expect.stringMatching(/AWS::DynamoDB::Table has no ceiling$/),
    ]);
  });

  it('mail that nobody asked for is found', () => {
    const stack = newStack();
    whole(stack, { alarmMail: 'you@example.com' });
    expect(complaintsAbout(stack)).toEqual([
      expect.stringMatching(/AWS::SNS::Topic is there, though nobody asked for mail$/),
      expect.stringMatching(/AWS::SNS::Subscription is there, though nobody asked for mail$/),
    ]);
  });
});

/** Something that costs by the hour or the month, put beside the issuer; and how it is found. */
const EXPENSES: readonly (readonly [
  what: string,
  add: (stack: Stack, issuer: EphemeralKeyIssuer) => void,
  found: RegExp,
])[] = [
  ['a secret', (stack) => new Secret(stack, 'X'), /AWS::SecretsManager::Secret is not on the list/],
  ['a key of its own', (stack) => new Key(stack, 'X'), /AWS::KMS::Key is not on the list/],
  [
    'WAF',
    (stack) =>
      new CfnWebACL(stack, 'X', {
        defaultAction: { allow: {} },
        scope: 'REGIONAL',
        visibilityConfig: { cloudWatchMetricsEnabled: false, metricName: 'x', sampledRequestsEnabled: false },
      }),
    /AWS::WAFv2::WebACL is not on the list/,
  ],
  [
    'a NAT gateway',
    (stack) => new Vpc(stack, 'X', { gatewayEndpoints: { s3: { service: GatewayVpcEndpointAwsService.S3 } } }),
    /AWS::EC2::NatGateway is not on the list/,
  ],
  [
    'an eleventh metric, made of the log',
    (stack, { logGroup }) =>
      new MetricFilter(stack, 'X', {
        logGroup,
        metricNamespace: 'x',
        metricName: 'x',
        filterPattern: FilterPattern.allEvents(),
      }),
    /AWS::Logs::MetricFilter is not on the list/,
  ],
  [
    'provisioned concurrency',
    (_, issuer) => issuer.function.addAlias('x', { provisionedConcurrentExecutions: 1 }),
    /AWS::Lambda::Alias is not on the list/,
  ],
  [
    'a log that is kept for ever',
    (stack) => new LogGroup(stack, 'X', { retention: RetentionDays.INFINITE }),
    /AWS::Logs::LogGroup is kept for ever/,
  ],
  [
    'backups of a table',
    (_, { table }) => {
      if (table.node.defaultChild instanceof CfnTable) {
        table.node.defaultChild.pointInTimeRecoverySpecification = { pointInTimeRecoveryEnabled: true };
      }
    },
    /PointInTimeRecoverySpecification of AWS::DynamoDB::Table is not on the list/,
  ],
  [
    'a table with a stream and without a ceiling',
    (stack) =>
      new Table(stack, 'X', {
        partitionKey: { name: 'pk', type: AttributeType.STRING },
        billingMode: BillingMode.PAY_PER_REQUEST,
        stream: StreamViewType.KEYS_ONLY,
      }),
    /StreamSpecification of .* is not on the list; .*AWS::DynamoDB::Table has no ceiling/,
  ],
  [
    'an alarm that looks every ten seconds',
    (stack) => alarm(stack, 'X', Duration.seconds(10)),
    /AWS::CloudWatch::Alarm looks more often than once a minute/,
  ],
  [
    'an eleventh alarm',
    (stack) => ['X', 'Y'].map((id) => alarm(stack, id, Duration.minutes(5))),
    /^11 of AWS::CloudWatch::Alarm, and 10 are free$/,
  ],
  [
    'a fourth dashboard',
    (stack) => ['X', 'Y', 'Z'].map((id) => new Dashboard(stack, id, { widgets: [[graph(1)]] })),
    /^4 of AWS::CloudWatch::Dashboard, and 3 are free$/,
  ],
  [
    'a dashboard of 51 metrics',
    (stack) => new Dashboard(stack, 'X', { widgets: [[graph(51)]] }),
    /AWS::CloudWatch::Dashboard shows more than 50 metrics/,
  ],
  [
    'the dearest edges, with a log of each request',
    (_, { distribution }) => {
      if (distribution?.node.defaultChild instanceof CfnDistribution) {
        distribution.node.defaultChild.addPropertyOverride('DistributionConfig.PriceClass', 'PriceClass_All');
        distribution.node.defaultChild.addPropertyOverride('DistributionConfig.Logging', { Bucket: 'x' });
      }
    },
    /AWS::CloudFront::Distribution has Logging, which is not on the list; .*uses the dearest edges/,
  ],
  [
    'a function at the edge, for each request',
    (_, { distribution }) => {
      if (distribution?.node.defaultChild instanceof CfnDistribution) {
        const path = 'DistributionConfig.DefaultCacheBehavior.LambdaFunctionAssociations';
        distribution.node.defaultChild.addPropertyOverride(path, [{ EventType: 'viewer-request' }]);
      }
    },
    /AWS::CloudFront::Distribution has LambdaFunctionAssociations, which is not on the list/,
  ],
  [
    'Origin Shield',
    (_, { distribution }) => {
      if (distribution?.node.defaultChild instanceof CfnDistribution) {
        const path = 'DistributionConfig.Origins.0.OriginShield';
        distribution.node.defaultChild.addPropertyOverride(path, { Enabled: true });
      }
    },
    /AWS::CloudFront::Distribution has OriginShield, which is not on the list/,
  ],
  [
    'text messages',
    (stack) => new Topic(stack, 'X').addSubscription(new SmsSubscription('+15550100')),
    /AWS::SNS::Subscription is no mail/,
  ],
];

function alarm(stack: Stack, id: string, period: Duration): Alarm {
  const metric = new Metric({ namespace: 'x', metricName: 'x', period });
  return new Alarm(stack, id, { metric, threshold: 1, evaluationPeriods: 1 });
}

function graph(metrics: number): GraphWidget {
  const left = Array.from({ length: metrics }, (_, n) => new Metric({ namespace: 'x', metricName: `x${n}` }));
  return new GraphWidget({ left });
}

describe('is found:', () => {
  it.each(EXPENSES)('%s', (_, add, found) => {
    const stack = newStack();
    add(stack, whole(stack, { page: false }));
    expect(complaintsAbout(stack).join('; ')).toMatch(found);
  });
});
