import { describe, expect, it } from 'vitest';
import { parseFailure } from '../../../../local/aws/lambda/parse-failure.ts';
import { eventually, startScriptedLambda } from './scripted-lambda.ts';

async function start() {
  const scripted = await startScriptedLambda();
  const control = (method: string, body?: object) =>
    fetch(`${scripted.lambda.endpoint}/control`, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  return { ...scripted, control };
}

describe('the route /control', () => {
  it('reports what was invoked: how often, the size of the payload, and each attempt', async () => {
    const { control, invoke, ask } = await start();
    await ask({ call: 1 });
    await expect(invoke({}, { FunctionName: 'none' })).rejects.toThrow();
    expect(await (await control('GET')).json()).toEqual({
      requests: 1,
      accepted: 1,
      latest: [
        {
          requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
          function: 'fn',
          invocationType: 'RequestResponse',
          payloadBytes: 10,
          attempts: ['succeeded'],
          discarded: [],
        },
      ],
    });
  });

  it('remembers the last hundred events', async () => {
    const { lambda, queue } = await start();
    lambda.tell({ mode: 'lose' });
    for (let call = 1; call <= 101; call += 1) {
      await queue('x'.repeat(call));
    }
    const { accepted, latest } = lambda.heard();
    expect(accepted).toBe(101);
    expect(latest.map(({ payloadBytes }) => payloadBytes - 2)).toEqual(
      Array.from({ length: 100 }, (_, index) => index + 2),
    );
  });

  it('sets a failure', async () => {
    const { control, queue } = await start();
    const response = await control('PUT', { mode: 'server_error', times: 1 });
    expect(await response.json()).toEqual({ mode: 'server_error', times: 1 });
    await expect(queue({})).rejects.toMatchObject({ name: 'ServiceException' });
    expect((await queue({})).StatusCode).toBe(202);
  });

  it('crashes containers', async () => {
    const { control, invoke, lambda } = await start();
    const hanging = invoke({ way: 'hang' });
    await eventually(() => expect(lambda.heard().latest[0]?.attempts).toEqual(['running']));
    expect((await control('POST', { action: 'crash', function: 'fn' })).status).toBe(204);
    expect((await hanging).Payload).toContain('signal: killed');
  });

  it('resets failures and record', async () => {
    const { control, lambda, queue } = await start();
    lambda.tell({ mode: 'lose' });
    await queue({});
    lambda.tell({ mode: 'access_denied' });
    expect((await control('DELETE')).status).toBe(204);
    expect(lambda.heard()).toEqual({ requests: 0, accepted: 0, latest: [] });
    expect((await queue({})).StatusCode).toBe(202);
  });

  it.each([
    ['PUT', { mode: 'broken' }, '"mode" must be one of ok, throttled, access_denied,'],
    ['POST', { action: 'stop' }, '"action" must be "crash".'],
    ['POST', { action: 'crash', function: 'none' }, 'There is no function none. Functions: fn.'],
  ])('refuses %s with %j', async (method, body, message) => {
    const { control } = await start();
    const response = await control(method, body);
    expect(response.status).toBe(400);
    expect(await response.text()).toContain(message);
  });

  it('allows no other method', async () => {
    const { control } = await start();
    const response = await control('PATCH');
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, PUT, POST, DELETE']);
  });
});

describe('a failure in JSON', () => {
  it.each([
    { mode: 'ok' },
    { mode: 'throttled', times: 1, function: 'supervisor' },
    { mode: 'duplicate', copies: 3, delayMs: 2_000 },
    { mode: 'delay', delayMs: 22_000_000 },
    { mode: 'crash', afterMs: 0 },
  ])('can be %j', (failure) => {
    expect(parseFailure(JSON.stringify(failure))).toEqual({ failure });
  });

  it.each([
    ['', '"mode" must be one of ok,'],
    ['[]', '"mode" must be one of ok,'],
    ['{"mode":"toString"}', '"mode" must be one of ok,'],
    ['{"mode":"ok","times":1}', '"times" is not a setting of the mode ok.'],
    ['{"mode":"lose","delayMs":1}', '"delayMs" is not a setting of the mode lose.'],
    ['{"mode":"lose","constructor":1}', '"constructor" is not a setting of the mode lose.'],
    ['{"mode":"lose","times":0}', `"times" must be a whole number from 1 to ${Number.MAX_SAFE_INTEGER}.`],
    ['{"mode":"lose","function":1}', '"function" must be the name of a function.'],
    ['{"mode":"duplicate","copies":1}', '"copies" must be a whole number from 2 to 100.'],
    ['{"mode":"delay"}', 'The mode delay needs "delayMs".'],
    ['{"mode":"crash","afterMs":-1}', '"afterMs" must be a whole number from 0 to 900000.'],
  ])('cannot be %s', (json, complaint) => {
    expect(parseFailure(json)).toEqual({ complaint: expect.stringContaining(complaint) });
  });
});
