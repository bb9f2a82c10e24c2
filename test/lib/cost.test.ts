import { Duration, type Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { CfnDistribution } from 'aws-cdk-lib/aws-cloudfront';
import { Alarm, Dashboard, GraphWidget, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { AttributeType, BillingMode, CfnTable, StreamViewType, Table } from 'aws-cdk-lib/aws-dynamodb';
import { GatewayVpcEndpointAwsService, Vpc } from 'aws-cdk-lib/aws-ec2';
import { Key } from 'aws-cdk-lib/aws-kms';
import { FilterPattern, LogGroup, MetricFilter, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { CfnRecordSet } from 'aws-cdk-lib/aws-route53';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { SmsSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { CfnWebACL } from 'aws-cdk-lib/aws-wafv2';
import { describe, expect, it } from 'vitest';
import { METRICS } from '../../contract/metrics.ts';
import { EphemeralKeyIssuer, type EphemeralKeyIssuerProps } from '../../lib/ephemeral-key-issuer.ts';
import { costFindings } from '../support/cost-guard.ts';
import { CERTIFICATE, CODE_FOLDER, newStack, PAGE_FOLDER } from './synth.ts';

/** The complete issuer, as it is deployed. */
function completeIssuer(stack: Stack, props: EphemeralKeyIssuerProps = {}): EphemeralKeyIssuer {
  return new EphemeralKeyIssuer(stack, 'Issuer', { codeFolder: CODE_FOLDER, page: PAGE_FOLDER, ...props });
}

function findingsIn(stack: Stack, props: EphemeralKeyIssuerProps = {}): string[] {
  return costFindings(Template.fromStack(stack).toJSON()['Resources'], props);
}

const DOMAIN = { domainName: 'demo.example.com', certificateArn: CERTIFICATE };
const ZONE = { hostedZoneId: 'Z0123456789', hostedZoneName: 'example.com' };
const PROVISIONED = { provisioned: { readUnits: 10, writeUnits: 10 } };

describe('the deployment costs nothing while idle:', () => {
  it.each<[string, EphemeralKeyIssuerProps]>([
    ['with every default', {}],
    ['with mail, if the props include it', { alarmMail: 'you@example.com' }],
    ['with every alarm', { limiterFailureMode: 'open' }],
    ['without a page', { page: false }],
    ["behind the user's own distribution", { createDistribution: false, page: false }],
    ['with a custom domain, if the props include it', DOMAIN],
    ['with its DNS records, if the props include the zone', { ...DOMAIN, ...ZONE }],
    ['with a provisioned table, if the props include it', { tableCapacity: PROVISIONED }],
  ])('%s', (_, props) => {
    const stack = newStack();
    completeIssuer(stack, props);
    expect(findingsIn(stack, props)).toEqual([]);
  });

  it('with ten metrics, because ten are free', () => {
    expect(Object.keys(METRICS)).toHaveLength(10);
  });

  it('a provisioned table is reported if the props do not include it', () => {
    const stack = newStack();
    completeIssuer(stack, { tableCapacity: PROVISIONED });
    expect(findingsIn(stack)).toEqual([
      expect.stringMatching(/AWS::DynamoDB::Table is charged by the hour$/),
      expect.stringMatching(/AWS::DynamoDB::Table has no maximum throughput$/),
    ]);
  });

  it('mail is reported if the props do not include it', () => {
    const stack = newStack();
    completeIssuer(stack, { alarmMail: 'you@example.com' });
    expect(findingsIn(stack)).toEqual([
      expect.stringMatching(/AWS::SNS::Topic exists, although alarmMail is not set$/),
      expect.stringMatching(/AWS::SNS::Subscription exists, although alarmMail is not set$/),
    ]);
  });
});

describe('what belongs to a custom domain is reported', () => {
  function findings(props: EphemeralKeyIssuerProps): string[] {
    const stack = newStack();
    completeIssuer(stack, { ...DOMAIN, ...ZONE, page: false });
    return findingsIn(stack, props);
  }

  it('if the props include no domain', () => {
    expect(findings({})).toEqual([
      expect.stringMatching(/AWS::CloudFront::Distribution has Aliases, which is not on the list$/),
      expect.stringMatching(/AWS::CloudFront::Distribution has ViewerCertificate, which is not on the list$/),
      expect.stringMatching(/AWS::Route53::RecordSet exists, although hostedZoneId is not set$/),
      expect.stringMatching(/AWS::Route53::RecordSet exists, although hostedZoneId is not set$/),
    ]);
  });

  it('if the props include a domain, but no hosted zone', () => {
    const unexpected = /AWS::Route53::RecordSet exists, although hostedZoneId is not set$/;
    expect(findings(DOMAIN)).toEqual([expect.stringMatching(unexpected), expect.stringMatching(unexpected)]);
  });

  it('if it has an IP address of its own, for $600 a month', () => {
    const stack = newStack();
    const { distribution } = completeIssuer(stack, { ...DOMAIN, page: false });
    if (distribution?.node.defaultChild instanceof CfnDistribution) {
      const path = 'DistributionConfig.ViewerCertificate.SslSupportMethod';
      distribution.node.defaultChild.addPropertyOverride(path, 'vip');
    }
    expect(findingsIn(stack, DOMAIN)).toEqual([expect.stringMatching(/has a dedicated IP$/)]);
  });
});

/** Resources that cost money by the hour or the month, added beside the issuer, and the finding that reports each. */
const EXPENSES: readonly (readonly [
  what: string,
  add: (stack: Stack, issuer: EphemeralKeyIssuer) => void,
  finding: RegExp,
])[] = [
  ['a secret', (stack) => new Secret(stack, 'X'), /AWS::SecretsManager::Secret is not on the list/],
  ['a KMS key', (stack) => new Key(stack, 'X'), /AWS::KMS::Key is not on the list/],
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
    'an eleventh metric, from a metric filter',
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
    'a log group without a retention period',
    (stack) => new LogGroup(stack, 'X', { retention: RetentionDays.INFINITE }),
    /AWS::Logs::LogGroup has no retention period/,
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
    'a table with a stream and without a maximum throughput',
    (stack) =>
      new Table(stack, 'X', {
        partitionKey: { name: 'pk', type: AttributeType.STRING },
        billingMode: BillingMode.PAY_PER_REQUEST,
        stream: StreamViewType.KEYS_ONLY,
      }),
    /StreamSpecification of .* is not on the list; .*AWS::DynamoDB::Table has no maximum throughput/,
  ],
  [
    'an alarm with a period of ten seconds',
    (stack) => alarm(stack, 'X', Duration.seconds(10)),
    /AWS::CloudWatch::Alarm has a period of less than a minute/,
  ],
  [
    'an eleventh alarm',
    (stack) => ['X', 'Y'].map((id) => alarm(stack, id, Duration.minutes(5))),
    /^11 of AWS::CloudWatch::Alarm, but only 10 are free$/,
  ],
  [
    'a fourth dashboard',
    (stack) => ['X', 'Y', 'Z'].map((id) => new Dashboard(stack, id, { widgets: [[graph(1)]] })),
    /^4 of AWS::CloudWatch::Dashboard, but only 3 are free$/,
  ],
  [
    'a dashboard of 51 metrics',
    (stack) => new Dashboard(stack, 'X', { widgets: [[graph(51)]] }),
    /AWS::CloudWatch::Dashboard shows more than 50 metrics/,
  ],
  [
    'the most expensive edge locations, with access logs',
    (_, { distribution }) => {
      if (distribution?.node.defaultChild instanceof CfnDistribution) {
        distribution.node.defaultChild.addPropertyOverride('DistributionConfig.PriceClass', 'PriceClass_All');
        distribution.node.defaultChild.addPropertyOverride('DistributionConfig.Logging', { Bucket: 'x' });
      }
    },
    /AWS::CloudFront::Distribution has Logging, which is not on the list; .*uses the most expensive edge locations/,
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
    'a record in Route 53',
    (stack) => new CfnRecordSet(stack, 'X', { hostedZoneId: 'Z1', name: 'x.example.com', type: 'TXT', ttl: '60' }),
    /TTL of AWS::Route53::RecordSet is not on the list; .* exists, although .*; .* is not an alias/,
  ],
  [
    'text messages',
    (stack) => new Topic(stack, 'X').addSubscription(new SmsSubscription('+15550100')),
    /AWS::SNS::Subscription is not an email subscription/,
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

describe('a resource that costs money is reported:', () => {
  it.each(EXPENSES)('%s', (_, add, finding) => {
    const stack = newStack();
    add(stack, completeIssuer(stack, { page: false }));
    expect(findingsIn(stack).join('; ')).toMatch(finding);
  });
});
