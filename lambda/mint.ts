/**
 * The call to OpenAI that makes a key: POST /realtime/client_secrets, once. Every way in which it can end is one of four
 * outcomes. OpenAI's own words stay here: its error texts quote the key, and its answer echoes the instructions.
 */
import type { SessionConfig } from '../contract/configuration.ts';
import { MINT_TIMEOUT_MS } from '../contract/times.ts';
import type { ViewerId } from './viewer.ts';

/** What a visitor gets: of OpenAI's answer only this, since the rest echoes the owner's instructions. */
export interface SessionKey {
  /** `ek_…` */
  readonly value: string;
  /** Epoch seconds. */
  readonly expires_at: number;
  readonly session: { readonly type: string; readonly model: string };
}

export type Minting =
  | { readonly outcome: 'minted'; readonly key: SessionKey }
  /** 401: our key is wrong, or has been rotated. */
  | { readonly outcome: 'unauthorized'; readonly reason: string }
  /** OpenAI will say the same again until the owner changes something: configuration, country, bill. */
  | { readonly outcome: 'refused'; readonly reason: string }
  /** OpenAI may say something else later. A key may exist after a timeout; nobody holds it. */
  | { readonly outcome: 'unavailable'; readonly reason: string; readonly retryAfterMs: number };

export interface MintOptions {
  readonly baseUrl: string;
  readonly session: SessionConfig;
  readonly keyTtlSeconds: number;
  readonly fetch: typeof fetch;
  readonly now: () => number;
}

/**
 * A bill or a budget, not a rate: waiting does not help. The first two are what the Realtime API documents; the others
 * are how the `openai` package (7.59, resources/beta/agents) names a hard budget that is reached.
 */
const UNPAID = new Set([
  'insufficient_quota',
  'credit_balance_exhausted',
  'billing_not_active',
  'project_spend_limit_exceeded',
  'organization_spend_limit_exceeded',
  'organization_usage_limit_exceeded',
  'usage_limit_exceeded',
]);
const DEFAULT_RETRY_AFTER_MS = 5_000;
const LONGEST_RETRY_AFTER_MS = 3_600_000;

export async function mint(apiKey: string, viewer: ViewerId, options: MintOptions): Promise<Minting> {
  const { baseUrl, session, keyTtlSeconds } = options;
  try {
    const response = await options.fetch(`${baseUrl}/realtime/client_secrets`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${apiKey}`,
        'content-type': 'application/json',
        'openai-safety-identifier': viewer,
      },
      body: JSON.stringify({ expires_after: { anchor: 'created_at', seconds: keyTtlSeconds }, session }),
      // A redirect would be a wrong base URL, and following it would carry the key to another host.
      redirect: 'manual',
      signal: AbortSignal.timeout(MINT_TIMEOUT_MS),
    });
    return interpret(response, parseJson(await response.text()), options.now());
  } catch (error) {
    const name = error instanceof Error ? error.name : 'Unknown';
    const reason = name === 'TimeoutError' ? `no answer within ${MINT_TIMEOUT_MS} ms` : `connection failed (${name})`;
    return { outcome: 'unavailable', reason, retryAfterMs: DEFAULT_RETRY_AFTER_MS };
  }
}

function interpret(response: Response, body: unknown, now: number): Minting {
  const { status } = response;
  if (response.ok) {
    const key = keyIn(body, now);
    return key === undefined
      ? {
          outcome: 'unavailable',
          reason: `status ${status} without a usable key`,
          retryAfterMs: DEFAULT_RETRY_AFTER_MS,
        }
      : { outcome: 'minted', key };
  }
  if (status === 401) {
    return { outcome: 'unauthorized', reason: 'status 401: the API key or its organisation is wrong' };
  }
  if (status === 429 && isUnpaid(body)) {
    return {
      outcome: 'refused',
      reason: 'status 429: quota or credit is used up; see the billing page of the project',
    };
  }
  if (status === 429 || status === 408 || status >= 500) {
    return { outcome: 'unavailable', reason: `status ${status}`, retryAfterMs: retryAfterMs(response.headers) };
  }
  return {
    outcome: 'refused',
    reason: `status ${status}: see session.json, OPENAI_BASE_URL and the key's permissions`,
  };
}

/** The key in an answer that may be anything. One that has expired is of no use to anybody. */
function keyIn(body: unknown, now: number): SessionKey | undefined {
  const { value, expires_at, session } = fieldsOf(body);
  const { type, model } = fieldsOf(session);
  const isKey = typeof value === 'string' && /^ek_[!-~]+$/.test(value);
  const isAlive = typeof expires_at === 'number' && Number.isSafeInteger(expires_at) && expires_at * 1_000 > now;
  return isKey && isAlive && typeof type === 'string' && typeof model === 'string'
    ? { value, expires_at, session: { type, model } }
    : undefined;
}

function isUnpaid(body: unknown): boolean {
  const { type, code } = fieldsOf(fieldsOf(body)['error']);
  return [type, code].some((word) => typeof word === 'string' && UNPAID.has(word));
}

function retryAfterMs(headers: Headers): number {
  const text = headers.get('retry-after') ?? '';
  return /^\d+$/.test(text) ? Math.min(Number(text) * 1_000, LONGEST_RETRY_AFTER_MS) : DEFAULT_RETRY_AFTER_MS;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
