import { createConnection, createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import type { FunctionOptions } from '../../../../local/aws/lambda/function-options.ts';
import { startLambda } from '../../../../local/aws/lambda/lambda.ts';
import { createFakeClock } from '../../../resilience/fake-clock.ts';
import { eventually, startScriptedLambda } from './scripted-lambda.ts';

/** @returns `open`, or why no connection is possible */
function connectTo(port: number): Promise<string> {
  return new Promise((resolve) => {
    const socket = createConnection({ port, host: '127.0.0.1' })
      .once('connect', () => {
        socket.destroy();
        resolve('open');
      })
      .once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? ''));
  });
}

/** A port that was free a moment ago. */
function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' ? (address?.port ?? 0) : 0));
    });
  });
}

describe('after close', () => {
  it('no port is open and no container is running, neither a busy one nor an idle one', async () => {
    const { lambda, queue, ask } = await startScriptedLambda();
    const ports = [await freePort(), await freePort()];
    for (const port of ports) {
      await queue({ way: 'listen', port });
    }
    await ask({});
    await eventually(async () => expect(await Promise.all(ports.map(connectTo))).toEqual(['open', 'open']));

    await lambda.close();
    expect(await Promise.all([lambda.port, ...ports].map(connectTo))).toEqual(Array(3).fill('ECONNREFUSED'));
  });

  it('no timer is running: of timeouts, retries, delayed events and crashes', async () => {
    const clock = createFakeClock();
    const { lambda, queue } = await startScriptedLambda({ clock });
    lambda.tell({ mode: 'delay', delayMs: 60_000, times: 1 });
    await queue({});
    await queue({ way: 'throw' });
    await clock.advance(0);
    await eventually(() => expect(lambda.heard().latest[1]?.attempts).toEqual(['failed']));
    lambda.tell({ mode: 'crash', afterMs: 5_000 });
    await queue({ way: 'hang' });
    await clock.advance(0);
    await eventually(() => expect(clock.running()).toBe(4));

    await lambda.close();
    await eventually(() => expect(clock.running()).toBe(0));
  });

  it('an event that was in progress is neither retried, nor recorded at a destination, nor logged', async () => {
    const clock = createFakeClock();
    const { lambda, queue, log } = await startScriptedLambda({
      clock,
      functions: { fn: { asynchronous: { maximumRetryAttempts: 0, onFailure: 'destination' } }, destination: {} },
    });
    await queue({ way: 'hang' });
    await clock.advance(0);
    await eventually(() => expect(lambda.heard().latest[0]?.attempts).toEqual(['running']));
    await lambda.close();
    await eventually(() => expect(lambda.heard().latest[0]?.attempts).toEqual(['failed']));
    await clock.advance(86_400_000);
    expect(lambda.heard().accepted).toBe(1);
    expect(await log('fn')).toBe('');
  });

  it('a caller that waits for the result loses the connection', async () => {
    const { lambda, invoke } = await startScriptedLambda();
    const waiting = expect(invoke({ way: 'hang' })).rejects.toMatchObject({ code: 'ECONNRESET' });
    await eventually(() => expect(lambda.heard().latest[0]?.attempts).toEqual(['running']));
    await lambda.close();
    await waiting;
  });

  it('closing again changes nothing', async () => {
    const { lambda } = await startScriptedLambda();
    await lambda.close();
    await lambda.close();
  });
});

describe('the settings of a function', () => {
  const FN: FunctionOptions = {
    name: 'fn',
    bundle: '/bundle.mjs',
    environment: {},
    log: '/dev/null',
    timeoutMs: 15_000,
    reservedConcurrency: 5,
  };

  it.each<[Partial<FunctionOptions>, string]>([
    [{ name: '' }, 'Invalid name "". It must be 1 to 64 letters, digits, hyphens and underscores.'],
    [{ name: 'a/b' }, 'Invalid name "a/b".'],
    [{ timeoutMs: 900_001 }, 'Invalid timeoutMs 900001. It must be whole seconds from 1000 to 900000.'],
    [{ timeoutMs: 1_500 }, 'Invalid timeoutMs 1500.'],
    [{ reservedConcurrency: -1 }, 'Invalid reservedConcurrency -1. It must be a whole number from 0, or "off".'],
    [
      { asynchronous: { maximumRetryAttempts: 3 } },
      'Invalid maximumRetryAttempts 3. It must be a whole number from 0 to 2.',
    ],
    [{ asynchronous: { maximumEventAgeSeconds: 59 } }, 'Invalid maximumEventAgeSeconds 59.'],
    [{ asynchronous: { maximumEventAgeSeconds: 21_601 } }, 'It must be a whole number from 60 to 21600.'],
    [{ asynchronous: { onFailure: 'none' } }, 'Invalid onFailure none. It must be the name of a function.'],
  ])('cannot be %j', async (settings, message) => {
    await expect(startLambda({ functions: [{ ...FN, ...settings }] })).rejects.toThrow(message);
  });

  it('cannot have the name of another function', async () => {
    await expect(startLambda({ functions: [FN, FN] })).rejects.toThrow(
      'Invalid name fn. It must be different from those of other functions.',
    );
  });
});
