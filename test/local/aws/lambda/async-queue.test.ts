import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Attempt, createAsyncQueue, type RetrySettings } from '../../../../local/aws/lambda/async-queue.ts';
import { createFakeClock } from '../../../resilience/fake-clock.ts';

type Kind = Attempt['kind'];

const EVENT = { requestId: 'a-request', payload: { call: 1 } };
const DAY_MS = 86_400_000;

const ATTEMPTS: Readonly<Record<Kind, Attempt>> = {
  succeeded: { kind: 'succeeded', result: null },
  failed: { kind: 'failed', error: { errorType: 'Error', errorMessage: 'a bug' } },
  throttled: { kind: 'throttled' },
  switched_off: { kind: 'switched_off' },
};

/** Attempts end as the list says, and after it as its last entry. `60 failed`: after 60 seconds, an attempt failed. */
function start(kinds: readonly Kind[], settings: RetrySettings = {}, attemptMs = 0) {
  const clock = createFakeClock();
  const attempts: string[] = [];
  const discarded: string[] = [];
  const second = () => clock.now() / 1_000;
  const queue = createAsyncQueue({
    ...settings,
    clock,
    attempt(event) {
      expect(event).toBe(EVENT);
      const kind = kinds[attempts.length] ?? kinds.at(-1) ?? 'succeeded';
      attempts.push(`${second()} ${kind}`);
      return attemptMs === 0
        ? Promise.resolve(ATTEMPTS[kind])
        : new Promise((resolve) => clock.after(attemptMs, () => resolve(ATTEMPTS[kind])));
    },
    discard({ event, condition, invokeCount, last }) {
      expect(event).toBe(EVENT);
      discarded.push(`${second()} ${condition} after ${invokeCount} runs, last ${last?.kind}`);
    },
  });
  return { clock, queue, attempts, discarded };
}

/** One event, until nothing more can happen to it. */
async function fate(kinds: readonly Kind[], settings?: RetrySettings, attemptMs?: number) {
  const { clock, queue, attempts, discarded } = start(kinds, settings, attemptMs);
  queue.accept(EVENT);
  await clock.advance(DAY_MS);
  expect(clock.running()).toBe(0);
  return { attempts, discarded };
}

function secondOf(text = ''): number {
  return Number.parseInt(text, 10);
}

describe('an event that succeeds', () => {
  it('is delivered once', async () => {
    expect(await fate(['succeeded'])).toEqual({ attempts: ['0 succeeded'], discarded: [] });
  });

  it('is delivered again after one minute, then after two more, if the function fails before', async () => {
    expect(await fate(['failed', 'failed', 'succeeded'])).toEqual({
      attempts: ['0 failed', '60 failed', '180 succeeded'],
      discarded: [],
    });
  });
});

describe('MaximumRetryAttempts', () => {
  it.each<[number | undefined, number[]]>([
    [0, [0]],
    [1, [0, 60]],
    [2, [0, 60, 180]],
    [undefined, [0, 60, 180]],
  ])('%s: a function that always fails runs at %j s', async (maximumRetryAttempts, seconds) => {
    const { attempts, discarded } = await fate(['failed'], { maximumRetryAttempts });
    expect(attempts).toEqual(seconds.map((second) => `${second} failed`));
    expect(discarded).toEqual([`${seconds.at(-1)} RetriesExhausted after ${seconds.length} runs, last failed`]);
  });

  it('does not count throttled attempts, whose waits begin anew after each run', async () => {
    expect(await fate(['throttled', 'throttled', 'failed', 'throttled', 'failed', 'failed'])).toEqual({
      attempts: ['0 throttled', '1 throttled', '3 failed', '63 throttled', '64 failed', '184 failed'],
      discarded: ['184 RetriesExhausted after 3 runs, last failed'],
    });
  });

  it('waits from the end of an attempt', async () => {
    const { attempts } = await fate(['failed'], {}, 10_000);
    expect(attempts.map(secondOf)).toEqual([0, 70, 200]);
  });
});

describe('a throttled event', () => {
  it('is delivered again after 1, 2, 4, … seconds, and every 5 minutes in the end', async () => {
    const { attempts } = await fate(['throttled']);
    const seconds = attempts.map(secondOf);
    const waits = seconds.slice(1).map((second, index) => second - (seconds[index] ?? 0));
    expect(waits.slice(0, 12)).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300]);
  });

  it('is discarded within 6 hours', async () => {
    const { attempts, discarded } = await fate(['throttled']);
    expect(attempts.at(-1)).toBe('21511 throttled');
    expect(discarded).toEqual(['21511 EventAgeExceeded after 0 runs, last throttled']);
  });

  it('runs as soon as an attempt finds a place', async () => {
    const { attempts } = await fate(['throttled', 'throttled', 'succeeded']);
    expect(attempts).toEqual(['0 throttled', '1 throttled', '3 succeeded']);
  });
});

describe('MaximumEventAge', () => {
  it('60 s leaves no time for the retry after a minute, as LocalStack has recorded on AWS', async () => {
    expect(await fate(['failed'], { maximumEventAgeSeconds: 60 })).toEqual({
      attempts: ['0 failed'],
      discarded: ['0 EventAgeExceeded after 1 runs, last failed'],
    });
  });

  it('90 s leaves time for one, as LocalStack has recorded on AWS', async () => {
    expect(await fate(['failed'], { maximumEventAgeSeconds: 90 })).toEqual({
      attempts: ['0 failed', '60 failed'],
      discarded: ['60 EventAgeExceeded after 2 runs, last failed'],
    });
  });

  it('ends the retries of a throttled event', async () => {
    const { attempts, discarded } = await fate(['throttled'], { maximumEventAgeSeconds: 60 });
    expect(attempts.map(secondOf)).toEqual([0, 1, 3, 7, 15, 31]);
    expect(discarded).toEqual(['31 EventAgeExceeded after 0 runs, last throttled']);
  });

  it('discards an event that is delivered too late, without an attempt', async () => {
    const { clock, queue, attempts, discarded } = start(['succeeded'], { maximumEventAgeSeconds: 60 });
    queue.accept(EVENT, 60_000);
    await clock.advance(DAY_MS);
    expect(attempts).toEqual([]);
    expect(discarded).toEqual(['60 EventAgeExceeded after 0 runs, last undefined']);
  });

  it('does not end an attempt that has begun', async () => {
    const { attempts, discarded } = await fate(['succeeded'], { maximumEventAgeSeconds: 60 }, 600_000);
    expect({ attempts, discarded }).toEqual({ attempts: ['0 succeeded'], discarded: [] });
  });
});

it('a function that is switched off gets nothing, and its events are discarded at once', async () => {
  expect(await fate(['switched_off'])).toEqual({
    attempts: ['0 switched_off'],
    discarded: ['0 ZeroReservedConcurrency after 0 runs, last switched_off'],
  });
});

it('an event that was accepted with a delay is delivered after it', async () => {
  const { clock, queue, attempts } = start(['succeeded']);
  queue.accept(EVENT, 5_000);
  queue.accept(EVENT);
  await clock.advance(DAY_MS);
  expect(attempts).toEqual(['0 succeeded', '5 succeeded']);
});

describe('after close', () => {
  it('nothing that waits is delivered or discarded', async () => {
    const { clock, queue, attempts, discarded } = start(['failed']);
    queue.accept(EVENT);
    queue.accept(EVENT, 5_000);
    await clock.advance(1_000);
    expect(clock.running()).toBe(2);
    queue.close();
    expect(clock.running()).toBe(0);
    await clock.advance(DAY_MS);
    expect({ attempts, discarded }).toEqual({ attempts: ['0 failed'], discarded: [] });
  });

  it('an attempt in progress has no consequences', async () => {
    const { clock, queue, attempts, discarded } = start(['failed'], { maximumRetryAttempts: 0 }, 10_000);
    queue.accept(EVENT);
    await clock.advance(5_000);
    queue.close();
    await clock.advance(DAY_MS);
    expect({ attempts, discarded }).toEqual({ attempts: ['0 failed'], discarded: [] });
  });
});

it('whatever happens, an event ends once: it succeeds, or it is discarded within its age after its last attempt', async () => {
  const kinds = fc.array(fc.constantFrom<Kind>('succeeded', 'failed', 'throttled', 'switched_off'), { maxLength: 8 });
  const settings = fc.record({
    maximumRetryAttempts: fc.integer({ min: 0, max: 2 }),
    maximumEventAgeSeconds: fc.integer({ min: 60, max: 21_600 }),
  });
  await fc.assert(
    fc.asyncProperty(kinds, settings, async (outcomes, { maximumRetryAttempts, maximumEventAgeSeconds }) => {
      const { attempts, discarded } = await fate([...outcomes, 'succeeded'], {
        maximumRetryAttempts,
        maximumEventAgeSeconds,
      });
      const succeeded = attempts.filter((attempt) => attempt.endsWith('succeeded')).length;
      const runs = attempts.filter((attempt) => /succeeded|failed/.test(attempt)).length;
      expect(succeeded + discarded.length).toBe(1);
      expect(runs).toBeLessThanOrEqual(1 + maximumRetryAttempts);
      expect(attempts.every((attempt) => secondOf(attempt) < maximumEventAgeSeconds)).toBe(true);
      expect(discarded.map(secondOf)).toEqual(discarded.map(() => secondOf(attempts.at(-1))));
    }),
    { numRuns: 200 },
  );
});
