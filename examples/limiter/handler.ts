/**
 * Another Lambda function with the same problem: each call to a paid API costs money. A customer gets five calls at once
 * and then 20 an hour; all customers together get 1,000 a day. A call that fails at the paid API is not counted.
 *
 * It is called through an API Gateway HTTP API with a JWT authorizer, which identifies the customer.
 */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  createLimiter,
  parsePolicies,
  rateLimitHeaders,
  retryAfterSeconds,
  StoreUnavailableError,
} from 'ephemeral-key-issuer/limiter';

interface Request {
  readonly body: string;
  readonly requestContext: { readonly authorizer: { readonly jwt: { readonly claims: { readonly sub: string } } } };
}

interface Answer {
  readonly statusCode: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

const { TABLE_NAME = 'limits', PAID_API_URL = '' } = process.env;

// Create it once, outside the handler: it caches refusals for two seconds.
const limiter = createLimiter({
  table: { client: new DynamoDBClient({ maxAttempts: 2 }), name: TABLE_NAME },
  scopes: [
    { name: 'customer', policies: parsePolicies('bucket 20/1h burst 5'), counts: 'each' },
    { name: 'everybody', policies: parsePolicies('1000/1d'), counts: 'all' },
  ],
});

export async function handler({ body, requestContext }: Request): Promise<Answer> {
  const customer = requestContext.authorizer.jwt.claims.sub;
  try {
    const place = limiter.knownRefusal(customer) ?? (await limiter.reserve(customer));
    if (!place.admitted) {
      const retryAfter = String(retryAfterSeconds(place.retryAt, Date.now()));
      return { statusCode: 429, headers: { 'retry-after': retryAfter, ...rateLimitHeaders(place.state, Date.now()) } };
    }
    const answer = await callPaidApi(body);
    if (answer === undefined) {
      return { statusCode: 502, headers: rateLimitHeaders(await place.release(), Date.now()) };
    }
    return { statusCode: 200, headers: rateLimitHeaders(place.nearest, Date.now()), body: answer };
  } catch (error) {
    // DynamoDB does not answer. Failing closed keeps the limits; the caller may retry.
    if (error instanceof StoreUnavailableError) {
      return { statusCode: 503, headers: { 'retry-after': '1' } };
    }
    throw error;
  }
}

/** @returns undefined if the API failed */
async function callPaidApi(body: string): Promise<string | undefined> {
  try {
    const response = await fetch(PAID_API_URL, { method: 'POST', body, signal: AbortSignal.timeout(10_000) });
    return response.ok ? await response.text() : undefined;
  } catch {
    return undefined;
  }
}
