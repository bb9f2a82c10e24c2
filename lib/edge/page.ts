/**
 * The page: a folder, copied into a private bucket that only the distribution can read. A change is seen within a
 * second, without an invalidation: browsers and edges ask whether a file is still current.
 */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { RemovalPolicy, Validations } from 'aws-cdk-lib';
import { type BehaviorOptions, CachePolicy, ViewerProtocolPolicy } from 'aws-cdk-lib/aws-cloudfront';
import { S3BucketOrigin } from 'aws-cdk-lib/aws-cloudfront-origins';
import { BlockPublicAccess, Bucket, BucketEncryption, type IBucket } from 'aws-cdk-lib/aws-s3';
import type { Construct } from 'constructs';
import { PAGE_CONFIG_FILE, type PageConfig } from '../../contract/page-config.ts';
import { PAGE_FOLDER } from '../configuration/package-folders.ts';
import type { EphemeralKeyIssuerProps } from '../configuration/props.ts';
import { copyFiles } from './copy-files.ts';
import { pageResponseHeaders } from './response-headers.ts';

interface PageSettings {
  readonly folder: string;
  readonly openaiBaseUrl: string;
}

export function createPage(scope: Construct, { folder, openaiBaseUrl }: PageSettings): BehaviorOptions {
  const bucket = createBucket(scope);
  const config: PageConfig = { openaiBaseUrl };
  copyFiles(scope, { folder, json: { file: PAGE_CONFIG_FILE, value: config } }, bucket);
  return {
    origin: S3BucketOrigin.withOriginAccessControl(bucket),
    viewerProtocolPolicy: ViewerProtocolPolicy.REDIRECT_TO_HTTPS,
    cachePolicy: CachePolicy.CACHING_OPTIMIZED,
    responseHeadersPolicy: pageResponseHeaders(scope, openaiBaseUrl),
    compress: true,
  };
}

/** @returns the folder to serve, or undefined for none */
export function pageFolder({ page, createDistribution = true }: EphemeralKeyIssuerProps): string | undefined {
  const wanted = page ?? createDistribution;
  if (typeof wanted === 'string') {
    return wanted;
  }
  return wanted ? PAGE_FOLDER : undefined;
}

export function pageComplaints(props: EphemeralKeyIssuerProps): string[] {
  const folder = pageFolder(props);
  if (folder === undefined) {
    return [];
  }
  if (props.createDistribution === false) {
    return ['page: without a distribution of its own, the issuer has nowhere to serve a page. A right value: false'];
  }
  const file = join(folder, 'index.html');
  return existsSync(file) ? [] : [`page: there is no ${file}. Make the demo page: npm run build; or have none: false`];
}

function createBucket(scope: Construct): IBucket {
  const bucket = new Bucket(scope, 'Page', {
    blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
    encryption: BucketEncryption.S3_MANAGED,
    enforceSSL: true,
    // The files are in the repository. What empties the bucket at the end is CDK's own function: its log group, of a
    // few lines, is the one thing that a destroy leaves behind.
    removalPolicy: RemovalPolicy.DESTROY,
    autoDeleteObjects: true,
  });
  Validations.of(bucket).acknowledge({
    id: 'AwsSolutions-S1',
    reason: 'Public files that only CloudFront reads: a log of its reads tells nothing, and costs a second bucket.',
  });
  // CDK's own types do not hold under exactOptionalPropertyTypes: a Bucket is an IBucket all the same.
  return bucket as IBucket;
}
