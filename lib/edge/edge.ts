/**
 * The edge: what CloudFront does to a request before the function sees it, and to an answer before the visitor does.
 * local/aws/edge.ts does the same on a laptop, from the same contract/.
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
import { sessionResponseHeaders } from './response-headers.ts';

export type Behaviors = Readonly<Record<typeof SESSION_PATH_PATTERN, BehaviorOptions>>;

interface SessionSettings {
  readonly functionUrl: IFunctionUrl;
  readonly allowedOrigins: readonly string[];
}

/** What `/session` needs of any distribution, by its path pattern. */
export function sessionBehaviors(scope: Construct, { functionUrl, allowedOrigins }: SessionSettings): Behaviors {
  const readTimeout = Duration.millis(ORIGIN_TIMEOUT_MS);
  return {
    [SESSION_PATH_PATTERN]: {
      // Signs each request, and lets the distribution that it is added to, and no other, invoke the function.
      origin: FunctionUrlOrigin.withOriginAccessControl(functionUrl, { readTimeout }),
      // Never a redirect: a POST that was sent in the clear should fail, not be sent again.
      viewerProtocolPolicy: ViewerProtocolPolicy.HTTPS_ONLY,
      // The only set with POST in it. The function answers 405 to the rest.
      allowedMethods: AllowedMethods.ALLOW_ALL,
      cachePolicy: CachePolicy.CACHING_DISABLED,
      originRequestPolicy: new OriginRequestPolicy(scope, 'ForwardedHeaders', {
        comment: 'What the issuer needs of a request; never Host, which breaks Function URLs',
        headerBehavior: OriginRequestHeaderBehavior.allowList(...FORWARDED_HEADERS.map(asDocumented)),
        cookieBehavior: OriginRequestCookieBehavior.none(),
        queryStringBehavior: OriginRequestQueryStringBehavior.none(),
      }),
      responseHeadersPolicy: sessionResponseHeaders(scope, allowedOrigins),
      compress: false,
    },
  };
}

/** `CloudFront-Viewer-Address`: names have no case, but no policy is known to work that spells CloudFront's own otherwise. */
function asDocumented(header: string): string {
  return header.replace(/^cloudfront-/, 'CloudFront-').replaceAll(/(^|-)[a-z]/g, (initial) => initial.toUpperCase());
}

interface DistributionSettings {
  readonly behaviors: Behaviors;
  /** What is served at `/`; undefined: the function answers there too, with its own `not_found`. */
  readonly page: BehaviorOptions | undefined;
}

export function createDistribution(scope: Construct, { behaviors, page }: DistributionSettings): Distribution {
  const distribution = new Distribution(scope, 'Distribution', {
    comment: 'Short-lived OpenAI Realtime keys, and the page that uses them',
    ...(page === undefined
      ? { defaultBehavior: behaviors[SESSION_PATH_PATTERN] }
      : { defaultBehavior: page, additionalBehaviors: behaviors, defaultRootObject: 'index.html' }),
    errorResponses: UNCACHED_ERRORS,
    httpVersion: HttpVersion.HTTP2_AND_3,
    // All but the edges of South America, Australia and New Zealand, the dearest once the free terabyte is used up.
    priceClass: PriceClass.PRICE_CLASS_200,
  });
  acknowledgeFindings(distribution);
  return distribution;
}

/**
 * How long an error is kept, and nothing more: with a page or a status here, the API's refusals would turn into it,
 * for these rules hold for the whole distribution. By default CloudFront keeps an error for 10 seconds.
 */
const UNCACHED_ERRORS: ErrorResponse[] = [500, 502, 503, 504].map((httpStatus) => ({
  httpStatus,
  ttl: Duration.seconds(0),
}));

function acknowledgeFindings(distribution: Distribution): void {
  Validations.of(distribution).acknowledge(
    { id: 'AwsSolutions-CFR1', reason: 'A public demo: visitors may come from anywhere.' },
    { id: 'AwsSolutions-CFR2', reason: 'WAF costs more than all the rest. The limits in DynamoDB do its work here.' },
    {
      id: 'AwsSolutions-CFR3',
      reason: 'Access logs hold addresses and cost a bucket. The function logs each request.',
    },
    { id: 'AwsSolutions-CFR4', reason: 'Under a cloudfront.net name CloudFront sets the least TLS version itself.' },
  );
}
