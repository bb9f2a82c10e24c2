/**
 * What a deployment may contain so that it costs nothing while idle: resources that are always free, or that are charged per use.
 * Everything that is not on this list is reported - types, properties and values - because nobody knows today the name of the next
 * AWS setting that is charged by the hour.
 */
import type { EphemeralKeyIssuerProps } from '../../lib/ephemeral-key-issuer.ts';

interface Resource {
  readonly Type: string;
  readonly Properties?: Properties;
}

type Properties = Readonly<Record<string, unknown>>;

interface Rule {
  readonly properties: readonly string[];
  /** @returns what could cost money because of the properties' values */
  readonly check?: (properties: Properties, props: EphemeralKeyIssuerProps) => readonly string[];
  /** How many are free in an account. */
  readonly freeCount?: number;
}

/** Free of charge, whatever their properties are. */
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
  // Charged per unit. Not: backups, streams, replicas, indexes, a KMS key.
  'AWS::DynamoDB::Table': {
    properties: [
      ...['AttributeDefinitions', 'BillingMode', 'KeySchema', 'OnDemandThroughput', 'ProvisionedThroughput'],
      ...['TableName', 'TimeToLiveSpecification'],
    ],
    check({ BillingMode, OnDemandThroughput }, { tableCapacity }) {
      if (tableCapacity !== undefined && 'provisioned' in tableCapacity) {
        return [];
      }
      return [
        ...(BillingMode === 'PAY_PER_REQUEST' ? [] : ['is charged by the hour']),
        ...(OnDemandThroughput === undefined ? ['has no maximum throughput'] : []),
      ];
    },
  },
  // 5 GB a month are free. Logs that are kept for ever would exceed that one day.
  'AWS::Logs::LogGroup': {
    properties: ['RetentionInDays'],
    check: ({ RetentionInDays }) => (RetentionInDays === undefined ? ['has no retention period'] : []),
  },
  // A fraction of a cent a month for the page. Not: versions, replicas, logs, a KMS key.
  'AWS::S3::Bucket': {
    properties: ['BucketEncryption', 'PublicAccessBlockConfiguration', 'Tags'],
    check: ({ BucketEncryption }) =>
      valuesOf('SSEAlgorithm', BucketEncryption).join() === 'AES256' ? [] : ['uses a KMS key'],
  },
  // 1 TB and 10 M requests a month. Not: WAF, logs, Lambda@Edge, Origin Shield, a dedicated IP, the most expensive edge locations.
  'AWS::CloudFront::Distribution': {
    properties: ['DistributionConfig'],
    check: ({ DistributionConfig: config }, { domainName }) => [
      ...unlistedIn([config], domainName === undefined ? DISTRIBUTION : [...DISTRIBUTION, ...CUSTOM_DOMAIN]),
      ...unlistedIn(valuesOf('ViewerCertificate', config), VIEWER_CERTIFICATE),
      ...(valuesOf('SslSupportMethod', config).every((method) => method === 'sni-only') ? [] : ['has a dedicated IP']),
      ...unlistedIn(valuesOf('Origins', config).flat(), ORIGIN),
      ...unlistedIn(
        [...valuesOf('CacheBehaviors', config).flat(), ...valuesOf('DefaultCacheBehavior', config)],
        BEHAVIOR,
      ),
      ...(/^PriceClass_[12]00$/.test(valuesOf('PriceClass', config).join())
        ? []
        : ['uses the most expensive edge locations']),
    ],
  },
  // Queries for an alias are free. Not: other records, which are charged per query; health checks. The zone is the user's own.
  'AWS::Route53::RecordSet': {
    properties: ['AliasTarget', 'HostedZoneId', 'Name', 'Type'],
    check: ({ AliasTarget }, { hostedZoneId }) => [
      ...(hostedZoneId === undefined ? ['exists, although hostedZoneId is not set'] : []),
      ...(AliasTarget === undefined ? ['is not an alias'] : []),
    ],
  },
  // Ten are free, each with one metric and a period of a minute or more.
  'AWS::CloudWatch::Alarm': {
    properties: [
      ...['AlarmActions', 'AlarmDescription', 'AlarmName', 'ComparisonOperator', 'Dimensions', 'EvaluationPeriods'],
      ...['MetricName', 'Namespace', 'Period', 'Statistic', 'Threshold', 'TreatMissingData'],
    ],
    check: ({ Period }) => (Number(Period) >= 60 ? [] : ['has a period of less than a minute']),
    freeCount: 10,
  },
  // Three are free, each with up to 50 metrics.
  'AWS::CloudWatch::Dashboard': {
    properties: ['DashboardBody', 'DashboardName'],
    check: ({ DashboardBody }) => (metricsIn(DashboardBody) <= 50 ? [] : ['shows more than 50 metrics']),
    freeCount: 3,
  },
  // A thousand mails a month are free. Not: text messages, a KMS key.
  'AWS::SNS::Topic': { properties: ['DisplayName'], check: onlyWithMail },
  'AWS::SNS::Subscription': {
    properties: ['Endpoint', 'Protocol', 'TopicArn'],
    check: ({ Protocol, ...others }, props) => [
      ...(Protocol === 'email' ? [] : ['is not an email subscription']),
      ...onlyWithMail(others, props),
    ],
  },
};

const DISTRIBUTION = [
  ...['CacheBehaviors', 'Comment', 'CustomErrorResponses', 'DefaultCacheBehavior', 'DefaultRootObject', 'Enabled'],
  ...['HttpVersion', 'IPV6Enabled', 'Origins', 'PriceClass'],
];
const CUSTOM_DOMAIN = ['Aliases', 'ViewerCertificate'];
/** A public certificate of ACM is free. It is requested by hand, so it is not in the template. */
const VIEWER_CERTIFICATE = ['AcmCertificateArn', 'MinimumProtocolVersion', 'SslSupportMethod'];
const ORIGIN = ['CustomOriginConfig', 'DomainName', 'Id', 'OriginAccessControlId', 'S3OriginConfig'];
const BEHAVIOR = [
  ...['AllowedMethods', 'CachePolicyId', 'Compress', 'OriginRequestPolicyId', 'PathPattern', 'ResponseHeadersPolicyId'],
  ...['TargetOriginId', 'ViewerProtocolPolicy'],
];

function unlistedIn(objects: readonly unknown[], known: readonly string[]): string[] {
  const names = objects.flatMap((each) => Object.keys(Object(each)));
  return names.filter((name) => !known.includes(name)).map((name) => `has ${name}, which is not on the list`);
}

function onlyWithMail(_: Properties, { alarmMail }: EphemeralKeyIssuerProps): string[] {
  return alarmMail === undefined ? ['exists, although alarmMail is not set'] : [];
}

/**
 * @param props the props of the issuer; a resource that they request is not reported
 * @returns one finding for everything that could cost money while idle
 */
export function costFindings(
  resources: Readonly<Record<string, Resource>>,
  props: EphemeralKeyIssuerProps = {},
): string[] {
  const findings = Object.entries(resources).flatMap(([id, { Type, Properties = {} }]) => {
    const rule = RULES[Type];
    if (rule === undefined) {
      return ALWAYS_FREE.includes(Type) ? [] : [`${id}: ${Type} is not on the list`];
    }
    const unknown = Object.keys(Properties).filter((name) => !rule.properties.includes(name));
    return [
      ...unknown.map((name) => `${id}: ${name} of ${Type} is not on the list`),
      ...(rule.check?.(Properties, props) ?? []).map((what) => `${id}: ${Type} ${what}`),
    ];
  });
  const tooMany = Object.entries(RULES).flatMap(([type, { freeCount = Number.POSITIVE_INFINITY }]) => {
    const count = Object.values(resources).filter(({ Type }) => Type === type).length;
    return count > freeCount ? [`${count} of ${type}, but only ${freeCount} are free`] : [];
  });
  return [...findings, ...tooMany];
}

/** @returns all values of this property name, at any depth */
function valuesOf(name: string, value: unknown): unknown[] {
  if (typeof value !== 'object' || value === null) {
    return [];
  }
  return Object.entries(value).flatMap(([key, each]) => [...(key === name ? [each] : []), ...valuesOf(name, each)]);
}

/** A dashboard's body is JSON in pieces; CloudFormation fills in the rest between them. */
function metricsIn(body: unknown): number {
  const pieces = valuesOf('Fn::Join', body).flatMap((join) => (Array.isArray(join) ? join[1] : []));
  const text = pieces.map((piece: unknown) => (typeof piece === 'string' ? piece : '')).join('');
  const { widgets } = JSON.parse(text);
  return valuesOf('metrics', widgets).flat().length;
}
