import { stdout } from 'node:process';
import { expect, it, vi } from 'vitest';
import { sessionEvent } from '../../support/events.ts';

// An environment without a table: no client of AWS is built.
vi.stubEnv('TABLE_NAME', undefined);
const written = vi.spyOn(stdout, 'write').mockReturnValue(true);
const { handler } = await import('../../../lambda/session/handler.ts');

it('starts all the same, and answers that it is misconfigured; only the log says why', async () => {
  const { statusCode, body } = await handler(sessionEvent());
  expect(statusCode).toBe(500);
  expect(JSON.parse(body)).toMatchObject({ code: 'misconfigured' });
  expect(body).not.toContain('TABLE_NAME');
  expect(written.mock.lastCall?.[0]).toContain('TABLE_NAME is not set. A right value: ');
});

it('lets a preflight pass: without it, a page elsewhere could not read the refusal that follows', async () => {
  expect(await handler(sessionEvent({ method: 'OPTIONS' }))).toMatchObject({ statusCode: 204 });
});

it.each([undefined, null, 7, {}, { headers: 7 }])('answers whatever it is sent: %j', async (event) => {
  expect(await handler(event)).toMatchObject({ statusCode: 500 });
});
