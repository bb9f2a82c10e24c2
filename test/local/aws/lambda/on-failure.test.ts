import { describe, expect, it } from 'vitest';
import type { FunctionOptions } from '../../../../local/aws/lambda/function-options.ts';
import { createFakeClock } from '../../../resilience/fake-clock.ts';
import { eventually, startScriptedLambda } from './scripted-lambda.ts';

const NOW = Date.UTC(2026, 10, 30, 12);

/** A supervisor whose failed events go to a second function. */
async function start(settings: Partial<FunctionOptions> = {}) {
  const clock = createFakeClock(NOW);
  const asynchronous = { maximumRetryAttempts: 0, ...settings.asynchronous, onFailure: 'destination' };
  const { lambda, queue, log } = await startScriptedLambda({
    clock,
    functions: { supervisor: { ...settings, asynchronous }, destination: {} },
  });

  /** Moves the clock from timer to timer while nothing is running, until the destination has got a record. */
  async function record(): Promise<unknown> {
    await eventually(async () => {
      const isRunning = lambda.heard().latest.some(({ attempts }) => attempts.includes('running'));
      await clock.advance(isRunning ? 0 : 1_000);
      expect(await log('destination')).toContain('\n');
    });
    return JSON.parse(await log('destination')).event;
  }

  return { clock, lambda, queue, record };
}

describe('the on-failure destination gets a record of an event', () => {
  it('whose function failed in every attempt', async () => {
    const { queue, record, lambda } = await start({ asynchronous: { maximumRetryAttempts: 1 } });
    const { $metadata } = await queue({ way: 'throw', call: 1 }, 'supervisor');
    expect(await record()).toEqual({
      version: '1.0',
      timestamp: expect.stringMatching(/^2026-11-30T12:01:\d\d\.\d{3}Z$/),
      requestContext: {
        requestId: $metadata.requestId,
        functionArn: 'arn:aws:lambda:us-east-1:000000000000:function:supervisor:$LATEST',
        condition: 'RetriesExhausted',
        approximateInvokeCount: 2,
      },
      requestPayload: { way: 'throw', call: 1 },
      responseContext: { statusCode: 200, executedVersion: '$LATEST', functionError: 'Unhandled' },
      responsePayload: { errorType: 'TypeError', errorMessage: 'the bundle has a bug', trace: expect.any(Array) },
    });
    expect(lambda.heard()).toMatchObject({
      requests: 1,
      accepted: 2,
      latest: [
        { function: 'supervisor', attempts: ['failed', 'failed'], discarded: ['RetriesExhausted'] },
        { function: 'destination', invocationType: 'Event', attempts: ['succeeded'], discarded: [] },
      ],
    });
  });

  it('whose container crashed', async () => {
    const { queue, record, lambda } = await start();
    lambda.tell({ mode: 'crash', times: 1 });
    await queue({ way: 'hang' }, 'supervisor');
    expect(await record()).toMatchObject({
      requestContext: { condition: 'RetriesExhausted', approximateInvokeCount: 1 },
      responsePayload: {
        errorType: 'Runtime.ExitError',
        errorMessage: expect.stringMatching(/^RequestId: \S+ Error: Runtime exited with error: signal: killed$/),
      },
    });
  });

  it('that became too old before a retry', async () => {
    const { queue, record } = await start({ asynchronous: { maximumRetryAttempts: 2, maximumEventAgeSeconds: 60 } });
    await queue({ way: 'throw' }, 'supervisor');
    expect(await record()).toMatchObject({
      requestContext: { condition: 'EventAgeExceeded', approximateInvokeCount: 1 },
      responseContext: { statusCode: 200, functionError: 'Unhandled' },
      responsePayload: { errorMessage: 'the bundle has a bug' },
    });
  });

  it('that was delivered too late, without a response', async () => {
    const { queue, record, lambda } = await start({ asynchronous: { maximumEventAgeSeconds: 60 } });
    lambda.tell({ mode: 'delay', delayMs: 61_000, times: 1 });
    await queue({ call: 1 }, 'supervisor');
    const { requestContext, ...rest } = (await record()) as Record<string, unknown>;
    expect(requestContext).toMatchObject({ condition: 'EventAgeExceeded', approximateInvokeCount: 0 });
    expect(Object.keys(rest)).toEqual(['version', 'timestamp', 'requestPayload']);
  });

  it('of a function that is switched off, without a response', async () => {
    const { queue, record } = await start({ reservedConcurrency: 0 });
    await queue({ call: 1 }, 'supervisor');
    const { requestContext, ...rest } = (await record()) as Record<string, unknown>;
    expect(requestContext).toMatchObject({ condition: 'ZeroReservedConcurrency', approximateInvokeCount: 0 });
    expect(Object.keys(rest)).toEqual(['version', 'timestamp', 'requestPayload']);
  });

  it('that found no place', async () => {
    const { clock, queue, record, lambda } = await start({
      reservedConcurrency: 1,
      asynchronous: { maximumEventAgeSeconds: 60 },
      timeoutMs: 900_000,
    });
    await queue({ way: 'hang' }, 'supervisor');
    await clock.advance(0);
    const { $metadata } = await queue({ call: 2 }, 'supervisor');
    await clock.advance(60_000);
    expect(lambda.heard().latest[1]?.attempts).toEqual(Array(6).fill('throttled'));
    expect(await record()).toMatchObject({
      requestContext: { requestId: $metadata.requestId, condition: 'EventAgeExceeded', approximateInvokeCount: 0 },
      responseContext: { statusCode: 429 },
    });
  });
});

it('an event that succeeds leaves no record', async () => {
  const { clock, queue, lambda } = await start();
  await queue({}, 'supervisor');
  await clock.advance(0);
  await eventually(() => expect(lambda.heard().latest[0]?.attempts).toEqual(['succeeded']));
  await clock.advance(86_400_000);
  expect(lambda.heard().accepted).toBe(1);
});
