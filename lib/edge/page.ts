/**
 * The page: a folder that is copied into a private bucket. Only the distribution can read the bucket. A change is visible within
 * a second, without an invalidation, because browsers and edge locations revalidate each file.
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

/** @returns the folder to serve, or undefined if no page is served */
export function pageFolder({ page, createDistribution = true }: EphemeralKeyIssuerProps): string | undefined {
  const wanted = page ?? createDistribution;
  if (typeof wanted === 'string') {
    return wanted;
  }
  return wanted ? PAGE_FOLDER : undefined;
}

/** @returns an error message if the page cannot be served */
export function validatePage(props: EphemeralKeyIssuerProps): string[] {
  const folder = pageFolder(props);
  if (folder === undefined) {
    return [];
  }
  if (props.createDistribution === false) {
    return [
      'page: the issuer can serve a page only from its own distribution, but createDistribution is false. Set page to false',
    ];
  }
  const file = join(folder, 'index.html');
  return existsSync(file)
    ? []
    : [`page: ${file} does not exist. To build the demo page: npm run build. To serve no page, set it to false`];
}

function createBucket(scope: Construct): IBucket {
  const bucket = new Bucket(scope, 'Page', {
    blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
    encryption: BucketEncryption.S3_MANAGED,
    enforceSSL: true,
    // The files are in the repository. CDK's own function empties the bucket before it is deleted. Its log group, of a few
    // lines, is the only thing that `cdk destroy` leaves behind.
    removalPolicy: RemovalPolicy.DESTROY,
    autoDeleteObjects: true,
  });
  Validations.of(bucket).acknowledge({
    id: 'AwsSolutions-S1',
    reason: 'Public files that only CloudFront reads: an access log would have no use, and would need a second bucket.',
  });
  // CDK's types do not compile with exactOptionalPropertyTypes. A Bucket is nevertheless an IBucket.
  return bucket as IBucket;
}
