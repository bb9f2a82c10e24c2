import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { classify, HttpError, RetryError } from '../../resilience/index.ts';

function answer(status: number, body?: unknown, headers: Record<string, string> = {}): HttpError {
  return new HttpError(status, new Headers(headers), body);
}

describe('a response', () => {
  it.each([
    [400, false, 'alive'],
    [401, false, 'alive'],
    [403, false, 'alive'],
    [404, false, 'alive'],
    [408, false, 'failing'],
    [409, false, 'alive'],
    [410, false, 'alive'],
    [422, false, 'alive'],
    [425, false, 'alive'],
    [429, true, 'failing'],
    [499, false, 'alive'],
    [500, true, 'failing'],
    [501, false, 'failing'],
    [502, true, 'failing'],
    [503, true, 'failing'],
    [504, true, 'failing'],
    [505, false, 'failing'],
    [529, false, 'failing'],
  ])('%i: retryable %s, health %s', (status, retryable, health) => {
    expect(classify(answer(status))).toMatchObject({ kind: 'answer', status, retryable, health });
    expect(classify(new Response('', { status }))).toMatchObject({ kind: 'answer', status, retryable, health });
  });

  it.each([
    ['OpenAI', { error: { message: '', type: 'insufficient_quota', code: 'insufficient_quota' } }],
    ['OpenAI, by its type alone', { error: { type: 'insufficient_quota', code: null } }],
    ['OpenAI, by its code alone', { error: { type: 'billing', code: 'credit_balance_exhausted' } }],
    ['not nested', { code: 'insufficient_quota' }],
  ])('a 429 for an unpaid bill is not retryable, and the health is alive: %s', (_api, body) => {
    const expected = { retryable: false, health: 'alive' };
    expect(classify(answer(429, body))).toMatchObject(expected);
    expect(classify(answer(429, body, { 'x-should-retry': 'true' }))).toMatchObject(expected);
  });

  it('a 429 for a rate limit is retryable', () => {
    expect(classify(answer(429, { error: { code: 'slow_down' } })).retryable).toBe(true);
  });

  it.each([
    [503, { retryable: false }, {}, false],
    [409, { retryable: true }, {}, true],
    [400, { error: { retryable: true } }, {}, true],
    [503, undefined, { 'x-should-retry': 'false' }, false],
    [409, undefined, { 'x-should-retry': 'true' }, true],
    [503, undefined, { 'x-should-retry': 'maybe' }, true],
    [503, { retryable: 'no' }, {}, true],
    [409, { retryable: true }, { 'x-should-retry': 'false' }, false],
    [503, { retryable: false }, { 'x-should-retry': 'true' }, false],
  ])('the server overrides the status, and false takes precedence: %i %j %j', (status, body, headers, retryable) => {
    expect(classify(answer(status, body, headers as Record<string, string>)).retryable).toBe(retryable);
  });
});

describe('no response', () => {
  it.each([
    ['Chromium', 'Failed to fetch'],
    ['Chromium, in the body', 'network error'],
    ['Firefox', 'NetworkError when attempting to fetch resource.'],
    ['Firefox, in the body', 'Error in input stream'],
    ['Safari', 'Load failed'],
    ['Safari, connection lost', 'The network connection was lost.'],
  ])('a TypeError of fetch in a browser is a lost connection: %s', (_browser, message) => {
    expect(classify(new TypeError(message))).toEqual({ kind: 'connection', retryable: true, health: 'failing' });
  });

  it.each([
    ['ETIMEDOUT', 'timeout'],
    ['UND_ERR_CONNECT_TIMEOUT', 'timeout'],
    ['UND_ERR_HEADERS_TIMEOUT', 'timeout'],
    ['UND_ERR_BODY_TIMEOUT', 'timeout'],
    ['ECONNRESET', 'connection'],
    ['ECONNREFUSED', 'connection'],
    ['EPIPE', 'connection'],
    ['EHOSTUNREACH', 'connection'],
    ['ENETUNREACH', 'connection'],
    ['ENOTFOUND', 'connection'],
    ['EAI_AGAIN', 'connection'],
    ['UND_ERR_SOCKET', 'connection'],
    ['HPE_INVALID_CONSTANT', 'connection'],
  ])('the code %s means %s, also in a nested cause', (code, kind) => {
    const error = new Error('outer', { cause: new TypeError('fetch failed', { cause: { code } }) });
    expect(classify(error)).toEqual({ kind, retryable: true, health: 'failing' });
  });

  it.each([
    ['CERT_HAS_EXPIRED'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT'],
    ['ERR_INVALID_URL'],
    ['ERR_TLS_CERT_ALTNAME_INVALID'],
  ])('the code %s is not retryable, because it is permanent', (code) => {
    expect(classify(new TypeError('fetch failed', { cause: { code } })).retryable).toBe(false);
  });

  it('an abort is not retryable, and the health is unknown', () => {
    const expected = { kind: 'aborted', retryable: false, health: 'unknown' };
    expect(classify(new DOMException('', 'AbortError'))).toEqual(expected);
    expect(classify(AbortSignal.abort().reason)).toEqual(expected);
  });

  it('an abort caused by a timeout is a timeout', () => {
    const reason = new DOMException('', 'TimeoutError');
    const aborted = Object.assign(new Error('Request aborted', { cause: reason }), { name: 'AbortError' });
    expect(classify(aborted)).toMatchObject({ kind: 'timeout', retryable: true });
  });

  it.each([
    [undefined],
    [null],
    ['ECONNRESET'],
    [503],
    [new RangeError('bug')],
    [new TypeError('x is undefined')],
    [{}],
  ])('any other value is not retryable: %s', (thrown) => {
    expect(classify(thrown)).toEqual({ kind: 'unknown', retryable: false, health: 'unknown' });
  });
});

describe('AWS', () => {
  it.each([
    ['ProvisionedThroughputExceededException', true],
    ['ThrottlingException', true],
    ['RequestLimitExceeded', true],
    ['TooManyRequestsException', true],
    ['TransactionInProgressException', true],
    ['ConditionalCheckFailedException', false],
    ['ItemCollectionSizeLimitExceededException', false],
    ['AccessDeniedException', false],
    ['ResourceNotFoundException', false],
  ])('%s with status 400: retryable %s', (name, retryable) => {
    const error = Object.assign(new Error('no'), { name, $metadata: { httpStatusCode: 400 } });
    expect(classify(error)).toMatchObject({ status: 400, retryable, health: retryable ? 'failing' : 'alive' });
  });

  it('an error that the service marks as retryable is retryable', () => {
    const error = { name: 'ReplicatedWriteConflictException', $retryable: {}, $metadata: { httpStatusCode: 400 } };
    expect(classify(error).retryable).toBe(true);
  });
});

describe('any thrown value', () => {
  it('is classified by its cause if it has no status or code itself', () => {
    const wrapped = new RetryError('deadline', 2, undefined, { cause: answer(503) });
    expect(classify(wrapped)).toMatchObject({ status: 503, retryable: true });
  });

  it('may have a circular cause', () => {
    const error = new Error('round');
    error.cause = error;
    expect(classify(error).kind).toBe('unknown');
  });

  it('is classified without throwing', () => {
    const odd = fc.anything({ withNullPrototype: true, withMap: true, withDate: true });
    const shaped = fc.record(
      { status: odd, headers: odd, code: odd, name: odd, message: odd, cause: odd, body: odd, error: odd },
      { requiredKeys: [] },
    );
    const failed = fc.record({
      status: fc.integer({ min: 400, max: 599 }),
      headers: fc.oneof(odd, fc.dictionary(fc.string(), odd)),
      body: odd,
    });
    fc.assert(
      fc.property(fc.oneof(odd, shaped, failed), (thrown) => {
        expect(typeof classify(thrown).retryable).toBe('boolean');
      }),
      { numRuns: 2_000 },
    );
  });
});
