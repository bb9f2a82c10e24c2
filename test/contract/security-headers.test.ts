import { describe, expect, it } from 'vitest';
import { HSTS_MAX_AGE_SECONDS, pageHeaders, SECURITY_HEADERS } from '../../contract/security-headers.ts';

/** `{ 'connect-src': ["'self'", …], … }` */
function directives(openaiBaseUrl: string): Record<string, string[]> {
  const policy = pageHeaders(openaiBaseUrl)['content-security-policy'];
  return Object.fromEntries(
    policy.split('; ').map((directive) => {
      const [name = '', ...sources] = directive.split(' ');
      return [name, sources];
    }),
  );
}

describe("the page's content security policy", () => {
  it.each([
    ['https://api.openai.com/v1', 'https://api.openai.com', 'wss://api.openai.com'],
    ['https://eu.example.com:8443/openai/v1', 'https://eu.example.com:8443', 'wss://eu.example.com:8443'],
    ['http://127.0.0.1:4010/v1', 'http://127.0.0.1:4010', 'ws://127.0.0.1:4010'],
  ])(
    'allows connections to the page itself and to %s over http and WebSocket, and to nothing else',
    (baseUrl, http, socket) => {
      expect(directives(baseUrl)['connect-src']).toEqual(["'self'", http, socket]);
    },
  );

  it('blocks every kind of source that is not listed', () => {
    expect(directives('https://api.openai.com/v1')['default-src']).toEqual(["'none'"]);
  });

  it("runs only the page's own scripts: no inline scripts, no eval and no other host", () => {
    expect(directives('https://api.openai.com/v1')['script-src']).toEqual(["'self'"]);
  });

  it('does not allow the page in frames', () => {
    expect(directives('https://api.openai.com/v1')['frame-ancestors']).toEqual(["'none'"]);
  });
});

it('only the page itself may use the microphone', () => {
  expect(pageHeaders('https://api.openai.com/v1')['permissions-policy']).toContain('microphone=(self)');
});

it('every response requests https for at least half a year, no sniffing and no referrer', () => {
  expect(HSTS_MAX_AGE_SECONDS).toBeGreaterThan(180 * 86_400);
  expect(SECURITY_HEADERS).toEqual({
    'strict-transport-security': `max-age=${HSTS_MAX_AGE_SECONDS}`,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
  });
});
