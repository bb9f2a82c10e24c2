/** Copies a folder into a bucket at each deploy, by the function that CDK brings along for it. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { CfnElement, DefaultStackSynthesizer, RemovalPolicy, Stack, Validations } from 'aws-cdk-lib';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import { BucketDeployment, CacheControl, type ISource, Source } from 'aws-cdk-lib/aws-s3-deployment';
import type { Construct } from 'constructs';
import { grantWriteLog } from '../functions/permissions.ts';

/** CDK keeps one copying function for a whole stack, under this id and more. */
const COPIER_ID = 'Custom::CDKBucketDeployment';

interface Files {
  readonly folder: string;
  /** One more file beside them, unless the folder has its own of that name. */
  readonly json: { readonly file: string; readonly value: object };
}

/**
 * Role and log are ours, so that the log goes with the stack. Where a stack copies other files too, CDK's one function
 * has the role and the log of whoever came first.
 */
export function copyFiles(scope: Construct, files: Files, bucket: IBucket): void {
  const logGroup = new LogGroup(scope, 'PageCopyLog', {
    retention: RetentionDays.ONE_WEEK,
    removalPolicy: RemovalPolicy.DESTROY,
  });
  const role = new Role(scope, 'PageCopyRole', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
  grantWriteLog(role, logGroup);
  const { handlerRole } = new BucketDeployment(scope, 'PageCopy', {
    sources: sourcesOf(files),
    destinationBucket: bucket,
    cacheControl: [CacheControl.noCache()],
    role,
    logGroup,
  });

  for (const finding of wildcards(scope, bucket)) {
    Validations.of(handlerRole).acknowledge({
      id: `AwsSolutions-IAM5[${finding}]`,
      reason: "CDK's own grants for its copying function, which runs at deploy only.",
    });
  }
  for (const copier of Stack.of(scope).node.children.filter(({ node }) => node.id.startsWith(COPIER_ID))) {
    Validations.of(copier).acknowledge({
      id: 'AwsSolutions-L1',
      reason: "CDK chooses its copying function's runtime.",
    });
  }
}

function sourcesOf({ folder, json }: Files): ISource[] {
  const hasItsOwn = existsSync(join(folder, json.file));
  return [Source.asset(folder), ...(hasItsOwn ? [] : [Source.jsonData(json.file, json.value)])];
}

/** As cdk-nag names them: one by one, so that a wildcard that a later version of CDK adds is noticed. */
function wildcards(scope: Construct, bucket: IBucket): string[] {
  const stack = Stack.of(scope);
  const qualifier = stack.synthesizer.bootstrapQualifier ?? DefaultStackSynthesizer.DEFAULT_QUALIFIER;
  const { defaultChild } = bucket.node;
  const bucketId = CfnElement.isCfnElement(defaultChild) ? stack.getLogicalId(defaultChild) : '';
  return [
    ...['GetObject', 'GetBucket', 'List', 'DeleteObject', 'Abort'].map((action) => `Action::s3:${action}*`),
    `Resource::<${bucketId}.Arn>/*`,
    `Resource::arn:<AWS::Partition>:s3:::cdk-${qualifier}-assets-<AWS::AccountId>-<AWS::Region>/*`,
  ];
}
