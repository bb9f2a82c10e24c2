/**
 * The prefix of an IPv6 address. A household or a rented server has a whole /56, and may use a new address for each request.
 * Every spelling of an address has the same prefix.
 */
import { isIPv6 } from 'node:net';

/**
 * @returns a prefix such as `2001:db8:0:aa00::/56`; undefined if the name is not an IPv6 address or is a mapped IPv4
 *   address
 */
export function ipv6Prefix(name: string, bits: number): string | undefined {
  // A quick check for pseudonyms, which are common and have no colon.
  if (!(name.includes(':') && isIPv6(name)) || name.includes('%')) {
    return undefined;
  }
  const groups = groupsOf(name);
  if (groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff) {
    return undefined;
  }
  const kept = groups.map((group, index) => group & prefixMask(bits - 16 * index));
  const last = kept.findLastIndex((group) => group !== 0);
  const words = kept.slice(0, last + 1).map((group) => group.toString(16));
  // Only zeros at the end become `::`, which may occur once. So equal prefixes have equal text.
  return `${last === 7 ? words.join(':') : `${words.join(':')}::`}/${bits}`;
}

function groupsOf(address: string): number[] {
  const [head = '', tail = ''] = address.split('::');
  const before = readGroups(head);
  const after = readGroups(tail);
  return [...before, ...new Array<number>(8 - before.length - after.length).fill(0), ...after];
}

function readGroups(text: string): number[] {
  if (text === '') {
    return [];
  }
  return text.split(':').flatMap((group) => {
    if (!group.includes('.')) {
      return [Number.parseInt(group, 16)];
    }
    const [a = 0, b = 0, c = 0, d = 0] = group.split('.').map(Number);
    return [(a << 8) | b, (c << 8) | d];
  });
}

function prefixMask(bits: number): number {
  return (0xffff << (16 - Math.min(16, Math.max(0, bits)))) & 0xffff;
}
