/** Parsers for the arguments of `smoke`. Each throws an Error that says what is invalid and shows a valid value. */
import { VARIABLES } from '../../contract/configuration.ts';
import { SESSION_PATH } from '../../contract/endpoint.ts';
import { isLoopback } from './site.ts';

const LONGEST_TIMEOUT_SECONDS = 120;

/** The URL of the site or of its API: the stack's outputs have both. */
export function parseSiteUrl(text: string): URL {
  const example = 'For example: https://d111111abcdef8.cloudfront.net, or http://127.0.0.1:8787 for a local stack';
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new Error(`${JSON.stringify(text)} is not an http or https URL. ${example}`);
  }
  if (!['/', SESSION_PATH].includes(url.pathname) || /[?#]/.test(text) || url.username + url.password !== '') {
    throw new Error(
      `${JSON.stringify(text)} is invalid: it must be the URL of the site, without a path, query or credentials. ${example}`,
    );
  }
  if (url.protocol === 'http:' && !isLoopback(url)) {
    throw new Error(
      `${JSON.stringify(text)} is invalid: it must begin with https://, because a key would be sent unencrypted. ${example}`,
    );
  }
  return new URL(url.origin);
}

export function parseFunctionUrl(text: string): URL {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new Error(
      `--function-url ${JSON.stringify(text)} is not an http or https URL. For example: --function-url https://abc123.lambda-url.us-east-1.on.aws/`,
    );
  }
  return url;
}

/** One origin, by the same rule as in the function's ALLOWED_ORIGINS. */
export function parseOrigin(text: string): string {
  const example = 'For example: --origin https://www.example.com';
  try {
    const [origin, ...others] = VARIABLES.ALLOWED_ORIGINS.parse(text);
    if (origin !== undefined && others.length === 0) {
      return origin;
    }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`--origin ${JSON.stringify(text)} is invalid: ${reason}. ${example}`, { cause: error });
  }
  throw new Error(`--origin ${JSON.stringify(text)} is invalid: it must be one origin. ${example}`);
}

/** @returns milliseconds */
export function parseTimeout(text: string): number {
  const seconds = Number(text);
  if (!/^\d{1,3}$/.test(text) || seconds < 1 || seconds > LONGEST_TIMEOUT_SECONDS) {
    throw new Error(
      `--timeout ${JSON.stringify(text)} is invalid: it must be a whole number of seconds from 1 to ${LONGEST_TIMEOUT_SECONDS}. For example: --timeout 25`,
    );
  }
  return seconds * 1_000;
}
