/**
 * The edge: what CloudFront does with a request before it reaches the function, and with a response before it reaches the
 * visitor. local/aws/edge.ts does the same on a laptop, based on the same contract/.
 */

import { Duration, Validations } from 'aws-cdk-lib';
import {
  AllowedMethods,
  type BehaviorOptions,
  CachePolicy,
  Distribution,
  type ErrorResponse,
  HttpVersion,
  OriginRequestCookieBehavior,
  OriginRequestHeaderBehavior,
  OriginRequestPolicy,
  OriginRequestQueryStringBehavior,
  PriceClass,
  ViewerProtocolPolicy,
} from 'aws-cdk-lib/aws-cloudfront';
import { FunctionUrlOrigin } from 'aws-cdk-lib/aws-cloudfront-origins';
import type { IFunctionUrl } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { FORWARDED_HEADERS, SESSION_PATH_PATTERN } from '../../contract/endpoint.ts';
import { ORIGIN_TIMEOUT_MS } from '../../contract/times.ts';
import type { CustomDomain } from '../configuration/custom-domain.ts';
import { createAliasRecords, domainProps } from './custom-domain.ts';
import { sessionResponseHeaders } from './response-headers.ts';

export type Behaviors = Readonly<Record<typeof SESSION_PATH_PATTERN, BehaviorOptions>>;

interface SessionSettings {
  readonly functionUrl: IFunctionUrl;
  readonly allowedOrigins: readonly string[];
}

/** The behavior that `/session` needs in any distribution, by path pattern. */
export function sessionBehaviors(scope: Construct, { functionUrl, allowedOrigins }: SessionSettings): Behaviors {
  const readTimeout = Duration.millis(ORIGIN_TIMEOUT_MS);
  return {
    [SESSION_PATH_PATTERN]: {
      // CloudFront signs each request. Only the distribution that this behavior is added to may invoke the function.
      origin: FunctionUrlOrigin.withOriginAccessControl(functionUrl, { readTimeout }),
      // No redirect to HTTPS: a POST that was sent unencrypted should fail, not be repeated.
      viewerProtocolPolicy: ViewerProtocolPolicy.HTTPS_ONLY,
      // The only set of methods that includes POST. The function responds with 405 to the others.
      allowedMethods: AllowedMethods.ALLOW_ALL,
      cachePolicy: CachePolicy.CACHING_DISABLED,
      originRequestPolicy: new OriginRequestPolicy(scope, 'ForwardedHeaders', {
        comment: 'The request headers that the issuer needs. Never Host, which breaks Function URLs',
        headerBehavior: OriginRequestHeaderBehavior.allowList(...FORWARDED_HEADERS.map(inDocumentedCase)),
        cookieBehavior: OriginRequestCookieBehavior.none(),
        queryStringBehavior: OriginRequestQueryStringBehavior.none(),
      }),
      responseHeadersPolicy: sessionResponseHeaders(scope, allowedOrigins),
      compress: false,
    },
  };
}

/** `CloudFront-Viewer-Address`: header names are case-insensitive, but a policy is only known to work with AWS's own spelling. */
function inDocumentedCase(header: string): string {
  return header.replace(/^cloudfront-/, 'CloudFront-').replaceAll(/(^|-)[a-z]/g, (initial) => initial.toUpperCase());
}

interface DistributionSettings {
  readonly behaviors: Behaviors;
  /** What is served at `/`. If undefined, the function responds there too, with its own `not_found`. */
  readonly page: BehaviorOptions | undefined;
  readonly domain: CustomDomain | undefined;
}

export function createDistribution(scope: Construct, { behaviors, page, domain }: DistributionSettings): Distribution {
  const distribution = new Distribution(scope, 'Distribution', {
    comment: 'Short-lived OpenAI Realtime keys, and the page that uses them',
    ...(page === undefined
      ? { defaultBehavior: behaviors[SESSION_PATH_PATTERN] }
      : { defaultBehavior: page, additionalBehaviors: behaviors, defaultRootObject: 'index.html' }),
    ...(domain === undefined ? {} : domainProps(scope, domain)),
    errorResponses: UNCACHED_ERRORS,
    httpVersion: HttpVersion.HTTP2_AND_3,
    // Excludes South America, Australia and New Zealand, the most expensive edge locations after the free terabyte.
    priceClass: PriceClass.PRICE_CLASS_200,
  });
  acknowledgeFindings(distribution);
  if (domain === undefined) {
    acknowledgeDefaultTls(distribution);
  } else {
    createAliasRecords(scope, distribution, domain);
  }
  return distribution;
}

/**
 * Only the caching time of errors. A page or a status here would also replace the API's refusals, because these rules apply to
 * the whole distribution. By default CloudFront caches an error for 10 seconds.
 */
const UNCACHED_ERRORS: ErrorResponse[] = [500, 502, 503, 504].map((httpStatus) => ({
  httpStatus,
  ttl: Duration.seconds(0),
}));

function acknowledgeFindings(distribution: Distribution): void {
  Validations.of(distribution).acknowledge(
    { id: 'AwsSolutions-CFR1', reason: 'This is a public demo: visitors may come from any country.' },
    {
      id: 'AwsSolutions-CFR2',
      reason: 'WAF would cost more than everything else. Here the limits in DynamoDB do its work.',
    },
    {
      id: 'AwsSolutions-CFR3',
      reason: 'Access logs would contain addresses and need a bucket. The function logs each request.',
    },
  );
}

function acknowledgeDefaultTls(distribution: Distribution): void {
  Validations.of(distribution).acknowledge({
    id: 'AwsSolutions-CFR4',
    reason: 'For a cloudfront.net name, CloudFront sets the minimum TLS version itself.',
  });
}
