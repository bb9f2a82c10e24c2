/** Configures the headers that CloudFront adds to responses, including its own and Lambda's. The list of headers is in contract/. */

import { Duration } from 'aws-cdk-lib';
import {
  HeadersReferrerPolicy,
  type ResponseHeadersCorsBehavior,
  ResponseHeadersPolicy,
  type ResponseSecurityHeadersBehavior,
} from 'aws-cdk-lib/aws-cloudfront';
import type { Construct } from 'constructs';
import { CORS } from '../../contract/endpoint.ts';
import { HSTS_MAX_AGE_SECONDS, pageHeaders } from '../../contract/security-headers.ts';

/** Without an allowed origin there are no CORS headers; browsers then block the pages of all other sites. */
export function sessionResponseHeaders(scope: Construct, allowedOrigins: readonly string[]): ResponseHeadersPolicy {
  return new ResponseHeadersPolicy(scope, 'SessionHeaders', {
    securityHeadersBehavior: securityHeaders(),
    ...(allowedOrigins.length === 0 ? {} : { corsBehavior: cors(allowedOrigins) }),
  });
}

export function pageResponseHeaders(scope: Construct, openaiBaseUrl: string): ResponseHeadersPolicy {
  const { 'content-security-policy': contentSecurityPolicy, ...others } = pageHeaders(openaiBaseUrl);
  return new ResponseHeadersPolicy(scope, 'PageHeaders', {
    securityHeadersBehavior: {
      ...securityHeaders(),
      contentSecurityPolicy: { contentSecurityPolicy, override: true },
    },
    customHeadersBehavior: {
      customHeaders: Object.entries(others).map(([header, value]) => ({ header, value, override: true })),
    },
  });
}

/** contract's SECURITY_HEADERS as CloudFront settings. A test checks that the two agree. */
function securityHeaders(): ResponseSecurityHeadersBehavior {
  return {
    strictTransportSecurity: { accessControlMaxAge: Duration.seconds(HSTS_MAX_AGE_SECONDS), override: true },
    contentTypeOptions: { override: true },
    referrerPolicy: { referrerPolicy: HeadersReferrerPolicy.NO_REFERRER, override: true },
  };
}

function cors(allowedOrigins: readonly string[]): ResponseHeadersCorsBehavior {
  return {
    accessControlAllowOrigins: [...allowedOrigins],
    accessControlAllowMethods: [...CORS.allowMethods],
    accessControlAllowHeaders: [...CORS.allowHeaders],
    accessControlExposeHeaders: [...CORS.exposeHeaders],
    accessControlMaxAge: Duration.seconds(CORS.maxAgeSeconds),
    accessControlAllowCredentials: false,
    originOverride: true,
  };
}
