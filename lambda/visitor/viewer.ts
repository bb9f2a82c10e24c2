/**
 * Identifies the visitor. CloudFront-Viewer-Address (`ip:port`, IPv6 without brackets) becomes a ViewerId, a keyed hash by which
 * limits are counted. The address itself is neither stored nor logged.
 */
import { createHmac } from 'node:crypto';
import { isIPv4, isIPv6 } from 'node:net';

declare const viewerIdBrand: unique symbol;

/** 32 hexadecimal digits. Calls from one address have the same id, but the id does not reveal the address. */
export type ViewerId = string & { readonly [viewerIdBrand]: true };

/** The maximum length: a mapped address without abbreviation, brackets, colon and port. */
const LONGEST_HEADER = 45 + 2 + 6;
const PORT = /^[1-9]\d{0,4}$/;
const HIGHEST_PORT = 65_535;

/**
 * The address in a CloudFront-Viewer-Address, or undefined if the value is malformed.
 *
 * The value is split at the last colon: `2406:2d40:728d:fa10::c4a:4283` is the address `2406:2d40:728d:fa10::c4a` and the port
 * 4283, although the whole text is also a valid IPv6 address.
 */
export function addressOf(viewerAddress: string): string | undefined {
  if (viewerAddress.length > LONGEST_HEADER) {
    return undefined;
  }
  const colon = viewerAddress.lastIndexOf(':');
  const port = viewerAddress.slice(colon + 1);
  if (colon < 0 || !PORT.test(port) || Number(port) > HIGHEST_PORT) {
    return undefined;
  }
  const host = viewerAddress.slice(0, colon);
  const isBracketed = host.startsWith('[') && host.endsWith(']');
  const address = isBracketed ? host.slice(1, -1) : host;
  // Node accepts a zone (`fe80::1%eth0`) as IPv6, but a zone names an interface of another machine.
  const isAddress = isIPv6(address) ? !address.includes('%') : isIPv4(address) && !isBracketed;
  return isAddress ? address : undefined;
}

/**
 * The part of an address that identifies a viewer: a whole IPv4 address, or the leading bits of an IPv6 address, because one
 * household or one rented machine has a whole prefix. The result is the same for every spelling of an address.
 * @param address a valid IPv4 or IPv6 address
 * @param ipv6Prefix leading bits, 32 to 128
 */
export function countedPrefix(address: string, ipv6Prefix: number): string {
  if (isIPv4(address)) {
    return address;
  }
  const groups = groupsOf(address);
  const [high = 0, low = 0] = groups.slice(6);
  // ::ffff:192.0.2.1, ::ffff:c000:201 and 0:0:0:0:0:ffff:192.0.2.1 are IPv4; ::192.0.2.1 and ::ffff:0:192.0.2.1 are not.
  if (groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff) {
    return [high >> 8, high & 0xff, low >> 8, low & 0xff].join('.');
  }
  const kept = groups.map((group, index) => group & prefixMask(ipv6Prefix - 16 * index));
  return `${kept.map((group) => group.toString(16)).join(':')}/${ipv6Prefix}`;
}

/** A keyed hash. A hash without a salt could be reversed in minutes by trying all IPv4 addresses. */
export function viewerId(address: string, ipv6Prefix: number, salt: Uint8Array): ViewerId {
  const digest = createHmac('sha256', salt).update(countedPrefix(address, ipv6Prefix)).digest('hex');
  return digest.slice(0, 32) as ViewerId;
}

/** The eight 16-bit groups of a valid IPv6 address. */
function groupsOf(address: string): number[] {
  const [head = '', tail] = address.split('::');
  const before = readGroups(head);
  const after = readGroups(tail ?? '');
  const omitted = new Array<number>(8 - before.length - after.length).fill(0);
  return [...before, ...omitted, ...after];
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

/** The mask that keeps the first `bits` bits of a 16-bit group. It is 0 for a group beyond the prefix. */
function prefixMask(bits: number): number {
  const kept = Math.min(16, Math.max(0, bits));
  return (0xffff << (16 - kept)) & 0xffff;
}
