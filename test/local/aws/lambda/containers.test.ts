import { describe, expect, it, vi } from 'vitest';
import { createFakeClock } from '../../../resilience/fake-clock.ts';
import { type Answered, eventually, startScriptedLambda } from './scripted-lambda.ts';

const SHARED = { functions: { fn: { oneAtATime: false } } };

/** Two events that are in progress at the same time, and then a third. */
async function containersOfThree(options?: Parameters<typeof startScriptedLambda>[0]): Promise<readonly Answered[]> {
  const { ask, release, lambda, folder } = await startScriptedLambda(options);
  const file = `${folder}/go`;
  const two = [ask({ way: 'wait', file }), ask({ way: 'wait', file })];
  await eventually(() =>
    expect(lambda.heard().latest.map(({ attempts }) => attempts)).toEqual([['running'], ['running']]),
  );
  await release(file);
  return [...(await Promise.all(two)), await ask({})];
}

describe('a container', () => {
  it('has its own environment variables, and no other', async () => {
    const { ask } = await startScriptedLambda();
    expect((await ask({})).environment).toEqual({ NAME: 'fn' });
  });

  it('knows the time that is left until the timeout', async () => {
    const { ask } = await startScriptedLambda({ functions: { fn: { timeoutMs: 900_000 } } });
    const { remainingMs } = await ask({});
    expect(remainingMs).toBeGreaterThan(890_000);
    expect(remainingMs).toBeLessThanOrEqual(900_000);
  });

  it('that cannot import its bundle fails the event with the reason', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const { invoke } = await startScriptedLambda({ functions: { fn: { bundle: '/no/such/bundle.mjs' } } });
    const { FunctionError, Payload } = await invoke({});
    expect(FunctionError).toBe('Unhandled');
    expect(JSON.parse(Payload ?? '')).toMatchObject({ errorMessage: expect.stringContaining('/no/such/bundle.mjs') });
    vi.restoreAllMocks();
  });
});

describe('with oneAtATime', () => {
  it('events at the same time have a container each, and the next event has one of them', async () => {
    const [one, other, next] = await containersOfThree();
    expect(one?.container).not.toBe(other?.container);
    expect([one?.container, other?.container]).toContain(next?.container);
    expect([one, other, next].map((answered) => answered?.handled)).toEqual([1, 1, 2]);
  });

  it('an exception leaves the container', async () => {
    const { ask, invoke } = await startScriptedLambda();
    await invoke({ way: 'throw' });
    expect((await ask({})).handled).toBe(2);
  });

  it('a timeout ends the container', async () => {
    const clock = createFakeClock();
    const { ask, invoke, lambda, log } = await startScriptedLambda({
      clock,
      functions: { fn: { timeoutMs: 900_000 } },
    });
    const { container } = await ask({});
    const hanging = invoke({ way: 'hang' });
    await eventually(() => expect(lambda.heard().latest.at(-1)?.attempts).toEqual(['running']));
    await eventually(() => expect(clock.running()).toBe(1));
    await clock.advance(899_999);
    expect(clock.running()).toBe(1);
    await clock.advance(1);
    expect(JSON.parse((await hanging).Payload ?? '')).toEqual({
      errorType: 'Sandbox.Timedout',
      errorMessage: expect.stringMatching(/^RequestId: \S+ Error: Task timed out after 900\.00 seconds$/),
    });
    const next = await ask({});
    expect(next).toMatchObject({ handled: 1 });
    expect(next.container).not.toBe(container);
    expect(await log('fn')).toMatch(/^\S+Z \S+ Task timed out after 900\.00 seconds$/m);
  });

  it('an exit ends the container', async () => {
    const { ask, invoke } = await startScriptedLambda();
    const { container } = await ask({});
    const { Payload } = await invoke({ way: 'exit', code: 3 });
    expect(Payload).toContain('Error: Runtime exited with error: exit status 3');
    expect((await ask({})).container).not.toBe(container);
  });
});

describe('without oneAtATime', () => {
  it('all events have the same container', async () => {
    const [one, other, next] = await containersOfThree(SHARED);
    expect(new Set([one, other, next].map((answered) => answered?.container)).size).toBe(1);
    expect(next?.handled).toBe(3);
  });

  it('the duplicates of an event end each for itself, though they have the same request id', async () => {
    const { queue, lambda } = await startScriptedLambda(SHARED);
    lambda.tell({ mode: 'duplicate', times: 1 });
    await queue({});
    await eventually(() => expect(lambda.heard().latest[0]?.attempts).toEqual(['succeeded', 'succeeded']));
  });

  it('a timeout leaves the container, because it handles other events', async () => {
    const clock = createFakeClock();
    const { ask, invoke, lambda } = await startScriptedLambda({ clock, ...SHARED });
    const { container } = await ask({});
    const hanging = invoke({ way: 'hang' });
    await eventually(() => expect(lambda.heard().latest.at(-1)?.attempts).toEqual(['running']));
    await eventually(() => expect(clock.running()).toBe(1));
    await clock.advance(15_000);
    expect((await hanging).Payload).toContain('Task timed out after 15.00 seconds');
    expect((await ask({})).container).toBe(container);
  });

  it('an exit fails all events in progress, and the next one starts a new container', async () => {
    const { ask, invoke, lambda } = await startScriptedLambda(SHARED);
    const { container } = await ask({});
    const hanging = invoke({ way: 'hang' });
    await eventually(() => expect(lambda.heard().latest.at(-1)?.attempts).toEqual(['running']));
    await invoke({ way: 'exit', code: 1 });
    expect((await hanging).Payload).toContain('Runtime exited with error: exit status 1');
    expect((await ask({})).container).not.toBe(container);
  });
});
