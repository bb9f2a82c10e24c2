import { rm } from 'node:fs/promises';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PROBLEMS, type ProblemCode } from '../../contract/problems.ts';
import { type LocalFunction, startFunction } from '../../local/aws/lambda/function.ts';
import { FUNCTION_BUNDLE } from '../../scripts/build-function.ts';
import { shortOrLong } from '../support/runs.ts';
import { startTestStack, type TestStack } from '../support/stack.ts';

const EVENTS = shortOrLong(5_000, 20_000);

let stack: TestStack;
let fn: LocalFunction;
beforeAll(async () => {
  stack = await startTestStack();
  fn = await startFunction({
    bundle: FUNCTION_BUNDLE,
    log: `${stack.addresses.log}.fuzz`,
    environment: {
      ...stack.functionEnvironment,
      CLIENT_LIMITS: '3/1d',
      ALLOWED_ORIGINS: 'https://demo.example.com',
    },
  });
});
afterAll(async () => {
  await fn.close();
  await rm(`${stack.addresses.log}.fuzz`);
  await stack.close();
});

const usually = <Value>(valid: Value, other: fc.Arbitrary<unknown>) =>
  fc.oneof({ weight: 3, arbitrary: fc.constant(valid) }, { weight: 1, arbitrary: other });

const absurd = fc.oneof(
  fc.anything({ maxDepth: 2 }).filter(isCloneable),
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc.constantFrom(undefined, null, '', '__proto__', 'constructor', '\u0000', '💥', '0'.repeat(10_000)),
);

const headers = fc.record(
  {
    'cloudfront-viewer-address': usually(
      '203.0.113.9:443',
      fc.oneof(
        absurd,
        fc.ipV6().map((ip) => `${ip}:1`),
      ),
    ),
    origin: usually('https://demo.example.com', absurd),
    'sec-fetch-site': usually('same-origin', absurd),
    'accept-language': usually('ja', absurd),
    // Rarely a valid one: each valid key causes a request to DynamoDB, and other events cover the rest of the function.
    'idempotency-key': fc.oneof(
      { weight: 1, arbitrary: fc.constant('0123456789abcdef') },
      { weight: 19, arbitrary: absurd },
    ),
    'x-forwarded-for': absurd,
  },
  { requiredKeys: [] },
);

const events = fc.oneof(
  {
    weight: 9,
    arbitrary: fc.record(
      {
        version: fc.constant('2.0'),
        rawPath: usually('/session', absurd),
        requestContext: usually(
          { http: { method: 'POST' } },
          fc.oneof(absurd, fc.record({ http: fc.record({ method: usually('OPTIONS', absurd) }) })),
        ),
        headers: fc.oneof({ weight: 9, arbitrary: headers }, { weight: 1, arbitrary: absurd }),
        body: usually(undefined, absurd),
        isBase64Encoded: usually(false, absurd),
      },
      { requiredKeys: ['rawPath', 'requestContext'] },
    ),
  },
  { weight: 1, arbitrary: absurd },
);

/** Events reach the function as JSON, and structuredClone accepts about the same values. */
function isCloneable(value: unknown): boolean {
  try {
    structuredClone(value);
    return true;
  } catch {
    return false;
  }
}

interface Response {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

function isDocumented({
  statusCode,
  headers: { 'content-type': type, 'cache-control': caching },
  body,
}: Response): boolean {
  if (caching !== 'no-store') {
    return false;
  }
  if (statusCode === 204) {
    return body === '';
  }
  const content = JSON.parse(body);
  if (statusCode === 200) {
    return type === 'application/json' && content.value.startsWith('ek_');
  }
  const problem = PROBLEMS[content.code as ProblemCode];
  const matchesCode =
    problem.status === statusCode && content.status === statusCode && content.retryable === problem.retryable;
  return matchesCode && type === 'application/problem+json' && content.detail !== '' && content.code !== 'internal';
}

describe(`${EVENTS} events with arbitrary content`, () => {
  it('each get a documented response, and none throws', async () => {
    const seen = new Map<number, number>();
    const samples = fc.sample(events, { numRuns: EVENTS, seed: 20_261_130 });
    const undocumented: unknown[] = [];
    for (let start = 0; start < samples.length; start += 100) {
      const batch = samples.slice(start, start + 100);
      const responses = await Promise.all(batch.map((event) => fn.invoke(event) as Promise<Response>));
      for (const [index, response] of responses.entries()) {
        seen.set(response.statusCode, (seen.get(response.statusCode) ?? 0) + 1);
        if (!isDocumented(response)) {
          undocumented.push({ event: batch[index], response });
        }
      }
    }

    expect(undocumented).toEqual([]);
    // The test is useful only if its events reach every part of the function.
    expect([...seen.keys()]).toEqual(expect.arrayContaining([200, 204, 400, 403, 404, 405, 429]));
  }, 120_000);
});
