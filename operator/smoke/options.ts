/** The options of the check as people type them. Each parser throws an Error that says what is wrong and shows a right value. */
import { VARIABLES } from '../../contract/configuration.ts';
import { SESSION_PATH } from '../../contract/endpoint.ts';
import { isLoopback } from './site.ts';

const LONGEST_TIMEOUT_SECONDS = 120;

/** The site, whose path may be that of the API: the stack's outputs have both. */
export function parseSiteUrl(text: string): URL {
  const rightValue = 'A right value: https://d111111abcdef8.cloudfront.net, or http://127.0.0.1:8787 for a local stack';
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new Error(`${JSON.stringify(text)} is not a URL. ${rightValue}`);
  }
  if (!['/', SESSION_PATH].includes(url.pathname) || /[?#]/.test(text) || url.username + url.password !== '') {
    throw new Error(`${JSON.stringify(text)} must be the site alone, without a path. ${rightValue}`);
  }
  if (url.protocol === 'http:' && !isLoopback(url)) {
    throw new Error(`${JSON.stringify(text)} must be https, or a key would travel in the clear. ${rightValue}`);
  }
  return new URL(url.origin);
}

export function parseFunctionUrl(text: string): URL {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new Error(
      `--function-url ${JSON.stringify(text)} is not a URL. A right value: https://abc123.lambda-url.us-east-1.on.aws/`,
    );
  }
  return url;
}

/** One origin, by the rule for the function's own list. */
export function parseOrigin(text: string): string {
  const rightValue = 'A right value: --origin https://www.example.com';
  try {
    const [origin, ...others] = VARIABLES.ALLOWED_ORIGINS.parse(text);
    if (origin !== undefined && others.length === 0) {
      return origin;
    }
  } catch (error) {
    const complaint = error instanceof Error ? error.message : String(error);
    throw new Error(`--origin ${JSON.stringify(text)} is wrong: ${complaint}. ${rightValue}`, { cause: error });
  }
  throw new Error(`--origin ${JSON.stringify(text)} must be one origin. ${rightValue}`);
}

/** @returns milliseconds */
export function parseTimeout(text: string): number {
  const seconds = Number(text);
  if (!/^\d{1,3}$/.test(text) || seconds < 1 || seconds > LONGEST_TIMEOUT_SECONDS) {
    throw new Error(
      `--timeout ${JSON.stringify(text)} must be whole seconds from 1 to ${LONGEST_TIMEOUT_SECONDS}. A right value: --timeout 25`,
    );
  }
  return seconds * 1_000;
}
