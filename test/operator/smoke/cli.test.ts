import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { execPath } from 'node:process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listen } from '../../../local/http/http-server.ts';
import { startTestStack, type TestStack } from '../../support/stack.ts';
import { issuer } from '../command.ts';

let stack: TestStack;
beforeAll(async () => {
  stack = await startTestStack();
});
afterAll(() => stack.close());

async function run(...args: string[]) {
  const child = spawn(execPath, [join(import.meta.dirname, '../../../bin/issuer.ts'), 'smoke', ...args]);
  let [out, errors] = ['', ''];
  child.stdout.on('data', (text: Buffer) => {
    out += text;
  });
  child.stderr.on('data', (text: Buffer) => {
    errors += text;
  });
  const [code] = await once(child, 'close');
  return { code, out, errors };
}

describe('issuer smoke, which is npm run smoke', () => {
  it('ends with 0 where nothing failed, and says how many keys it used', async () => {
    const { code, out, errors } = await run(stack.addresses.url);

    expect({ code, errors }).toEqual({ code: 0, errors: '' });
    expect(out).toMatch(/^ {2}ok {4}page /);
    expect(out).toMatch(/Nothing failed\. 1\d passed, \d notes\. 2 keys were used\.\n$/);
  });

  it('takes the URL of the API too', async () => {
    expect((await run(`${stack.addresses.url}/session`)).code).toBe(0);
  });

  it('with --json prints the report as one line', async () => {
    const { code, out } = await run(stack.addresses.url, '--json');

    expect(code).toBe(0);
    expect(out.trim().split('\n')).toHaveLength(1);
    expect(JSON.parse(out)).toMatchObject({ url: stack.addresses.url, passed: true, keysUsed: 2 });
  });

  it('ends with 1 where something failed', async () => {
    const { code, out } = await run(stack.addresses.url, '--origin', 'https://not-on-the-list.example');

    expect(code).toBe(1);
    expect(out).toContain('Failed: allowed-origin.');
  });

  it('ends with 1 where nobody listens, and says so at once', async () => {
    const server = await listen(() => undefined);
    await server.close();
    const { code, out } = await run(server.origin);

    expect(code).toBe(1);
    expect(out).toContain(`Nothing answers at ${server.origin}: connect ECONNREFUSED`);
    expect(out).toContain('      npm start');
  });

  it('ends with 1 where the name does not exist', async () => {
    const { code, out } = await run('https://nobody.invalid');

    expect(code).toBe(1);
    expect(out).toContain('Nothing answers at https://nobody.invalid');
  });

  it('gives up after --timeout', async () => {
    const server = await listen(() => undefined);
    const { code, out } = await run(server.origin, '--timeout', '1');
    await server.close();

    expect(code).toBe(1);
    expect(out).toContain('nothing within 1 s');
  });

  it('with --help tells what it costs before it costs it', async () => {
    const { code, out } = await run('--help');

    expect(code).toBe(0);
    expect(out).toContain('It costs two keys');
    expect(out).toContain('issuer smoke https://d111111abcdef8.cloudfront.net');
  });

  it.each([
    [[], "missing required argument 'URL'"],
    [
      ['https://a.example', 'https://b.example'],
      '"https://b.example" is one argument too many: smoke takes URL alone.',
    ],
    [['d111111abcdef8.cloudfront.net'], 'A right value: https://d111111abcdef8.cloudfront.net'],
    [['ftp://demo.example'], 'is not a URL'],
    [['http://demo.example'], 'must be https'],
    [['https://demo.example/other'], 'must be the site alone'],
    [['https://demo.example/?a=1'], 'must be the site alone'],
    [['https://demo.example', '--timeout', '0'], 'A right value: --timeout 25'],
    [['https://demo.example', '--timeout', '1e2'], 'A right value: --timeout 25'],
    [['https://demo.example', '--timeout', '121'], 'A right value: --timeout 25'],
    [['https://demo.example', '--origin', 'shop.example'], 'A right value: --origin https://www.example.com'],
    [['https://demo.example', '--origin', 'https://shop.example/'], 'is not an origin'],
    [['https://demo.example', '--origin', 'https://*.example'], 'wildcard'],
    [['https://demo.example', '--origin', ''], 'must be one origin'],
    [['https://demo.example', '--function-url', 'abc'], 'A right value: https://abc123.lambda-url.'],
    [['https://demo.example', '--verbose'], "unknown option '--verbose'"],
    [['https://demo.example', '--origin'], "option '--origin <ORIGIN>' argument missing"],
  ])('with %j ends with 2 and a sentence, having asked nobody', async (args, sentence) => {
    const { code, out, errors } = await issuer(['smoke', ...args]);

    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(errors).toContain(sentence);
  });
});
