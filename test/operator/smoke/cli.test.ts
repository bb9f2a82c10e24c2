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
  it('exits with 0 if nothing failed, and reports how many keys it used', async () => {
    const { code, out, errors } = await run(stack.addresses.url);

    expect({ code, errors }).toEqual({ code: 0, errors: '' });
    expect(out).toMatch(/^ {2}ok {4}page /);
    expect(out).toMatch(/Nothing failed\. 1\d passed, \d notes\. 2 keys were used\.\n$/);
  });

  it('accepts the URL of the API too', async () => {
    expect((await run(`${stack.addresses.url}/session`)).code).toBe(0);
  });

  it('with --json prints the report as one line', async () => {
    const { code, out } = await run(stack.addresses.url, '--json');

    expect(code).toBe(0);
    expect(out.trim().split('\n')).toHaveLength(1);
    expect(JSON.parse(out)).toMatchObject({ url: stack.addresses.url, passed: true, keysUsed: 2 });
  });

  it('exits with 1 if a check failed', async () => {
    const { code, out } = await run(stack.addresses.url, '--origin', 'https://not-on-the-list.example');

    expect(code).toBe(1);
    expect(out).toContain('Failed: allowed-origin.');
  });

  it('exits with 1 at once if the connection is refused', async () => {
    const server = await listen(() => undefined);
    await server.close();
    const { code, out } = await run(server.origin);

    expect(code).toBe(1);
    expect(out).toContain(`No response from ${server.origin}: connect ECONNREFUSED`);
    expect(out).toContain('      npm start');
  });

  it('exits with 1 if the host does not exist', async () => {
    const { code, out } = await run('https://nobody.invalid');

    expect(code).toBe(1);
    expect(out).toContain('No response from https://nobody.invalid');
  });

  it('stops waiting after --timeout', async () => {
    const server = await listen(() => undefined);
    const { code, out } = await run(server.origin, '--timeout', '1');
    await server.close();

    expect(code).toBe(1);
    expect(out).toContain('timeout after 1 s');
  });

  it('with --help says how many keys it uses', async () => {
    const { code, out } = await run('--help');

    expect(code).toBe(0);
    expect(out).toContain('The check uses two keys');
    expect(out).toContain('issuer smoke https://d111111abcdef8.cloudfront.net');
  });

  it.each([
    [[], "missing required argument 'URL'"],
    [['https://a.example', 'https://b.example'], 'Unexpected argument "https://b.example": smoke takes only URL.'],
    [['d111111abcdef8.cloudfront.net'], 'For example: https://d111111abcdef8.cloudfront.net'],
    [['ftp://demo.example'], 'is not an http or https URL'],
    [['http://demo.example'], 'it must begin with https://'],
    [['https://demo.example/other'], 'it must be the URL of the site, without a path, query or credentials'],
    [['https://demo.example/?a=1'], 'it must be the URL of the site, without a path, query or credentials'],
    [['https://demo.example', '--timeout', '0'], 'For example: --timeout 25'],
    [['https://demo.example', '--timeout', '1e2'], 'For example: --timeout 25'],
    [['https://demo.example', '--timeout', '121'], 'For example: --timeout 25'],
    [['https://demo.example', '--origin', 'shop.example'], 'For example: --origin https://www.example.com'],
    [['https://demo.example', '--origin', 'https://shop.example/'], 'is not an origin'],
    [['https://demo.example', '--origin', 'https://*.example'], 'wildcard'],
    [['https://demo.example', '--origin', ''], 'it must be one origin'],
    [['https://demo.example', '--function-url', 'abc'], 'For example: --function-url https://abc123.lambda-url.'],
    [['https://demo.example', '--verbose'], "unknown option '--verbose'"],
    [['https://demo.example', '--origin'], "option '--origin <ORIGIN>' argument missing"],
  ])('with %j exits with 2 and an error message, without a request', async (args, sentence) => {
    const { code, out, errors } = await issuer(['smoke', ...args]);

    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(errors).toContain(sentence);
  });
});
