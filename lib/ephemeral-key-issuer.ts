/**
 * The whole issuer as one construct. In a stack of your own:
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
 * Or, behind a distribution that you have:
 *
 *     const issuer = new EphemeralKeyIssuer(this, 'Issuer', { createDistribution: false });
 *     new Distribution(this, 'Site', { defaultBehavior, additionalBehaviors: issuer.additionalBehaviors });
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
import { environmentComplaints, functionEnvironment } from './configuration/environment.ts';
import type { EphemeralKeyIssuerProps } from './configuration/props.ts';
import { createDistribution, sessionBehaviors } from './edge/edge.ts';
import { createPage, pageComplaints, pageFolder } from './edge/page.ts';
import { codeComplaints, functionCode } from './functions/function-code.ts';
import { createFunction, functionComplaints } from './functions/issuer-function.ts';
import { grantOperate } from './functions/permissions.ts';
import { createDashboard } from './monitoring/dashboard.ts';
import { createGuardrails, guardrailComplaints } from './monitoring/guardrails.ts';
import { createLogQueries } from './monitoring/log-queries.ts';
import { capacityComplaints, createTable, DEFAULT_TABLE_CAPACITY } from './table.ts';

export type { EphemeralKeyIssuerProps } from './configuration/props.ts';
export type { AlarmThresholds } from './monitoring/alarms.ts';
export type { TableCapacity } from './table.ts';

export class EphemeralKeyIssuer extends Construct {
  /** Counters, kill switch and blocks. */
  readonly table: Table;
  readonly function: LambdaFunction;
  /** Refuses whatever CloudFront did not sign. */
  readonly functionUrl: IFunctionUrl;
  readonly logGroup: ILogGroup;
  readonly keyParameterName: string;
  /** For a distribution of your own: what `/session*` needs. Each distribution it is given to may invoke the function. */
  readonly additionalBehaviors: Record<string, BehaviorOptions>;
  /** Undefined with `createDistribution: false`. */
  readonly distribution: Distribution | undefined;
  /** Where a key is asked for. Undefined with `createDistribution: false`. */
  readonly sessionUrl: string | undefined;
  /** Undefined where no page is served. */
  readonly pageUrl: string | undefined;
  /** For actions of your own, by `addAlarmAction`. None with `guardrails: false`. */
  readonly alarms: readonly Alarm[];

  /** @throws ConfigurationError naming every prop that is wrong, with a right value for each */
  constructor(scope: Construct, id: string, props: EphemeralKeyIssuerProps = {}) {
    super(scope, id);
    refuseWrongProps(props);

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
      this.distribution = createDistribution(this, { behaviors, page });
      this.sessionUrl = `https://${this.distribution.distributionDomainName}${SESSION_PATH}`;
      this.pageUrl = page && `https://${this.distribution.distributionDomainName}/`;
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
   * Lets a person's or a program's role run `issuer` on this stack: status, watch, pause, resume, block, unblock, forget. It
   * reads no key, so not `doctor`, which is for whoever deploys.
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

function refuseWrongProps(props: EphemeralKeyIssuerProps): void {
  const complaints = [
    ...environmentComplaints(props),
    ...codeComplaints(props),
    ...functionComplaints(props),
    ...capacityComplaints(props.tableCapacity ?? DEFAULT_TABLE_CAPACITY),
    ...pageComplaints(props),
    ...guardrailComplaints(props),
  ];
  if (complaints.length > 0) {
    throw new ConfigurationError(complaints.join('\n'));
  }
}
