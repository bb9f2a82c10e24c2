import { stdout } from 'node:process';
import { expect, it, vi } from 'vitest';
import { sessionEvent } from '../../support/events.ts';

// An environment without a table, so no AWS client is created.
vi.stubEnv('TABLE_NAME', undefined);
const written = vi.spyOn(stdout, 'write').mockReturnValue(true);
const { handler } = await import('../../../lambda/session/handler.ts');

it('starts anyway, and responds with misconfigured; only the log contains the reason', async () => {
  const { statusCode, body } = await handler(sessionEvent());
  expect(statusCode).toBe(500);
  expect(JSON.parse(body)).toMatchObject({ code: 'misconfigured' });
  expect(body).not.toContain('TABLE_NAME');
  expect(written.mock.lastCall?.[0]).toContain('TABLE_NAME is not set. For example: ');
});

it('accepts a preflight, without which a page of another origin could not read the error that follows', async () => {
  expect(await handler(sessionEvent({ method: 'OPTIONS' }))).toMatchObject({ statusCode: 204 });
});

it.each([undefined, null, 7, {}, { headers: 7 }])('responds to any event: %j', async (event) => {
  expect(await handler(event)).toMatchObject({ statusCode: 500 });
});
