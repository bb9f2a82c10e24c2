import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { execPath } from 'node:process';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestStack, type TestStack } from '../support/stack.ts';
import { issuer, local, ROOT } from './command.ts';

let stack: TestStack;
beforeAll(async () => {
  stack = await startTestStack({ environment: { CLIENT_LIMITS: '2/1d', GLOBAL_LIMITS: '1000/1d' } });
});
afterAll(() => stack.close());

const run = (...args: string[]) => issuer([...args, ...local(stack)]);
const json = async (...args: string[]) => JSON.parse((await run(...args, '--json')).out);

describe('pause', () => {
  it('binds on the very next request, which hears the words of the operator', async () => {
    expect((await stack.visit({ from: 10 })).status).toBe(200);
    const { code, out } = await run('pause', '--message', 'ja=正午に再開します。', 'en=Back at noon.');

    expect(code).toBe(0);
    expect(out).toContain('the next request gets no key');
    expect(out).toContain(`To go on: issuer resume ${local(stack).join(' ')}\n`);
    expect(await stack.visit({ from: 10, headers: { 'accept-language': 'ja' } })).toMatchObject({
      status: 403,
      json: { code: 'paused', detail: '正午に再開します。' },
    });
    expect((await stack.visit({ from: 11 })).json).toMatchObject({ code: 'paused', detail: 'Back at noon.' });
  });

  it('a second time changes nothing, and says who paused and since when', async () => {
    const first = await json('pause');
    const again = await issuer(['pause', '--json', ...local(stack)], {
      user: 'bob@desk',
      now: () => Date.now() + 3_600_000,
    });

    expect(JSON.parse(again.out)).toEqual({ ...first, changed: false });
    expect(first).toMatchObject({ by: 'ann@laptop', since: expect.any(Number) });
    expect((await run('pause')).out).toMatch(
      /^It was paused already: by ann@laptop since \d{4}-\d\d-\d\d \d\d:\d\d UTC\. That stands\./,
    );
  });

  it('a second time with words replaces those of one language', async () => {
    expect(await json('pause', '--message', 'en=Back at one.')).toMatchObject({
      changed: false,
      message: { ja: '正午に再開します。', en: 'Back at one.' },
    });
    expect((await stack.visit({ from: 11 })).json).toMatchObject({ detail: 'Back at one.' });
  });

  it('shows in the status', async () => {
    expect((await run('status')).out).toContain('PAUSED by ann@laptop since ');
  });

  it('--hard is refused on a local stack, which is left as it was', async () => {
    await run('resume');
    const { code, errors } = await run('pause', '--hard');

    expect(code).toBe(2);
    expect(errors).toContain('A local stack has no reserved concurrency');
    expect((await stack.visit({ from: 12 })).status).toBe(200);
  });
});

describe('resume', () => {
  it('binds on the very next request, and leaves no words behind', async () => {
    await run('pause', '--message', 'en=Old words.');
    expect(await json('resume')).toMatchObject({ changed: true, by: 'ann@laptop' });
    expect((await stack.visit({ from: 13 })).status).toBe(200);

    await run('pause');
    expect((await stack.visit({ from: 13 })).json).toMatchObject({ detail: 'This demo is paused at the moment.' });
    await run('resume');
  });

  it('where nobody paused changes nothing and says so', async () => {
    expect(await run('resume')).toEqual({ code: 0, out: 'It was not paused.\n', errors: '' });
  });
});

describe('block and unblock', () => {
  it('shut out one address, with the words of the operator, until unblocked', async () => {
    const { viewer, until } = await json('block', '127.0.0.20', '--for', '1d', '--message', 'en=Please write to us.');

    expect(until - Date.now()).toBeGreaterThan(86_000_000);
    expect((await stack.visit({ from: 20 })).json).toMatchObject({ code: 'blocked', detail: 'Please write to us.' });
    expect((await stack.visit({ from: 21 })).status).toBe(200);

    expect((await run('unblock', viewer)).out).toBe(`${viewer} may ask again, from the next request on.\n`);
    expect((await stack.visit({ from: 20 })).status).toBe(200);
  });

  it('take the pseudonym that status shows, in any case', async () => {
    const { viewer } = await json('unblock', '127.0.0.21');
    await run('block', viewer.toUpperCase(), '--for', '30m');

    expect((await stack.visit({ from: 21 })).json).toMatchObject({ code: 'blocked' });
    expect(await json('unblock', '::ffff:127.0.0.21')).toEqual({ viewer, changed: true });
    expect((await run('unblock', viewer)).out).toBe(`${viewer} was not blocked.\n`);
  });
});

describe('forget', () => {
  it('gives one viewer a fresh window, and leaves the limit for everybody as it is', async () => {
    await stack.visit({ from: 30 });
    await stack.visit({ from: 30 });
    const before = Object.entries(await stack.counters()).find(([key]) => key.startsWith('global#'));

    const { out } = await run('forget', '127.0.0.30');
    expect(out).toContain('has a fresh window (1 limit)');
    expect(Object.entries(await stack.counters()).find(([key]) => key.startsWith('global#'))).toEqual(before);
    expect((await stack.visit({ from: 30 })).status).toBe(200);
  });

  it('of a viewer who never called changes nothing and says so', async () => {
    expect((await run('forget', '2001:db8::1')).out).toContain('its window was fresh already');
  });
});

describe('doctor', () => {
  it('tries the key of a local stack', async () => {
    const { code, out } = await run('doctor', '--live');

    expect(code).toBe(0);
    expect(out).toContain('OpenAI makes keys for');
  });

  it('asks OpenAI for nothing without --live', async () => {
    const before = stack.openai?.heard();
    const report = await json('doctor');

    expect(report.checks.map(({ name, result }: { name: string; result: string }) => [name, result])).toEqual([
      ['node', 'pass'],
      ['parameter', 'pass'],
      ['openai-key', 'note'],
    ]);
    expect(stack.openai?.heard()).toEqual(before);
  });

  it('ends with 1 where OpenAI rejects the key, with the command that mends it', async () => {
    const fetch = () => Promise.resolve(Response.json({ error: { code: 'invalid_api_key' } }, { status: 401 }));
    const { code, out } = await issuer(['doctor', '--live', ...local(stack)], { fetch });

    expect(code).toBe(1);
    expect(out).toContain('OpenAI does not accept the key');
    expect(out).toContain('      aws ssm put-parameter --overwrite');
    expect(out).toMatch(/To be mended first: openai-key\.\n$/);
  });
});

describe('watch', () => {
  it('draws the status over itself until it is interrupted', async () => {
    const interrupted = new AbortController();
    let screens = '';
    const { code } = await issuer(['watch', '--every', '1', ...local(stack)], {
      signal: interrupted.signal,
      look: { pictures: true, colours: false },
      print: (text) => {
        screens += text;
        if (text.includes('Ctrl+C')) {
          interrupted.abort();
        }
      },
    });

    expect(code).toBe(0);
    expect(screens).toContain('\u001b[Hthe local stack');
    expect(screens).toContain('░');
  });

  it('in a pipe draws over nothing', async () => {
    const interrupted = new AbortController();
    const { out } = await issuerUntil(interrupted, ['watch', ...local(stack)]);

    expect(out).toMatch(/^the local stack.*\n\n$/s);
    expect(out).not.toContain('\u001b');
  });

  it('ends without a word when nobody reads it any more', async () => {
    const bin = join(ROOT, 'bin/issuer.ts');
    const child = spawn(execPath, [bin, 'watch', '--json', '--every', '1', ...local(stack)]);
    child.stdout.once('data', () => child.stdout.destroy());
    const [errors, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);

    expect({ code, errors }).toEqual({ code: 0, errors: '' });
  });

  it('with --json is a line each time', async () => {
    const interrupted = new AbortController();
    const { out } = await issuerUntil(interrupted, ['watch', '--json', ...local(stack)]);

    expect(JSON.parse(out)).toMatchObject({ switch: { paused: false } });
  });
});

async function issuerUntil(interrupted: AbortController, args: string[]) {
  let out = '';
  const { code } = await issuer(args, {
    signal: interrupted.signal,
    print: (text) => {
      out += text;
      interrupted.abort();
    },
  });
  return { code, out };
}
