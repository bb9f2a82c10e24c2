/**
 * The security headers of every response. The deployed edge (lib/edge/edge.ts) and its local stand-in (local/aws/edge.ts) send
 * the same ones, so a page that works locally is not blocked by its policy after a deployment. Header names are lower-case.
 */

/** One year. Browsers ignore the header over plain http, so the local stand-in can send it too. */
export const HSTS_MAX_AGE_SECONDS = 31_536_000;

/** Sent with every response, of the API and of the page. */
export const SECURITY_HEADERS = {
  'strict-transport-security': `max-age=${HSTS_MAX_AGE_SECONDS}`,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
} as const;

/** The page may use the microphone and no other device. Frames inside the page may not use it. */
export const PERMISSIONS_POLICY = 'camera=(), display-capture=(), geolocation=(), microphone=(self)';

/** Sent with every file of the page, in addition to {@link SECURITY_HEADERS}. */
export interface PageHeaders {
  readonly 'content-security-policy': string;
  readonly 'permissions-policy': string;
}

/**
 * @param openaiBaseUrl the value of `OPENAI_BASE_URL`
 * @throws TypeError if it is not a URL
 */
export function pageHeaders(openaiBaseUrl: string): PageHeaders {
  return {
    'content-security-policy': contentSecurityPolicy(openaiBaseUrl),
    'permissions-policy': PERMISSIONS_POLICY,
  };
}

/**
 * Allows the page's own files, and OpenAI over https (the SDP exchange of WebRTC) and wss. An injected script cannot send the
 * visitor's key or voice to any other host by fetch or WebSocket. WebRTC media is not covered by any such policy.
 */
function contentSecurityPolicy(openaiBaseUrl: string): string {
  const openai = new URL(openaiBaseUrl).origin;
  const openaiSocket = openai.replace(/^http/, 'ws');
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    `connect-src 'self' ${openai} ${openaiSocket}`,
    "base-uri 'none'",
    "form-action 'none'",
    // Against clickjacking: the "call" button starts a microphone and spends money.
    "frame-ancestors 'none'",
  ].join('; ');
}
