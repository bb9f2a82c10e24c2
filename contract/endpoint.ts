/**
 * Where the endpoint is and which headers travel to it. The deployed edge (lib/edge/edge.ts), its stand-in on a laptop
 * (local/aws/edge.ts), the function and the browser client all read them here, so that none can drift from the others.
 * Header names are lower-case throughout, as Lambda delivers them.
 */

/** The one path of the API. */
export const SESSION_PATH = '/session';

/**
 * What the edge routes to the function: wider than the path, so that a mistyped `/session/` or `/sessions` hears the
 * API's own `not_found` and not the page bucket's XML.
 */
export const SESSION_PATH_PATTERN = '/session*';

/** The methods the path serves, as the Allow header spells them. */
export const ALLOWED_METHODS = ['POST', 'OPTIONS'] as const;

/** CloudFront's own word for who is calling, as `ip:port`. A visitor who sends it is overwritten. */
export const VIEWER_ADDRESS_HEADER = 'cloudfront-viewer-address';

/**
 * Origin access control signs what this header promises: without it, or with a wrong value, Lambda refuses a POST
 * before the handler runs. CloudFront takes it from the visitor's request by itself, and hands it on.
 */
export const BODY_HASH_HEADER = 'x-amz-content-sha256';

/** The SHA-256 of nothing, which is what a POST to this path carries. */
export const EMPTY_BODY_SHA256 = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

export const IDEMPOTENCY_KEY_HEADER = 'idempotency-key';

/**
 * The origin request policy's allow-list, ten at most: whatever else a visitor sends ends at the edge. Never `host`,
 * which breaks Function URLs; never `x-forwarded-for`, which a visitor can forge; never {@link BODY_HASH_HEADER}:
 * CloudFront refuses the policy ("The parameter Headers contains x-amz-content-sha256 that is not allowed").
 */
export const FORWARDED_HEADERS = [
  VIEWER_ADDRESS_HEADER,
  IDEMPOTENCY_KEY_HEADER,
  'accept-language',
  'origin',
  'sec-fetch-site',
] as const;

/**
 * CORS, which is the edge's work so that answers of Lambda and CloudFront carry it too. It exists only where
 * `ALLOWED_ORIGINS` names an origin.
 */
export const CORS = {
  allowMethods: ALLOWED_METHODS,
  allowHeaders: [BODY_HASH_HEADER, IDEMPOTENCY_KEY_HEADER],
  exposeHeaders: [
    'retry-after',
    'ratelimit',
    'ratelimit-policy',
    'x-ratelimit-limit',
    'x-ratelimit-remaining',
    'x-ratelimit-reset',
  ],
  maxAgeSeconds: 600,
} as const;
