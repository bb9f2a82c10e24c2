/**
 * The complete issuer as one construct. To use it in your own stack:
 *
 *     class Demo extends Stack {
 *       constructor(scope: Construct, id: string) {
 *         super(scope, id);
 *         const issuer = new EphemeralKeyIssuer(this, 'Issuer', {
 *           keyParameterName: '/demo/openai-api-key',
 *           clientLimits: '5/1h,20/1d',
 *         });
 *         new CfnOutput(this, 'Page', { value: issuer.pageUrl ?? '' });
 *       }
 *     }
 *
 * To use it behind your own distribution:
 *
 *     const issuer = new EphemeralKeyIssuer(this, 'Issuer', { createDistribution: false });
 *     new Distribution(this, 'Site', { defaultBehavior, additionalBehaviors: issuer.additionalBehaviors });
 *
 * @module ephemeral-key-issuer
 */

import type { BehaviorOptions, Distribution } from 'aws-cdk-lib/aws-cloudfront';
import type { Alarm } from 'aws-cdk-lib/aws-cloudwatch';
import type { Table } from 'aws-cdk-lib/aws-dynamodb';
import type { IGrantable } from 'aws-cdk-lib/aws-iam';
import type { IFunctionUrl, Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { ILogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { ConfigurationError } from '../contract/configuration.ts';
import { SESSION_PATH } from '../contract/endpoint.ts';
import { customDomain, validateCustomDomain } from './configuration/custom-domain.ts';
import { functionEnvironment, validateEnvironment } from './configuration/environment.ts';
import type { EphemeralKeyIssuerProps } from './configuration/props.ts';
import { dnsRecord } from './edge/custom-domain.ts';
import { createDistribution, sessionBehaviors } from './edge/edge.ts';
import { createPage, pageFolder, validatePage } from './edge/page.ts';
import { functionCode, validateCode } from './functions/function-code.ts';
import { createFunction, validateFunction } from './functions/issuer-function.ts';
import { grantOperate } from './functions/permissions.ts';
import { createDashboard } from './monitoring/dashboard.ts';
import { createGuardrails, validateGuardrails } from './monitoring/guardrails.ts';
import { createLogQueries } from './monitoring/log-queries.ts';
import { createTable, DEFAULT_TABLE_CAPACITY, validateCapacity } from './table.ts';

export type { SessionConfig } from '../contract/configuration.ts';
export type { EphemeralKeyIssuerProps } from './configuration/props.ts';
export type { AlarmThresholds } from './monitoring/alarms.ts';
export type { TableCapacity } from './table.ts';

export class EphemeralKeyIssuer extends Construct {
  /** Holds the counters, the kill switch and the blocks. */
  readonly table: Table;
  readonly function: LambdaFunction;
  /** Rejects every request that CloudFront did not sign. */
  readonly functionUrl: IFunctionUrl;
  readonly logGroup: ILogGroup;
  readonly keyParameterName: string;
  /** The behavior for `/session*`, for your own distribution. Each distribution that uses it is allowed to invoke the function. */
  readonly additionalBehaviors: Record<string, BehaviorOptions>;
  /** Undefined with `createDistribution: false`. */
  readonly distribution: Distribution | undefined;
  /** The URL that issues keys. Undefined with `createDistribution: false`. */
  readonly sessionUrl: string | undefined;
  /** The URL of the page. Undefined if no page is served. */
  readonly pageUrl: string | undefined;
  /**
   * The DNS record to set at your DNS provider, as "name type target". Undefined if the issuer has no custom domain, or if its
   * records are created in a Route 53 hosted zone.
   */
  readonly dnsRecord: string | undefined;
  /** Add your own actions with `addAlarmAction`. Empty with `guardrails: false`. */
  readonly alarms: readonly Alarm[];

  /** @throws ConfigurationError that lists every invalid prop, with an example of a valid value for each */
  constructor(scope: Construct, id: string, props: EphemeralKeyIssuerProps = {}) {
    super(scope, id);
    rejectInvalidProps(props);

    this.table = createTable(this, {
      tableName: props.tableName,
      capacity: props.tableCapacity ?? DEFAULT_TABLE_CAPACITY,
    });
    const environment = functionEnvironment(props, this.table.tableName);
    const issuer = createFunction(this, {
      code: functionCode(props),
      environment,
      table: this.table,
      reservedConcurrency: props.reservedConcurrency,
      logRetentionDays: props.logRetentionDays,
    });
    this.function = issuer.function;
    this.functionUrl = issuer.functionUrl;
    this.logGroup = issuer.logGroup;
    this.keyParameterName = environment.OPENAI_KEY_PARAMETER;

    const behaviors = sessionBehaviors(this, {
      functionUrl: this.functionUrl,
      allowedOrigins: props.allowedOrigins ?? [],
    });
    this.additionalBehaviors = behaviors;
    if (props.createDistribution !== false) {
      const folder = pageFolder(props);
      const page =
        folder === undefined ? undefined : createPage(this, { folder, openaiBaseUrl: environment.OPENAI_BASE_URL });
      const domain = customDomain(props);
      this.distribution = createDistribution(this, { behaviors, page, domain });
      const origin = `https://${domain?.name ?? this.distribution.distributionDomainName}`;
      this.sessionUrl = `${origin}${SESSION_PATH}`;
      this.pageUrl = page && `${origin}/`;
      this.dnsRecord = domain && dnsRecord(this.distribution, domain);
    }

    this.alarms = this.createAlarms(props);
    if (props.dashboard !== false) {
      createLogQueries(this, this.logGroup);
      createDashboard(this, {
        table: this.table,
        function: this.function,
        logGroup: this.logGroup,
        alarms: this.alarms,
      });
    }
  }

  /**
   * Allows a role to run these `issuer` commands on this stack: status, watch, pause, resume, block, unblock, forget. The role
   * cannot read the OpenAI key, so it cannot run `doctor`, which is for the person who deploys.
   */
  grantOperate(grantee: IGrantable): void {
    grantOperate(grantee, this);
  }

  private createAlarms({ guardrails = true, alarmMail, ...props }: EphemeralKeyIssuerProps): Alarm[] {
    return guardrails === false
      ? []
      : createGuardrails(this, {
          table: this.table,
          function: this.function,
          thresholds: guardrails === true ? {} : guardrails,
          failsOpen: props.limiterFailureMode === 'open',
          mail: alarmMail,
          logRetentionDays: props.logRetentionDays,
        });
  }
}

function rejectInvalidProps(props: EphemeralKeyIssuerProps): void {
  const errors = [
    ...validateEnvironment(props),
    ...validateCode(props),
    ...validateFunction(props),
    ...validateCapacity(props.tableCapacity ?? DEFAULT_TABLE_CAPACITY),
    ...validateCustomDomain(props),
    ...validatePage(props),
    ...validateGuardrails(props),
  ];
  if (errors.length > 0) {
    throw new ConfigurationError(errors.join('\n'));
  }
}
