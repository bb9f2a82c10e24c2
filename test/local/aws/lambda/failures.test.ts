import { describe, expect, it } from 'vitest';
import type { Failure } from '../../../../local/aws/lambda/failures.ts';
import { createFakeClock } from '../../../resilience/fake-clock.ts';
import { eventually, startScriptedLambda } from './scripted-lambda.ts';

/** No retries, so that only failures on demand repeat an event. */
const ONCE = { asynchronous: { maximumRetryAttempts: 0 } };

async function start(failure: Failure, { maxAttempts = 1 } = {}) {
  const clock = createFakeClock();
  const scripted = await startScriptedLambda({ clock, maxAttempts, functions: { fn: ONCE, other: ONCE } });
  scripted.lambda.tell(failure);

  /** Waits until the attempts of each event are these. */
  const settle = (...expected: readonly string[][]) =>
    eventually(() => expect(scripted.lambda.heard().latest.map(({ attempts }) => attempts)).toEqual(expected));

  return { ...scripted, clock, settle };
}

describe('Invoke', () => {
  it.each([
    ['throttled', 'TooManyRequestsException', 429],
    ['access_denied', 'AccessDeniedException', 403],
    ['server_error', 'ServiceException', 500],
  ] as const)('%s: is refused with %s', async (mode, name, httpStatusCode) => {
    const { queue, lambda, clock } = await start({ mode, times: 1 });
    await expect(queue({})).rejects.toMatchObject({ name, $metadata: { httpStatusCode } });
    expect(lambda.heard()).toMatchObject({ requests: 1, accepted: 0 });
    expect(clock.running()).toBe(0);
    expect((await queue({})).StatusCode).toBe(202);
  });

  it('throttled: names a reason, as the reserved concurrency has its own', async () => {
    const { queue } = await start({ mode: 'throttled' });
    await expect(queue({})).rejects.toMatchObject({ Reason: 'CallerRateLimitExceeded' });
  });

  it('access_denied: names the action and the function', async () => {
    const { queue } = await start({ mode: 'access_denied' });
    await expect(queue({})).rejects.toThrow(
      /is not authorized to perform: lambda:InvokeFunction on resource: arn:aws:lambda:us-east-1:0{12}:function:fn because/,
    );
  });

  it('disconnect: the event is not accepted', async () => {
    const { queue, lambda } = await start({ mode: 'disconnect', times: 1 });
    await expect(queue({})).rejects.toMatchObject({ code: 'ECONNRESET' });
    expect(lambda.heard()).toMatchObject({ requests: 1, accepted: 0 });
  });

  it('lost_answer: the event is accepted', async () => {
    const { queue, clock, settle } = await start({ mode: 'lost_answer', times: 1 });
    await expect(queue({})).rejects.toMatchObject({ code: 'ECONNRESET' });
    await clock.advance(0);
    await settle(['succeeded']);
  });

  it('lost_answer: a caller that retries causes a second event, with another request id', async () => {
    const { queue, lambda } = await start({ mode: 'lost_answer', times: 1 }, { maxAttempts: 2 });
    expect((await queue({})).StatusCode).toBe(202);
    const ids = lambda.heard().latest.map(({ requestId }) => requestId);
    expect(new Set(ids).size).toBe(2);
  });

  it('lost_answer: a caller that waits for the result loses it after the function ran', async () => {
    const { invoke, settle } = await start({ mode: 'lost_answer', times: 1 });
    await expect(invoke({})).rejects.toMatchObject({ code: 'ECONNRESET' });
    await settle(['succeeded']);
  });
});

describe('delivery', () => {
  it('duplicate: the event is delivered twice, at the same time and with the same request id', async () => {
    const { queue, clock, settle, log } = await start({ mode: 'duplicate', times: 1 });
    await queue({});
    await queue({});
    await clock.advance(0);
    await settle(['succeeded', 'succeeded'], ['succeeded']);
    await eventually(async () => expect((await log('fn')).split('\n')).toHaveLength(4));
    const answers = (await log('fn'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(new Set(answers.map(({ requestId }) => requestId)).size).toBe(2);
    expect(new Set(answers.map(({ container }) => container)).size).toBe(3);
  });

  it('duplicate: copies can come later', async () => {
    const { queue, clock, settle } = await start({ mode: 'duplicate', copies: 3, delayMs: 600_000 });
    await queue({});
    await clock.advance(0);
    await settle(['succeeded']);
    await clock.advance(599_999);
    await settle(['succeeded']);
    await clock.advance(1);
    await settle(['succeeded', 'succeeded', 'succeeded']);
  });

  it('lose: the event is accepted, but never delivered', async () => {
    const { queue, clock, settle, lambda } = await start({ mode: 'lose', times: 1 });
    expect((await queue({})).StatusCode).toBe(202);
    await clock.advance(86_400_000);
    await settle([]);
    expect(lambda.heard().latest[0]?.discarded).toEqual([]);
  });

  it('delay: the event is delivered late', async () => {
    const { queue, clock, settle } = await start({ mode: 'delay', delayMs: 5_000 });
    await queue({});
    await clock.advance(4_999);
    await settle([]);
    await clock.advance(1);
    await settle(['succeeded']);
  });

  it('does not affect an event whose caller waits', async () => {
    const { ask } = await start({ mode: 'lose' });
    expect(await ask({ call: 1 })).toMatchObject({ event: { call: 1 } });
  });
});

describe('crash', () => {
  it('kills the container after a time', async () => {
    const { queue, clock, settle, log } = await start({ mode: 'crash', afterMs: 5_000, times: 1 });
    await queue({ way: 'hang' });
    await clock.advance(0);
    await settle(['running']);
    await clock.advance(4_999);
    await settle(['running']);
    await clock.advance(1);
    await settle(['failed']);
    await eventually(async () => expect(await log('fn')).toMatch(/ Runtime exited with error: signal: killed\n$/));
  });

  it('spares an event that is handled by then, and those after it', async () => {
    const { ask, clock } = await start({ mode: 'crash', afterMs: 5_000, times: 1 });
    const { container } = await ask({});
    await clock.advance(5_000);
    expect((await ask({})).container).toBe(container);
  });

  it('on demand, kills the containers that are handling an event, and only those of this function', async () => {
    const { lambda, queue, clock, settle } = await start({ mode: 'ok' });
    await queue({ way: 'hang' });
    await queue({ way: 'hang' }, 'other');
    await clock.advance(0);
    await settle(['running'], ['running']);
    lambda.crash('fn');
    await settle(['failed'], ['running']);
  });

  it('of a function that does not exist is an error', async () => {
    const { lambda } = await start({ mode: 'ok' });
    expect(() => lambda.crash('none')).toThrow('There is no function none. Functions: fn, other.');
  });
});

describe('failures', () => {
  it('can be limited to a function', async () => {
    const { queue, lambda } = await start({ mode: 'server_error', function: 'other', times: 1 });
    expect((await queue({})).StatusCode).toBe(202);
    await expect(queue({}, 'other')).rejects.toMatchObject({ name: 'ServiceException' });
    expect((await queue({}, 'other')).StatusCode).toBe(202);
    expect(lambda.heard()).toMatchObject({ requests: 3, accepted: 2 });
  });

  it('of different places apply together', async () => {
    const { lambda, queue, clock, settle } = await start({ mode: 'lost_answer' });
    lambda.tell({ mode: 'duplicate' });
    lambda.tell({ mode: 'crash' });
    await expect(queue({ way: 'hang' })).rejects.toMatchObject({ code: 'ECONNRESET' });
    await clock.advance(0);
    await settle(['running', 'running']);
    await clock.advance(0);
    await settle(['failed', 'failed']);
  });

  it('without times last until they are replaced or ended', async () => {
    const { lambda, queue } = await start({ mode: 'throttled' });
    await expect(queue({})).rejects.toThrow('Rate Exceeded.');
    await expect(queue({})).rejects.toThrow('Rate Exceeded.');
    lambda.tell({ mode: 'server_error' });
    await expect(queue({})).rejects.toMatchObject({ name: 'ServiceException' });
    lambda.tell({ mode: 'ok' });
    expect((await queue({})).StatusCode).toBe(202);
  });
});
