import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { languageOf, readRequest } from '../../../lambda/session/request.ts';
import { type EventParts, sessionEvent } from '../../support/events.ts';

const ALLOWED = ['https://www.example.com', 'http://localhost:8787'];
const CODES = [
  'request',
  'preflight',
  'not_found',
  'method_not_allowed',
  'origin_not_allowed',
  'body_not_allowed',
  'idempotency_key_invalid',
  'viewer_unknown',
];

function codeOf(parts: EventParts): string {
  return readRequest(sessionEvent(parts), ALLOWED).code;
}

it('a POST to the path, without a body and with an address, is a request', () => {
  expect(readRequest(sessionEvent(), [])).toEqual({ code: 'request', request: { address: '203.0.113.9' } });
});

describe('path', () => {
  it.each([
    '/',
    '',
    '/session/',
    '/sessions',
    '/Session',
    '/session%20',
    '//session',
    '/session;a=b',
    '/session?a=b',
    'session',
    '/session/x',
    '/x/session',
    undefined,
    null,
    7,
    ['/session'],
    '__proto__',
    'constructor',
  ])('%j is not found', (path) => {
    expect(readRequest({ ...sessionEvent(), rawPath: path }, ALLOWED).code).toBe('not_found');
  });

  it('is checked before the method', () => {
    expect(codeOf({ path: '/x', method: 'OPTIONS' })).toBe('not_found');
    expect(codeOf({ path: '/x', method: 'GET' })).toBe('not_found');
  });

  it('may have a query string, which is ignored', () => {
    expect(readRequest({ ...sessionEvent(), rawQueryString: 'a=b' }, ALLOWED).code).toBe('request');
  });
});

describe('method', () => {
  it.each([
    'GET',
    'HEAD',
    'PUT',
    'PATCH',
    'DELETE',
    'TRACE',
    'post',
    'options',
    'POST ',
    '',
    undefined,
    null,
    7,
    '__proto__',
  ])('%j is not allowed', (method) => {
    const event = { ...sessionEvent(), requestContext: { http: { method } } };
    expect(readRequest(event, ALLOWED).code).toBe('method_not_allowed');
  });

  it('OPTIONS is a preflight, whatever else the request contains', () => {
    expect(codeOf({ method: 'OPTIONS', headers: { origin: 'https://evil.example' }, body: 'x' })).toBe('preflight');
    expect(codeOf({ method: 'OPTIONS', headers: { 'cloudfront-viewer-address': undefined } })).toBe('preflight');
  });
});

describe('origin', () => {
  it.each<[Record<string, unknown>, string]>([
    [{}, 'request'],
    [{ origin: 'https://www.example.com' }, 'request'],
    [{ origin: 'http://localhost:8787' }, 'request'],
    [{ origin: 'https://www.example.com', 'sec-fetch-site': 'cross-site' }, 'request'],
    [{ origin: 'https://our-own-page.example', 'sec-fetch-site': 'same-origin' }, 'request'],
    [{ 'sec-fetch-site': 'cross-site' }, 'request'],
    [{ origin: 'https://our-own-page.example' }, 'origin_not_allowed'],
    [{ origin: 'https://our-own-page.example', 'sec-fetch-site': 'same-site' }, 'origin_not_allowed'],
    [{ origin: 'https://our-own-page.example', 'sec-fetch-site': 'cross-site' }, 'origin_not_allowed'],
    [{ origin: 'https://our-own-page.example', 'sec-fetch-site': 'none' }, 'origin_not_allowed'],
    [{ origin: 'https://our-own-page.example', 'sec-fetch-site': 'Same-Origin' }, 'origin_not_allowed'],
    [{ origin: 'https://our-own-page.example', 'sec-fetch-site': 'same-origin, cross-site' }, 'origin_not_allowed'],
    [{ origin: 'null' }, 'origin_not_allowed'],
    [{ origin: '' }, 'origin_not_allowed'],
    [{ origin: '*' }, 'origin_not_allowed'],
    [{ origin: 'http://www.example.com' }, 'origin_not_allowed'],
    [{ origin: 'https://www.example.com:8443' }, 'origin_not_allowed'],
    [{ origin: 'https://www.example.com/' }, 'origin_not_allowed'],
    [{ origin: 'https://WWW.example.com' }, 'origin_not_allowed'],
    [{ origin: 'https://www.example.com.evil.example' }, 'origin_not_allowed'],
    [{ origin: 'https://evil.example, https://www.example.com' }, 'origin_not_allowed'],
    [{ origin: ' https://www.example.com' }, 'origin_not_allowed'],
    [{ origin: '__proto__' }, 'origin_not_allowed'],
    [{ origin: 'length' }, 'origin_not_allowed'],
  ])('%j: %s', (headers, code) => {
    expect(codeOf({ headers })).toBe(code);
  });

  it('of another page is not allowed if the list is empty', () => {
    const event = sessionEvent({ headers: { origin: 'https://www.example.com' } });
    expect(readRequest(event, []).code).toBe('origin_not_allowed');
  });
});

describe('body', () => {
  it.each([undefined, null, ''])('%j is empty', (body) => {
    expect(codeOf({ body })).toBe('request');
    expect(codeOf({ body, isBase64Encoded: true })).toBe('request');
  });

  it.each<[unknown, boolean]>([
    ['{}', false],
    [' ', false],
    ['\0', false],
    ['e30=', true],
    ['AA==', true],
    // Lambda never sends this; it is not an empty body.
    ['=', true],
    [0, false],
    [false, false],
    [{}, false],
    [[], false],
  ])('%j (base64: %s) is not allowed', (body, isBase64Encoded) => {
    expect(codeOf({ body, isBase64Encoded })).toBe('body_not_allowed');
  });
});

describe('Idempotency-Key', () => {
  const codeWithKey = (key: unknown) => codeOf({ headers: { 'idempotency-key': key } });

  it.each([16, 17, 36, 127, 128])('may have %i characters', (length) => {
    expect(codeWithKey('x'.repeat(length))).toBe('request');
  });

  it.each([0, 1, 15, 129, 10_000])('may not have %i characters', (length) => {
    expect(codeWithKey('x'.repeat(length))).toBe('idempotency_key_invalid');
  });

  it('may contain every visible ASCII character', () => {
    const visible = Array.from({ length: 94 }, (_, index) => String.fromCharCode(0x21 + index)).join('');
    expect(codeWithKey(visible)).toBe('request');
  });

  it.each([
    ['a space', ' '],
    ['a tab', '\t'],
    ['a line break', '\n'],
    ['NUL', '\0'],
    ['DEL', '\x7f'],
    ['é', 'é'],
    ['a full-width letter', 'Ａ'],
    ['an emoji', '💥'],
  ])('may not contain %s, inside or at the end', (_, character) => {
    expect(codeWithKey(`01234567${character}89abcdef`)).toBe('idempotency_key_invalid');
    expect(codeWithKey(`0123456789abcdef${character}`)).toBe('idempotency_key_invalid');
  });

  it('is optional', () => {
    expect(codeWithKey(undefined)).toBe('request');
  });
});

describe('viewer', () => {
  it.each([undefined, null, '', 'garbage', '203.0.113.9', '203.0.113.9:0', 7, ['203.0.113.9:1'], {}, '__proto__'])(
    '%j is unknown',
    (address) => {
      expect(codeOf({ headers: { 'cloudfront-viewer-address': address } })).toBe('viewer_unknown');
    },
  );

  it('is never taken from X-Forwarded-For or from the connection', () => {
    const forged = { 'x-forwarded-for': '198.51.100.7', forwarded: 'for=198.51.100.7', 'x-real-ip': '198.51.100.7' };
    const event = (address: string | undefined) => ({
      ...sessionEvent({ headers: { ...forged, 'cloudfront-viewer-address': address } }),
      requestContext: { http: { method: 'POST', sourceIp: '198.51.100.7' } },
    });
    expect(readRequest(event(undefined), ALLOWED).code).toBe('viewer_unknown');
    expect(readRequest(event('203.0.113.9:1'), ALLOWED)).toMatchObject({ request: { address: '203.0.113.9' } });
  });

  it('is read from the lower-case header name that Lambda delivers, and from no other spelling', () => {
    const headers = { 'cloudfront-viewer-address': undefined, 'CloudFront-Viewer-Address': '198.51.100.7:1' };
    expect(codeOf({ headers })).toBe('viewer_unknown');
  });
});

it('reports the first problem, in the order origin, body, Idempotency-Key, viewer', () => {
  const invalid = {
    headers: { origin: 'https://evil.example', 'idempotency-key': 'x', 'cloudfront-viewer-address': 'x' },
    body: 'x',
  };
  expect(codeOf(invalid)).toBe('origin_not_allowed');
  expect(codeOf({ ...invalid, headers: { ...invalid.headers, origin: undefined } })).toBe('body_not_allowed');
  expect(codeOf({ headers: { ...invalid.headers, origin: undefined } })).toBe('idempotency_key_invalid');
});

describe('events that Lambda never sends', () => {
  it.each([undefined, null, 0, '', 'POST /session', [], {}, { rawPath: '/session' }])(
    '%j is parsed without an exception',
    (event) => {
      expect(CODES).toContain(readRequest(event, ALLOWED).code);
      expect(languageOf(event)).toBe('en');
    },
  );

  it('headers that are inherited are ignored', () => {
    const inherited: unknown = JSON.parse('{"__proto__":{"cloudfront-viewer-address":"203.0.113.9:1"}}');
    expect(readRequest({ ...sessionEvent(), headers: inherited }, ALLOWED).code).toBe('viewer_unknown');
    const headers: unknown = Object.create({ 'cloudfront-viewer-address': '203.0.113.9:1', 'accept-language': 'ja' });
    expect(readRequest({ ...sessionEvent(), headers }, ALLOWED).code).toBe('viewer_unknown');
    expect(languageOf({ headers })).toBe('en');
  });

  it.each(['headers', 'requestContext', 'rawPath'])('may lack %s', (name) => {
    const event = { ...sessionEvent(), [name]: undefined };
    expect(CODES.slice(2)).toContain(readRequest(event, ALLOWED).code);
  });

  it('any event is parsed into a code', () => {
    const anyEvent = fc.oneof(
      fc.anything({ withNullPrototype: true }),
      fc.record(
        {
          rawPath: fc.constant('/session'),
          headers: fc.dictionary(
            fc.constantFrom('origin', 'cloudfront-viewer-address', 'idempotency-key'),
            fc.anything(),
          ),
          requestContext: fc.record({ http: fc.record({ method: fc.constant('POST') }) }, { requiredKeys: [] }),
          body: fc.anything(),
        },
        { requiredKeys: ['rawPath'] },
      ),
    );
    fc.assert(
      fc.property(anyEvent, (event) => {
        expect(CODES).toContain(readRequest(event, ALLOWED).code);
        expect(['ja', 'en']).toContain(languageOf(event));
      }),
    );
  });
});

it('reads the language from Accept-Language, of invalid requests too', () => {
  expect(languageOf(sessionEvent({ path: '/x', method: 'GET', headers: { 'accept-language': 'ja' } }))).toBe('ja');
  expect(languageOf(sessionEvent({ headers: { 'accept-language': ['ja'] } }))).toBe('en');
  expect(languageOf(sessionEvent())).toBe('en');
});
