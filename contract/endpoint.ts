/**
 * The endpoint's path, methods and headers. The deployed edge (lib/edge/edge.ts), its local stand-in (local/aws/edge.ts),
 * the function and the browser client all import them from here, so they cannot differ. Header names are lower-case, as Lambda
 * delivers them.
 */

/** The one path of the API. */
export const SESSION_PATH = '/session';

/**
 * The paths that the edge routes to the function. It is wider than {@link SESSION_PATH}, so that a mistyped `/session/` or
 * `/sessions` gets the API's own `not_found` instead of the page bucket's XML.
 */
export const SESSION_PATH_PATTERN = '/session*';

/** The allowed methods, in the order of the Allow header. */
export const ALLOWED_METHODS = ['POST', 'OPTIONS'] as const;

/** The visitor's address as `ip:port`, set by CloudFront. A value that a visitor sends is overwritten. */
export const VIEWER_ADDRESS_HEADER = 'cloudfront-viewer-address';

/**
 * The hash of the body, which origin access control signs. If it is missing or does not match, Lambda rejects a POST before
 * the handler runs. CloudFront forwards it from the visitor's request automatically.
 */
export const BODY_HASH_HEADER = 'x-amz-content-sha256';

/** The SHA-256 of an empty body, the only body that a POST to this path may have. */
export const EMPTY_BODY_SHA256 = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

export const IDEMPOTENCY_KEY_HEADER = 'idempotency-key';

/**
 * The origin request policy's allow-list, of at most ten headers. CloudFront drops every other header. Do not add `host`, which
 * breaks Function URLs; `x-forwarded-for`, which a visitor can forge; or {@link BODY_HASH_HEADER}, for which CloudFront rejects
 * the policy ("The parameter Headers contains x-amz-content-sha256 that is not allowed").
 */
export const FORWARDED_HEADERS = [
  VIEWER_ADDRESS_HEADER,
  IDEMPOTENCY_KEY_HEADER,
  'accept-language',
  'origin',
  'sec-fetch-site',
] as const;

/**
 * CORS settings. The edge adds the headers, so that the responses of Lambda and CloudFront themselves have them too. They are
 * sent only if `ALLOWED_ORIGINS` names an origin.
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
