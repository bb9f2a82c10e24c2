/** Copies a folder into a bucket at each deployment. CDK provides the Lambda function that does it. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { CfnElement, DefaultStackSynthesizer, RemovalPolicy, Stack, Validations } from 'aws-cdk-lib';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import { BucketDeployment, CacheControl, type ISource, Source } from 'aws-cdk-lib/aws-s3-deployment';
import type { Construct } from 'constructs';
import { grantWriteLog } from '../functions/permissions.ts';

/** CDK creates one copying function for a whole stack. Its id begins with this text. */
const COPIER_ID = 'Custom::CDKBucketDeployment';

interface Files {
  readonly folder: string;
  /** One more file, which is added unless the folder already has a file of that name. */
  readonly json: { readonly file: string; readonly value: object };
}

/**
 * The copying function gets a role and a log group of ours, so that the log group is deleted with the stack. If the stack also
 * copies other files, CDK's single function keeps the role and the log group that it was given first.
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

  for (const finding of wildcardFindings(scope, bucket)) {
    Validations.of(handlerRole).acknowledge({
      id: `AwsSolutions-IAM5[${finding}]`,
      reason: "CDK's own grants for its copying function, which runs only during a deployment.",
    });
  }
  for (const copier of Stack.of(scope).node.children.filter(({ node }) => node.id.startsWith(COPIER_ID))) {
    Validations.of(copier).acknowledge({
      id: 'AwsSolutions-L1',
      reason: 'CDK chooses the runtime of its copying function.',
    });
  }
}

function sourcesOf({ folder, json }: Files): ISource[] {
  const hasOwnFile = existsSync(join(folder, json.file));
  return [Source.asset(folder), ...(hasOwnFile ? [] : [Source.jsonData(json.file, json.value)])];
}

/** In cdk-nag's notation. They are listed one by one, so that cdk-nag reports a wildcard that a later version of CDK adds. */
function wildcardFindings(scope: Construct, bucket: IBucket): string[] {
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
