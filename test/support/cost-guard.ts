/**
 * What a deploy may hold, so that it costs nothing while nobody calls: resources that are always free in an account, or
 * paid per use and so nothing without any. A type, a property or a value that is not named here is found, because AWS's
 * next setting that costs by the hour has a name that nobody here knows yet.
 */
import type { EphemeralKeyIssuerProps } from '../../lib/ephemeral-key-issuer.ts';

interface Resource {
  readonly Type: string;
  readonly Properties?: Properties;
}

type Properties = Readonly<Record<string, unknown>>;

interface Rule {
  readonly properties: readonly string[];
  /** What is wrong with its values. */
  readonly judge?: (properties: Properties, props: EphemeralKeyIssuerProps) => readonly string[];
  /** How many an account has for nothing. */
  readonly most?: number;
}

/** Free of charge in themselves, whatever their properties say. */
const ALWAYS_FREE = [
  'AWS::CloudFront::OriginAccessControl',
  'AWS::CloudFront::OriginRequestPolicy',
  'AWS::CloudFront::ResponseHeadersPolicy',
  'AWS::IAM::Policy',
  'AWS::IAM::Role',
  'AWS::Lambda::LayerVersion',
  'AWS::Lambda::Permission',
  'AWS::Lambda::Url',
  'AWS::Logs::QueryDefinition',
  'AWS::S3::BucketPolicy',
  'AWS::SNS::TopicPolicy',
  'Custom::CDKBucketDeployment',
  'Custom::S3AutoDeleteObjects',
];

const RULES: Readonly<Record<string, Rule>> = {
  // 1 M requests and 400,000 GB-s a month. Not: provisioned concurrency, SnapStart, a VPC (and its NAT), more than 512 MB of /tmp.
  'AWS::Lambda::Function': {
    properties: [
      ...['Architectures', 'Code', 'Description', 'Environment', 'Handler', 'Layers', 'LoggingConfig', 'MemorySize'],
      ...['ReservedConcurrentExecutions', 'Role', 'Runtime', 'Timeout'],
    ],
  },
  // Paid per unit. Not: backups, streams, replicas, indexes, a key of its own.
  'AWS::DynamoDB::Table': {
    properties: [
      ...['AttributeDefinitions', 'BillingMode', 'KeySchema', 'OnDemandThroughput', 'ProvisionedThroughput'],
      ...['TableName', 'TimeToLiveSpecification'],
    ],
    judge({ BillingMode, OnDemandThroughput }, { tableCapacity }) {
      if (tableCapacity !== undefined && 'provisioned' in tableCapacity) {
        return [];
      }
      return [
        ...(BillingMode === 'PAY_PER_REQUEST' ? [] : ['is paid by the hour']),
        ...(OnDemandThroughput === undefined ? ['has no ceiling'] : []),
      ];
    },
  },
  // 5 GB a month. Kept for ever, they would end there.
  'AWS::Logs::LogGroup': {
    properties: ['RetentionInDays'],
    judge: ({ RetentionInDays }) => (RetentionInDays === undefined ? ['is kept for ever'] : []),
  },
  // A fraction of a cent a month for the page. Not: versions, replicas, logs, a key of its own.
  'AWS::S3::Bucket': {
    properties: ['BucketEncryption', 'PublicAccessBlockConfiguration', 'Tags'],
    judge: ({ BucketEncryption }) =>
      valuesOf('SSEAlgorithm', BucketEncryption).join() === 'AES256' ? [] : ['has a key of its own'],
  },
  // 1 TB and 10 M requests a month. Not: WAF, logs, Lambda@Edge, Origin Shield, an address of its own, the dearest edges.
  'AWS::CloudFront::Distribution': {
    properties: ['DistributionConfig'],
    judge: ({ DistributionConfig: config }) => [
      ...strangersIn([config], DISTRIBUTION),
      ...strangersIn(valuesOf('Origins', config).flat(), ORIGIN),
      ...strangersIn(
        [...valuesOf('CacheBehaviors', config).flat(), ...valuesOf('DefaultCacheBehavior', config)],
        BEHAVIOR,
      ),
      ...(/^PriceClass_[12]00$/.test(valuesOf('PriceClass', config).join()) ? [] : ['uses the dearest edges']),
    ],
  },
  // Ten, of one metric each, that is looked at once a minute or less often.
  'AWS::CloudWatch::Alarm': {
    properties: [
      ...['AlarmActions', 'AlarmDescription', 'AlarmName', 'ComparisonOperator', 'Dimensions', 'EvaluationPeriods'],
      ...['MetricName', 'Namespace', 'Period', 'Statistic', 'Threshold', 'TreatMissingData'],
    ],
    judge: ({ Period }) => (Number(Period) >= 60 ? [] : ['looks more often than once a minute']),
    most: 10,
  },
  // Three, of up to 50 metrics.
  'AWS::CloudWatch::Dashboard': {
    properties: ['DashboardBody', 'DashboardName'],
    judge: ({ DashboardBody }) => (metricsIn(DashboardBody) <= 50 ? [] : ['shows more than 50 metrics']),
    most: 3,
  },
  // A thousand mails a month. Not: text messages, a key of its own.
  'AWS::SNS::Topic': { properties: ['DisplayName'], judge: onlyForMail },
  'AWS::SNS::Subscription': {
    properties: ['Endpoint', 'Protocol', 'TopicArn'],
    judge: ({ Protocol, ...others }, props) => [
      ...(Protocol === 'email' ? [] : ['is no mail']),
      ...onlyForMail(others, props),
    ],
  },
};

const DISTRIBUTION = [
  ...['CacheBehaviors', 'Comment', 'CustomErrorResponses', 'DefaultCacheBehavior', 'DefaultRootObject', 'Enabled'],
  ...['HttpVersion', 'IPV6Enabled', 'Origins', 'PriceClass'],
];
const ORIGIN = ['CustomOriginConfig', 'DomainName', 'Id', 'OriginAccessControlId', 'S3OriginConfig'];
const BEHAVIOR = [
  ...['AllowedMethods', 'CachePolicyId', 'Compress', 'OriginRequestPolicyId', 'PathPattern', 'ResponseHeadersPolicyId'],
  ...['TargetOriginId', 'ViewerProtocolPolicy'],
];

function strangersIn(objects: readonly unknown[], known: readonly string[]): string[] {
  const names = objects.flatMap((each) => Object.keys(Object(each)));
  return names.filter((name) => !known.includes(name)).map((name) => `has ${name}, which is not on the list`);
}

function onlyForMail(_: Properties, { alarmMail }: EphemeralKeyIssuerProps): string[] {
  return alarmMail === undefined ? ['is there, though nobody asked for mail'] : [];
}

/**
 * @param props what was asked for
 * @returns a sentence for everything that could cost something while nobody calls
 */
export function costComplaints(
  resources: Readonly<Record<string, Resource>>,
  props: EphemeralKeyIssuerProps = {},
): string[] {
  const complaints = Object.entries(resources).flatMap(([id, { Type, Properties = {} }]) => {
    const rule = RULES[Type];
    if (rule === undefined) {
      return ALWAYS_FREE.includes(Type) ? [] : [`${id}: ${Type} is not on the list`];
    }
    const unknown = Object.keys(Properties).filter((name) => !rule.properties.includes(name));
    return [
      ...unknown.map((name) => `${id}: ${name} of ${Type} is not on the list`),
      ...(rule.judge?.(Properties, props) ?? []).map((what) => `${id}: ${Type} ${what}`),
    ];
  });
  const tooMany = Object.entries(RULES).flatMap(([type, { most = Number.POSITIVE_INFINITY }]) => {
    const count = Object.values(resources).filter(({ Type }) => Type === type).length;
    return count > most ? [`${count} of ${type}, and ${most} are free`] : [];
  });
  return [...complaints, ...tooMany];
}

/** The values under a name, wherever they are. */
function valuesOf(name: string, value: unknown): unknown[] {
  if (typeof value !== 'object' || value === null) {
    return [];
  }
  return Object.entries(value).flatMap(([key, each]) => [...(key === name ? [each] : []), ...valuesOf(name, each)]);
}

/** A dashboard's body is JSON in pieces, between them what CloudFormation fills in. */
function metricsIn(body: unknown): number {
  const pieces = valuesOf('Fn::Join', body).flatMap((join) => (Array.isArray(join) ? join[1] : []));
  const text = pieces.map((piece: unknown) => (typeof piece === 'string' ? piece : '')).join('');
  const { widgets } = JSON.parse(text);
  return valuesOf('metrics', widgets).flat().length;
}
