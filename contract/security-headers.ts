/**
 * The security headers of every answer. The deployed edge (lib/edge/edge.ts) and its stand-in on a laptop (local/aws/edge.ts)
 * both send these, so that a page that works on the laptop is not stopped by its policy after the deploy.
 * Header names are lower-case throughout.
 */

/** A year. Browsers ignore the header over plain http, so that the laptop may send it too. */
export const HSTS_MAX_AGE_SECONDS = 31_536_000;

/** On every answer, the API's and the page's. */
export const SECURITY_HEADERS = {
  'strict-transport-security': `max-age=${HSTS_MAX_AGE_SECONDS}`,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
} as const;

/** Of the devices a page can ask for, the microphone, and for the page itself only: no frame inherits it. */
export const PERMISSIONS_POLICY = 'camera=(), display-capture=(), geolocation=(), microphone=(self)';

/** On every file of the page, in addition to {@link SECURITY_HEADERS}. */
export interface PageHeaders {
  readonly 'content-security-policy': string;
  readonly 'permissions-policy': string;
}

/** @param openaiBaseUrl as `OPENAI_BASE_URL` holds it; throws a TypeError if it is no URL */
export function pageHeaders(openaiBaseUrl: string): PageHeaders {
  return {
    'content-security-policy': contentSecurityPolicy(openaiBaseUrl),
    'permissions-policy': PERMISSIONS_POLICY,
  };
}

/**
 * The page's own files, and OpenAI over https (the SDP exchange of WebRTC) and wss. A script that got in could not send
 * the visitor's key or voice anywhere else by fetch or socket. The media of WebRTC is outside of any such policy.
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
    // Nobody lays the "call" button, which starts a microphone and spends money, under another page's click.
    "frame-ancestors 'none'",
  ].join('; ');
}
