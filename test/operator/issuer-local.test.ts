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
  it('takes effect with the next request, which gets the message of the operator', async () => {
    expect((await stack.visit({ from: 10 })).status).toBe(200);
    const { code, out } = await run('pause', '--message', 'ja=正午に再開します。', 'en=Back at noon.');

    expect(code).toBe(0);
    expect(out).toContain(', effective with the next request. No keys are issued.');
    expect(out).toContain(`To resume: issuer resume ${local(stack).join(' ')}\n`);
    expect(await stack.visit({ from: 10, headers: { 'accept-language': 'ja' } })).toMatchObject({
      status: 403,
      json: { code: 'paused', detail: '正午に再開します。' },
    });
    expect((await stack.visit({ from: 11 })).json).toMatchObject({ code: 'paused', detail: 'Back at noon.' });
  });

  it('a second time changes nothing, and reports who paused and since when', async () => {
    const first = await json('pause');
    const again = await issuer(['pause', '--json', ...local(stack)], {
      user: 'bob@desk',
      now: () => Date.now() + 3_600_000,
    });

    expect(JSON.parse(again.out)).toEqual({ ...first, changed: false });
    expect(first).toMatchObject({ by: 'ann@laptop', since: expect.any(Number) });
    expect((await run('pause')).out).toMatch(
      /^Already paused by ann@laptop since \d{4}-\d\d-\d\d \d\d:\d\d UTC\. Author and time are unchanged\./,
    );
  });

  it('a second time with a message replaces the message in that language', async () => {
    expect(await json('pause', '--message', 'en=Back at one.')).toMatchObject({
      changed: false,
      message: { ja: '正午に再開します。', en: 'Back at one.' },
    });
    expect((await stack.visit({ from: 11 })).json).toMatchObject({ detail: 'Back at one.' });
  });

  it('shows in the status', async () => {
    expect((await run('status')).out).toContain('PAUSED by ann@laptop since ');
  });

  it('--hard is refused for a local stack, which stays unchanged', async () => {
    await run('resume');
    const { code, errors } = await run('pause', '--hard');

    expect(code).toBe(2);
    expect(errors).toContain('a local stack has no reserved concurrency');
    expect((await stack.visit({ from: 12 })).status).toBe(200);
  });
});

describe('resume', () => {
  it('takes effect with the next request, and deletes the message', async () => {
    await run('pause', '--message', 'en=Old message.');
    expect(await json('resume')).toMatchObject({ changed: true, by: 'ann@laptop' });
    expect((await stack.visit({ from: 13 })).status).toBe(200);

    await run('pause');
    expect((await stack.visit({ from: 13 })).json).toMatchObject({ detail: 'This demo is paused at the moment.' });
    await run('resume');
  });

  it('of an issuer that is not paused changes nothing and says so', async () => {
    expect(await run('resume')).toEqual({ code: 0, out: 'It was not paused.\n', errors: '' });
  });
});

describe('block and unblock', () => {
  it('block one address, with the message of the operator, until it is unblocked', async () => {
    const { viewer, until } = await json('block', '127.0.0.20', '--for', '1d', '--message', 'en=Please write to us.');

    expect(until - Date.now()).toBeGreaterThan(86_000_000);
    expect((await stack.visit({ from: 20 })).json).toMatchObject({ code: 'blocked', detail: 'Please write to us.' });
    expect((await stack.visit({ from: 21 })).status).toBe(200);

    expect((await run('unblock', viewer)).out).toBe(`Unblocked ${viewer}, effective with the next request.\n`);
    expect((await stack.visit({ from: 20 })).status).toBe(200);
  });

  it('take the pseudonym that status shows, in upper or lower case', async () => {
    const { viewer } = await json('unblock', '127.0.0.21');
    await run('block', viewer.toUpperCase(), '--for', '30m');

    expect((await stack.visit({ from: 21 })).json).toMatchObject({ code: 'blocked' });
    expect(await json('unblock', '::ffff:127.0.0.21')).toEqual({ viewer, changed: true });
    expect((await run('unblock', viewer)).out).toBe(`${viewer} was not blocked.\n`);
  });
});

describe('forget', () => {
  it('resets the limits of one viewer, and does not change the limit for everybody', async () => {
    await stack.visit({ from: 30 });
    await stack.visit({ from: 30 });
    const before = Object.entries(await stack.counters()).find(([key]) => key.startsWith('global#'));

    const { out } = await run('forget', '127.0.0.30');
    expect(out).toContain('Reset 1 limit of ');
    expect(Object.entries(await stack.counters()).find(([key]) => key.startsWith('global#'))).toEqual(before);
    expect((await stack.visit({ from: 30 })).status).toBe(200);
  });

  it('of a viewer who never called changes nothing and says so', async () => {
    expect((await run('forget', '2001:db8::1')).out).toContain('Nothing to reset: no limit has counted a key for ');
  });
});

describe('doctor', () => {
  it('tests the key of a local stack', async () => {
    const { code, out } = await run('doctor', '--live');

    expect(code).toBe(0);
    expect(out).toContain('The key works: OpenAI created an ephemeral key for');
  });

  it('sends no request to OpenAI without --live', async () => {
    const before = stack.openai?.heard();
    const report = await json('doctor');

    expect(report.checks.map(({ name, result }: { name: string; result: string }) => [name, result])).toEqual([
      ['node', 'pass'],
      ['parameter', 'pass'],
      ['openai-key', 'note'],
    ]);
    expect(stack.openai?.heard()).toEqual(before);
  });

  it('exits with 1 if OpenAI rejects the key, with the command that fixes it', async () => {
    const fetch = () => Promise.resolve(Response.json({ error: { code: 'invalid_api_key' } }, { status: 401 }));
    const { code, out } = await issuer(['doctor', '--live', ...local(stack)], { fetch });

    expect(code).toBe(1);
    expect(out).toContain('OpenAI rejected the key');
    expect(out).toContain('      aws ssm put-parameter --overwrite');
    expect(out).toMatch(/Fix before you deploy: openai-key\.\n$/);
  });
});

describe('watch', () => {
  it('draws each status over the last one until it is interrupted', async () => {
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

  it('in a pipe prints one status after the other', async () => {
    const interrupted = new AbortController();
    const { out } = await issuerUntil(interrupted, ['watch', ...local(stack)]);

    expect(out).toMatch(/^the local stack.*\n\n$/s);
    expect(out).not.toContain('\u001b');
  });

  it('exits without an error message when its pipe is closed', async () => {
    const bin = join(ROOT, 'bin/issuer.ts');
    const child = spawn(execPath, [bin, 'watch', '--json', '--every', '1', ...local(stack)]);
    child.stdout.once('data', () => child.stdout.destroy());
    const [errors, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);

    expect({ code, errors }).toEqual({ code: 0, errors: '' });
  });

  it('with --json prints one line each time', async () => {
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
