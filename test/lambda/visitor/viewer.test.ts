import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addressOf, countedPrefix, viewerId } from '../../../lambda/visitor/viewer.ts';
import { anyGroups, anySpelling, bits, spell } from '../../support/ipv6.ts';

const SALT = new Uint8Array(32).fill(7);

describe('addressOf returns the text before the last colon', () => {
  it.each([
    ['203.0.113.9:46532', '203.0.113.9'],
    ['0.0.0.0:1', '0.0.0.0'],
    ['255.255.255.255:65535', '255.255.255.255'],
    // Captured from CloudFront. The whole text of the second is a valid IPv6 address too.
    ['2406:2d40:728d:fa10::c4a:42838', '2406:2d40:728d:fa10::c4a'],
    ['2406:2d40:728d:fa10::c4a:4283', '2406:2d40:728d:fa10::c4a'],
    ['2001:db8:1:2:3:4:5:6:443', '2001:db8:1:2:3:4:5:6'],
    ['::1:443', '::1'],
    [':::443', '::'],
    ['[2001:db8::1]:443', '2001:db8::1'],
    ['[::]:443', '::'],
    ['2001:DB8::A:443', '2001:DB8::A'],
    ['::ffff:203.0.113.9:443', '::ffff:203.0.113.9'],
    ['[::FFFF:cb00:7109]:443', '::FFFF:cb00:7109'],
    // The maximum length.
    ['[0000:0000:0000:0000:0000:ffff:255.255.255.255]:65535', '0000:0000:0000:0000:0000:ffff:255.255.255.255'],
  ])('%s', (header, address) => {
    expect(addressOf(header)).toBe(address);
  });

  it.each(['1', '80', '9999', '65535'])('accepts port %s', (port) => {
    expect(addressOf(`203.0.113.9:${port}`)).toBe('203.0.113.9');
    expect(addressOf(`2001:db8::1:${port}`)).toBe('2001:db8::1');
  });

  it.each([
    '0',
    '65536',
    '99999',
    '100000',
    '-1',
    '+1',
    '08',
    '00',
    '1e3',
    '0x50',
    '80.0',
    '',
    ' ',
    ' 80',
    '80 ',
    '80\n',
    '８０',
    '٨٠',
    'http',
  ])('rejects port %j', (port) => {
    expect(addressOf(`203.0.113.9:${port}`)).toBeUndefined();
    expect(addressOf(`2001:db8::1:${port}`)).toBeUndefined();
    expect(addressOf(`[2001:db8::1]:${port}`)).toBeUndefined();
  });

  it.each([
    ['an empty text', ''],
    ['a colon alone', ':'],
    ['a port alone', ':443'],
    ['IPv4 without a port', '203.0.113.9'],
    ['bracketed IPv6 without a port', '[2001:db8::1]'],
    ['IPv6 whose last group is not a port', '2001:db8::c4a'],
    ['a list', '203.0.113.9:46532, 198.51.100.7:1'],
    ['a list without a space', '203.0.113.9:46532,198.51.100.7:1'],
    ['a list of addresses as in X-Forwarded-For', '203.0.113.9, 198.51.100.7'],
    ['spaces before', ' 203.0.113.9:443'],
    ['spaces inside', '203.0.113.9 :443'],
    ['a line break', '203.0.113.9\n:443'],
    ['NUL', '203.0.113.9\0:443'],
    ['a zone', 'fe80::1%eth0:443'],
    ['a zone in brackets', '[fe80::1%eth0]:443'],
    ['an escaped zone', '[fe80::1%25eth0]:443'],
    ['a zone on a mapped address', '::ffff:203.0.113.9%1:443'],
    ['IPv4 in brackets', '[203.0.113.9]:443'],
    ['half a bracket, left', '[2001:db8::1:443'],
    ['half a bracket, right', '2001:db8::1]:443'],
    ['brackets twice', '[[2001:db8::1]]:443'],
    ['brackets around address and port', '[2001:db8::1:443]'],
    ['a prefix', '2001:db8::/32:443'],
    ['three octets', '203.0.113:443'],
    ['five octets', '203.0.113.9.1:443'],
    ['an octet above 255', '203.0.113.256:443'],
    ['an octal octet', '203.0.113.011:443'],
    ['a hexadecimal octet', '0xcb.0.113.9:443'],
    ['IPv4 as one number', '3405803785:443'],
    ['IPv4 in full-width digits', '２０３.0.113.9:443'],
    ['nine groups', '1:2:3:4:5:6:7:8:9:443'],
    ['seven groups', '1:2:3:4:5:6:7:443'],
    ['"::" twice', '2001::db8::1:443'],
    ['"::" beside eight groups', '1:2:3:4::5:6:7:8:443'],
    ['a group of five digits', '2001:00db8::1:443'],
    ['a group that is not hexadecimal', '2001:dbg::1:443'],
    ['three colons', '2001:::1:443'],
    ['dotted octets in front', '203.0.113.9::1:443'],
    ['a mapped octal octet', '::ffff:203.0.113.011:443'],
    ['a name', 'localhost:443'],
    ['a URL', 'http://203.0.113.9:443'],
    ['garbage', 'é💥:443'],
    ['one character above the maximum length', '[0000:0000:0000:0000:0000:ffff:255.255.255.255]:065535'],
    ['a megabyte', `${'0'.repeat(1_000_000)}203.0.113.9:443`],
  ])('rejects %s', (_, header) => {
    expect(addressOf(header)).toBeUndefined();
  });

  it('never throws, and finds an address only before a port', () => {
    const pieces = fc.constantFrom(...':[]%., 01'.split(''), '::', '255', 'ffff', '443', '203.0.113.9');
    const headers = fc.oneof(
      fc.string(),
      fc.array(pieces, { maxLength: 16 }).map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(headers, (header) => {
        const address = addressOf(header);
        return address === undefined || /^\[?[\da-f:.]+\]?:[1-9]\d{0,4}$/i.test(header);
      }),
    );
  });
});

describe('countedPrefix', () => {
  it.each([
    '::ffff:192.0.2.1',
    '::FFFF:192.0.2.1',
    '::fFfF:192.0.2.1',
    '0::ffff:192.0.2.1',
    '::0:ffff:192.0.2.1',
    '0:0:0:0:0:ffff:192.0.2.1',
    '0000:0000:0000:0000:0000:ffff:192.0.2.1',
    '0:0:0::0:ffff:192.0.2.1',
    '::ffff:c000:201',
    '::ffff:C000:0201',
    '::ffff:c000:0201',
    '0:0:0:0:0:ffff:c000:201',
    '0000:0000:0000:0000:0000:FFFF:C000:0201',
  ])('%s is the IPv4 address 192.0.2.1, at every prefix', (address) => {
    for (const prefix of [32, 56, 128]) {
      expect(countedPrefix(address, prefix)).toBe('192.0.2.1');
    }
  });

  it.each([
    ['::ffff:0.0.0.0', '0.0.0.0'],
    ['::ffff:0:0', '0.0.0.0'],
    ['::ffff:0:1', '0.0.0.1'],
    ['::ffff:100:0', '1.0.0.0'],
    ['::ffff:ffff:ffff', '255.255.255.255'],
  ])('%s is the IPv4 address %s', (address, expected) => {
    expect(countedPrefix(address, 56)).toBe(expected);
  });

  it.each([
    ['::192.0.2.1', 'IPv4-compatible, long deprecated'],
    ['::c000:201', 'the same in hexadecimal'],
    ['::ffff:0:192.0.2.1', 'IPv4-translated, ffff one group further left'],
    ['::ffff:0:c000:201', 'the same in hexadecimal'],
    ['64:ff9b::192.0.2.1', 'NAT64'],
    ['64:ff9b:1::192.0.2.1', 'local NAT64'],
    ['2002:c000:201::', '6to4'],
    ['1::ffff:192.0.2.1', 'a bit in the first group'],
    ['0:0:0:0:1:ffff:192.0.2.1', 'a bit in the fifth group'],
    ['::ffff:1', 'ffff one group further right'],
    ['::fffe:192.0.2.1', 'one bit missing'],
    ['::fff:192.0.2.1', 'four bits missing'],
    ['ffff::192.0.2.1', 'ffff in the first group'],
  ])('%s is not a mapped address: %s', (address) => {
    expect(countedPrefix(address, 128)).toMatch(/^[\da-f]+(:[\da-f]+){7}\/128$/);
  });

  it.each([
    [32, '2001:db8:0:0:0:0:0:0/32'],
    [48, '2001:db8:abcd:0:0:0:0:0/48'],
    [55, '2001:db8:abcd:fe00:0:0:0:0/55'],
    [56, '2001:db8:abcd:ff00:0:0:0:0/56'],
    [57, '2001:db8:abcd:ff80:0:0:0:0/57'],
    [64, '2001:db8:abcd:ffff:0:0:0:0/64'],
    [65, '2001:db8:abcd:ffff:8000:0:0:0/65'],
    [127, '2001:db8:abcd:ffff:ffff:ffff:ffff:fffe/127'],
    [128, '2001:db8:abcd:ffff:ffff:ffff:ffff:ffff/128'],
  ])('keeps the leading %i bits of an IPv6 address', (prefix, expected) => {
    expect(countedPrefix('2001:db8:abcd:ffff:ffff:ffff:ffff:ffff', prefix)).toBe(expected);
  });

  it('is the same for every spelling of an address, and equals arithmetic on 128 bits', () => {
    fc.assert(
      fc.property(anyGroups, anySpelling, fc.integer({ min: 32, max: 128 }), (groups, spelling, prefix) => {
        const address = spell(groups, spelling);
        expect(addressOf(`${address}:443`)).toBe(address);
        expect(addressOf(`[${address}]:443`)).toBe(address);
        expect(countedPrefix(address, prefix)).toBe(reference(groups, prefix));
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('viewerId', () => {
  it.each([
    ['203.0.113.9', '3bdc121186ba57c8bb7324935acf924f'],
    ['2001:db8:1:2ff::9', '8b599dbdd5c63670bc7886809a2be63c'],
  ])('is the first half of the HMAC-SHA-256 of the counted prefix: %s', (address, expected) => {
    // printf 203.0.113.9 | openssl dgst -sha256 -mac HMAC -macopt hexkey:0707…07, and 2001:db8:1:200:0:0:0:0/56
    expect(viewerId(address, 56, SALT)).toBe(expected);
  });

  it('is the same for all spellings of an address, and for all addresses of a prefix', () => {
    const ids = ['2001:db8:1:200::', '2001:DB8:1:2ff::1', '2001:0db8:0001:02ab:ffff:ffff:ffff:ffff'].map((address) =>
      viewerId(address, 56, SALT),
    );
    expect(new Set(ids).size).toBe(1);
  });

  it('is the same for an IPv4 address and its mapped spellings', () => {
    expect(viewerId('::ffff:cb00:7109', 56, SALT)).toBe(viewerId('203.0.113.9', 56, SALT));
  });

  it.each([
    ['the next IPv4 address', '203.0.113.10', '203.0.113.9'],
    ['the next prefix', '2001:db8:1:300::', '2001:db8:1:2ff::'],
    ['an IPv4 address and its look-alike', '::203.0.113.9', '203.0.113.9'],
  ])('differs for %s', (_, one, other) => {
    expect(viewerId(one, 56, SALT)).not.toBe(viewerId(other, 56, SALT));
  });

  it('differs with another salt', () => {
    expect(viewerId('203.0.113.9', 56, new Uint8Array(32).fill(8))).not.toBe(viewerId('203.0.113.9', 56, SALT));
  });
});

/** The counted prefix, computed on the whole address instead of on its groups. */
function reference(groups: readonly number[], prefix: number): string {
  const address = bits(groups);
  if (address >> 32n === 0xffffn) {
    return [24n, 16n, 8n, 0n].map((shift) => (address >> shift) & 0xffn).join('.');
  }
  const beyond = BigInt(128 - prefix);
  const kept = (address >> beyond) << beyond;
  const hexadecimal = kept.toString(16).padStart(32, '0').match(/.{4}/g) ?? [];
  return `${hexadecimal.map((group) => BigInt(`0x${group}`).toString(16)).join(':')}/${prefix}`;
}
