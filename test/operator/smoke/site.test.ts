import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { renderCheck, renderSummary } from '../../../operator/smoke/report.ts';
import { runSmoke, type SmokeReport } from '../../../operator/smoke/smoke.ts';
import type { TestStack } from '../../support/stack.ts';
import { isMint, type Saboteur, sabotage } from './sabotaged-site.ts';
import { always, honest, onKeys, problem, withBody, withHeaders } from './saboteurs.ts';
import { checkIn, namesOf, smoke, startRoomyStack } from './smoked.ts';

let stack: TestStack;
beforeAll(async () => {
  stack = await startRoomyStack();
});
afterAll(() => stack.close());

const textOf = (report: SmokeReport) =>
  [...report.checks.map((check) => renderCheck(check, false)), renderSummary(report)].join('\n');

describe('a deployed site', () => {
  /** Serves https://demo.example from a site on this machine, and http://demo.example as given. */
  function deployed(site: URL, unencrypted: () => Response | Promise<Response>): typeof fetch {
    return (input, init) => {
      const url = new URL(String(input));
      if (url.host !== 'demo.example') {
        return fetch(input, init);
      }
      return url.protocol === 'http:' ? Promise.resolve(unencrypted()) : fetch(new URL(url.pathname, site), init);
    };
  }
  const redirect = () => new Response(null, { status: 301, headers: { location: 'https://demo.example/' } });
  const insecure = always((answer) => withHeaders(answer, { 'content-security-policy': undefined }));

  async function smokeDeployed(saboteur: Saboteur, unencrypted: () => Response | Promise<Response> = redirect) {
    await using site = await sabotage(stack.addresses.url, saboteur);
    return await runSmoke({
      url: new URL('https://demo.example'),
      functionUrl: new URL(stack.addresses.function),
      fetch: deployed(site.url, unencrypted),
    });
  }

  it('passes with its security headers and a redirect to https', async () => {
    const report = await smokeDeployed(honest);

    expect(namesOf(report, 'note')).toEqual(['allowed-origin']);
    expect(report.passed).toBe(true);
  });

  it('passes if http does not answer', async () => {
    const report = await smokeDeployed(honest, () => Promise.reject(new TypeError('fetch failed')));

    expect(checkIn(report, 'https')?.result).toBe('pass');
  });

  it('fails without its security headers', async () => {
    expect(namesOf(await smokeDeployed(insecure), 'fail')).toEqual(['security-headers']);
  });

  it.each([
    ['serves the page over http', () => new Response('<html></html>')],
    ['redirects to another site', () => Response.redirect('https://elsewhere.example/')],
    ['redirects to http', () => Response.redirect('http://www.demo.example/')],
    [
      'redirects to a host that begins with the same name',
      () => Response.redirect('https://demo.example.evil.example/'),
    ],
  ])('fails if it %s', async (_name, unencrypted) => {
    expect(namesOf(await smokeDeployed(honest, unencrypted), 'fail')).toEqual(['https']);
  });

  it('without a page is a note if the function answers at /', async () => {
    const report = await smokeDeployed((request, passOn) =>
      request.path === '/' ? problem('not_found') : passOn(request),
    );

    expect(checkIn(report, 'page')?.result).toBe('note');
  });

  it('without its key gets the commands that show the log and store the key', async () => {
    const report = await smokeDeployed((request, passOn) =>
      isMint(request) ? problem('misconfigured') : passOn(request),
    );

    expect(checkIn(report, 'key')).toMatchObject({
      commands: [expect.stringMatching(/^aws logs tail /), expect.stringContaining('aws ssm put-parameter')],
    });
  });
});

describe('a site that does not answer', () => {
  it('is one failure, and no other request is sent', async () => {
    const requested: string[] = [];
    const refused: typeof fetch = (input) => {
      requested.push(String(input));
      return Promise.reject(new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED') }));
    };
    const report = await runSmoke({ url: new URL('https://demo.example'), fetch: refused });

    expect(requested).toEqual(['https://demo.example/']);
    expect(report.checks).toMatchObject([
      { name: 'page', result: 'fail', sentence: expect.stringContaining('connect ECONNREFUSED') },
    ]);
  });

  it.each<[string, string, string, string, string]>([
    [
      'because its name does not resolve',
      'ENOTFOUND',
      'getaddrinfo ENOTFOUND demo.example',
      'getaddrinfo ENOTFOUND demo.example',
      "OutputKey=='DnsRecord'",
    ],
    [
      'because its certificate is for another name',
      'ERR_TLS_CERT_ALTNAME_INVALID',
      "Hostname/IP does not match certificate's altnames",
      "Hostname/IP does not match certificate's altnames",
      'npm run issuer -- doctor',
    ],
    [
      'because CloudFront does not know its name',
      'ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE',
      '40EDF059ED7F0000:error:0A000410:SSL routines:ssl3_read_bytes\n',
      'the TLS handshake failed (ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE)',
      'npm run issuer -- doctor',
    ],
    ['because its certificate has expired', 'CERT_HAS_EXPIRED', 'expired', 'expired', 'npm run issuer -- doctor'],
    ['for another reason', 'ECONNREFUSED', 'refused', 'refused', "OutputKey=='PageUrl'"],
  ])('%s gets the commands that find out why', async (_, code, message, reason, command) => {
    const failing: typeof fetch = () =>
      Promise.reject(new TypeError('fetch failed', { cause: Object.assign(new Error(message), { code }) }));
    const report = await runSmoke({ url: new URL('https://demo.example'), fetch: failing });

    expect(report.checks).toMatchObject([
      { name: 'page', sentence: `No response from https://demo.example: ${reason}. Nothing else was checked.` },
    ]);
    expect(JSON.stringify(report.checks[0])).toContain(command);
  });

  it('times out, also in the middle of a response', async () => {
    const endless: typeof fetch = (_input, init) =>
      Promise.resolve(
        new Response(
          new ReadableStream({
            start(controller) {
              controller.enqueue(new TextEncoder().encode('<html'));
              init?.signal?.addEventListener('abort', () => controller.error(init.signal?.reason));
            },
          }),
        ),
      );
    const report = await runSmoke({ url: new URL('https://demo.example'), fetch: endless, timeoutMs: 20 });

    expect(report.checks).toMatchObject([{ name: 'page', sentence: expect.stringContaining('timeout after 0.02 s') }]);
  });

  it('only at /session fails the key check, with the command that shows the log', async () => {
    const silentForKeys: typeof fetch = (input, init) =>
      new URL(String(input)).pathname === '/session' && init?.method === 'POST'
        ? Promise.reject(new DOMException('late', 'TimeoutError'))
        : fetch(input, init);
    const report = await runSmoke({ url: new URL(stack.addresses.url), fetch: silentForKeys });

    expect(checkIn(report, 'key')).toMatchObject({
      result: 'fail',
      sentence: expect.stringContaining('timeout after'),
    });
    expect(namesOf(report, 'fail')).toEqual(['key', 'body-hash', 'function-url', 'foreign-origin']);
  });
});

describe('the report', () => {
  it.each([
    ['without a fault', honest],
    ['whose headers contain keys', always((answer) => withHeaders(answer, { 'cache-control': 'ek_abc sk-abc' }))],
    ['whose keys have another form', onKeys((answer) => withBody(answer, { ek_member: 1, model: 'ek_secret' }))],
  ] satisfies [string, Saboteur][])('of a site %s holds no key', async (_name, saboteur) => {
    const keys: string[] = [];
    const { report } = await smoke(stack, async (request, passOn) => {
      const answer = await saboteur(request, passOn);
      const value = answer.body.startsWith('{') ? JSON.parse(answer.body).value : undefined;
      keys.push(...(typeof value === 'string' ? [value] : []));
      return answer;
    });

    expect(keys).toHaveLength(2);
    for (const text of [textOf(report), JSON.stringify(report)]) {
      expect(text).not.toMatch(/ek_\w|sk-\w/);
      expect(keys.filter((key) => text.includes(key))).toEqual([]);
    }
  });

  it('has a line for each check and, under a failure, its meaning, its fix, and the command on a line of its own', async () => {
    const { report } = await smoke(
      stack,
      always((answer) => withHeaders(answer, { allow: undefined })),
    );
    const lines = textOf(report).split('\n');

    expect(lines.filter((line) => /^ {2}(ok {2}|note|FAIL) {2}\S/.test(line))).toHaveLength(report.checks.length);
    expect(lines.some((line) => line.trim().startsWith('Meaning: '))).toBe(true);
    expect(lines.some((line) => line.trim().startsWith('Fix: '))).toBe(true);
    expect(lines).toContain('      npm run deploy');
    expect(lines.at(-1)).toBe('Failed: error-bodies. 13 passed, 1 note. 2 keys were used.');
  });

  it('has colours only on request', async () => {
    const { report } = await smoke(stack, honest);
    const [check] = report.checks;

    expect(textOf(report)).not.toContain('\u001b');
    expect(check && renderCheck(check, true)).toContain('\u001b[32m');
  });
});
