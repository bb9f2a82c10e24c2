import { ListFunctionsCommand } from '@aws-sdk/client-lambda';
import { describe, expect, it } from 'vitest';
import { createFakeClock } from '../../../resilience/fake-clock.ts';
import { eventually, startScriptedLambda } from './scripted-lambda.ts';

const ARN = 'arn:aws:lambda:us-east-1:000000000000:function:fn';
const MB = 1024 * 1024;
const TOO_LARGE = { name: 'RequestEntityTooLargeException', $metadata: { httpStatusCode: 413 } };
const WITHOUT_PLACE = { functions: { fn: { reservedConcurrency: 0 } } };

/** A JSON text of this many bytes, quotes included. */
function textOf(bytes: number): string {
  return 'x'.repeat(bytes - 2);
}

describe('RequestResponse', () => {
  it('is the default, and returns what the handler returns', async () => {
    const { invoke } = await startScriptedLambda();
    const { StatusCode, ExecutedVersion, FunctionError, Payload, $metadata } = await invoke({ call: 1 });
    expect({ StatusCode, ExecutedVersion, FunctionError }).toEqual({ StatusCode: 200, ExecutedVersion: '$LATEST' });
    expect(JSON.parse(Payload ?? '')).toMatchObject({ event: { call: 1 }, requestId: $metadata.requestId });
  });

  it('without a payload, gives the handler an empty object', async () => {
    const { ask } = await startScriptedLambda();
    expect((await ask(undefined)).event).toEqual({});
  });

  it('returns null for a handler that returns nothing', async () => {
    const { invoke } = await startScriptedLambda();
    expect((await invoke({ way: 'nothing' })).Payload).toBe('null');
  });

  it.each([
    [
      'an exception',
      'throw',
      { errorType: 'TypeError', errorMessage: 'the bundle has a bug', trace: expect.any(Array) },
    ],
    ['a thrown text', 'throw-text', { errorType: 'string', errorMessage: 'just a text', trace: [] }],
    [
      'an exit',
      'exit',
      {
        errorType: 'Runtime.ExitError',
        errorMessage: expect.stringMatching(/^RequestId: [\w-]{36} Error: Runtime exited without providing a reason$/),
      },
    ],
  ])('returns 200 and a function error for %s', async (_, way, payload) => {
    const { invoke } = await startScriptedLambda();
    const { StatusCode, FunctionError, Payload } = await invoke({ way, code: 0 });
    expect({ StatusCode, FunctionError }).toEqual({ StatusCode: 200, FunctionError: 'Unhandled' });
    expect(JSON.parse(Payload ?? '')).toEqual(payload);
  });

  it('is refused with 429 if the reserved concurrency is in use', async () => {
    const { invoke, release, lambda, folder } = await startScriptedLambda({
      functions: { fn: { reservedConcurrency: 1 } },
    });
    const file = `${folder}/go`;
    const first = invoke({ way: 'wait', file });
    await eventually(() => expect(lambda.heard().latest.at(-1)?.attempts).toEqual(['running']));
    const refused = { name: 'TooManyRequestsException', Reason: 'ReservedFunctionConcurrentInvocationLimitExceeded' };
    await expect(invoke({})).rejects.toMatchObject({ ...refused, $metadata: { httpStatusCode: 429 } });
    await release(file);
    await first;
    expect((await invoke({})).StatusCode).toBe(200);
  });

  it('is refused with 429 if the reserved concurrency is 0', async () => {
    const { invoke } = await startScriptedLambda(WITHOUT_PLACE);
    await expect(invoke({})).rejects.toMatchObject({ name: 'TooManyRequestsException' });
  });
});

describe('Event', () => {
  it('returns 202 at once, and runs the handler with the same request id', async () => {
    const { queue, log } = await startScriptedLambda();
    const { StatusCode, Payload, ExecutedVersion, $metadata } = await queue({ call: 1 });
    expect({ StatusCode, Payload, ExecutedVersion }).toEqual({ StatusCode: 202 });
    await eventually(async () =>
      expect(JSON.parse(await log('fn'))).toMatchObject({ event: { call: 1 }, requestId: $metadata.requestId }),
    );
  });

  it('is accepted, and waits, if the reserved concurrency is in use', async () => {
    const clock = createFakeClock();
    const { queue, release, lambda, folder } = await startScriptedLambda({
      clock,
      functions: { fn: { reservedConcurrency: 1 } },
    });
    const attempts = () => lambda.heard().latest.map((event) => event.attempts);
    const file = `${folder}/go`;
    await queue({ way: 'wait', file });
    await clock.advance(0);
    expect((await queue({})).StatusCode).toBe(202);
    await clock.advance(0);
    expect(attempts()).toEqual([['running'], ['throttled']]);
    await release(file);
    await eventually(() => expect(attempts()).toEqual([['succeeded'], ['throttled']]));
    await clock.advance(1_000);
    await eventually(() => expect(attempts()).toEqual([['succeeded'], ['throttled', 'succeeded']]));
  });
});

describe('DryRun', () => {
  it('returns 204 and runs nothing', async () => {
    const { invoke, lambda } = await startScriptedLambda(WITHOUT_PLACE);
    expect((await invoke({}, { InvocationType: 'DryRun' })).StatusCode).toBe(204);
    expect(lambda.heard()).toEqual({ requests: 1, accepted: 0, latest: [] });
  });

  it('finds an invalid payload', async () => {
    const { invoke } = await startScriptedLambda();
    const dryRun = invoke(undefined, { InvocationType: 'DryRun', Payload: 'x' });
    await expect(dryRun).rejects.toMatchObject({ name: 'InvalidRequestContentException' });
  });
});

describe('the function', () => {
  it.each([
    { FunctionName: 'fn' },
    { FunctionName: 'fn:$LATEST' },
    { FunctionName: 'fn', Qualifier: '$LATEST' },
    { FunctionName: ARN },
    { FunctionName: `${ARN}:$LATEST` },
  ])('is found by %j', async (input) => {
    const { invoke } = await startScriptedLambda();
    expect((await invoke({}, { InvocationType: 'DryRun', ...input })).StatusCode).toBe(204);
  });

  it.each([
    [{ FunctionName: 'other' }, 'us-east-1:000000000000:function:other:$LATEST'],
    [{ FunctionName: 'fn:1' }, 'us-east-1:000000000000:function:fn:1'],
    [{ FunctionName: 'fn', Qualifier: 'live' }, 'us-east-1:000000000000:function:fn:live'],
    [{ FunctionName: ARN.replace('us-east-1', 'eu-west-1') }, ''],
    [{ FunctionName: ARN.replace('000000000000', '111111111111') }, ''],
  ])('is not found by %j', async (input, arn) => {
    const { invoke, lambda } = await startScriptedLambda();
    await expect(invoke({}, { InvocationType: 'Event', ...input })).rejects.toMatchObject({
      name: 'ResourceNotFoundException',
      Type: 'User',
      message: expect.stringContaining(`Function not found: arn:aws:lambda:${arn}`),
      $metadata: { httpStatusCode: 404, requestId: expect.any(String) },
    });
    expect(lambda.heard()).toMatchObject({ requests: 0, accepted: 0 });
  });
});

describe('the payload', () => {
  it('of an asynchronous event can have 1 MB, and no more', async () => {
    const { queue } = await startScriptedLambda(WITHOUT_PLACE);
    expect((await queue(textOf(MB))).StatusCode).toBe(202);
    await expect(queue(textOf(MB + 1))).rejects.toMatchObject(TOO_LARGE);
  });

  it('of a synchronous event can have 6 MB, and no more', async () => {
    const { invoke } = await startScriptedLambda();
    expect((await invoke(textOf(6 * MB), { InvocationType: 'DryRun' })).StatusCode).toBe(204);
    await expect(invoke(textOf(6 * MB + 1))).rejects.toMatchObject(TOO_LARGE);
  });

  it('that is too large for an asynchronous event is named with the limit', async () => {
    const { queue } = await startScriptedLambda();
    await expect(queue(textOf(2 * MB))).rejects.toThrow(
      '2097152 byte payload is too large for the Event invocation type (limit 1048576 bytes)',
    );
  });

  it.each([
    ['no JSON', 'call: 1'],
    ['two JSON texts', '{}{}'],
    ['invalid UTF-8', Uint8Array.of(0x22, 0x87, 0x22)],
  ])('is refused if it is %s', async (_, Payload) => {
    const { invoke, lambda } = await startScriptedLambda();
    await expect(invoke(undefined, { InvocationType: 'Event', Payload })).rejects.toMatchObject({
      name: 'InvalidRequestContentException',
      message: expect.stringMatching(/^Could not parse request body into json: /),
      $metadata: { httpStatusCode: 400 },
    });
    expect(lambda.heard()).toMatchObject({ requests: 1, accepted: 0 });
  });
});

describe('the protocol', () => {
  it('supports no other operation', async () => {
    const { client } = await startScriptedLambda();
    await expect(client.send(new ListFunctionsCommand())).rejects.toMatchObject({
      name: 'UnknownOperationException',
      $metadata: { httpStatusCode: 404 },
    });
  });

  const SIGNED = {
    authorization: `AWS4-HMAC-SHA256 Credential=any/20261130/us-east-1/lambda/aws4_request, SignedHeaders=host, Signature=${'0'.repeat(64)}`,
    'x-amz-date': '20261130T120000Z',
    'x-amz-invocation-type': 'Event',
  };

  it.each<[string, Record<string, string>, number, string]>([
    ['no signature', { 'x-amz-invocation-type': 'Event' }, 403, 'MissingAuthenticationTokenException'],
    ['a bearer token', { ...SIGNED, authorization: 'Bearer any' }, 403, 'IncompleteSignatureException'],
    ['no date', { authorization: SIGNED.authorization }, 403, 'IncompleteSignatureException'],
    [
      "another service's signature",
      { ...SIGNED, authorization: SIGNED.authorization.replace('/lambda/', '/ssm/') },
      403,
      'IncompleteSignatureException',
    ],
    ['an unknown type', { ...SIGNED, 'x-amz-invocation-type': 'event' }, 400, 'InvalidParameterValueException'],
  ])('refuses a request with %s, and does not count it', async (_, headers, status, type) => {
    const { lambda } = await startScriptedLambda();
    const url = `${lambda.endpoint}/2015-03-31/functions/fn/invocations`;
    const response = await fetch(url, { method: 'POST', headers, body: '{}' });
    expect(response.status).toBe(status);
    expect(response.headers.get('x-amzn-errortype')).toBe(type);
    expect(lambda.heard().requests).toBe(0);
  });
});
