/**
 * Checks that the limit counts, and that it counts the real caller. Two POSTs show both: the second one sends forged addresses,
 * and must continue with the counter of the first one.
 *
 *     plain 9, forged 8              the limit counts, and ignores forged addresses
 *     plain 9, forged 9, plain 8     forged addresses have counters of their own
 *     plain 9, forged 9, plain 9     the limit does not count
 *
 * The end of a window between the two, or another visitor behind the same address, can change the numbers once. So the check is
 * repeated before it fails.
 */
import { VIEWER_ADDRESS_HEADER } from '../../contract/endpoint.ts';
import { type Finding, fail, note, pass } from '../output/finding.ts';
import { requestKey } from './key.ts';
import { countOf, isLimited } from './rate-limit.ts';
import { type Answer, described, holdsKey, type Reply, type Site } from './site.ts';

/** The name of the limit for each visitor in RateLimit-Policy. */
const CLIENT_SCOPE = 'client';

export interface CountingFindings {
  readonly counting: Finding;
  readonly forgedAddress: Finding;
}

/** @param first the response to a plain POST, with a key. Uses one more key, or three if the numbers are not as expected. */
export async function checkCounting(site: Site, first: Answer): Promise<CountingFindings> {
  const second = await requestKey(site, forgedHeaders());
  if (isSameKey(first, second)) {
    const unknown = note('Unknown: two responses were the same, so they came from a cache (see not-cached).');
    return { counting: unknown, forgedAddress: unknown };
  }
  if (isNextCount(first, second)) {
    return { counting: counts(first, second), forgedAddress: forgedIgnored(first) };
  }

  const third = await requestKey(site);
  const fourth = await requestKey(site, forgedHeaders());
  if (isNextCount(third, fourth)) {
    return { counting: counts(third, fourth), forgedAddress: forgedIgnored(third) };
  }
  const counting = isNextCount(first, third) ? counts(first, third) : countsNot([first, second, third, fourth]);
  return { counting, forgedAddress: judgeForged(third, fourth, counting) };
}

/** Addresses reserved for documentation (RFC 5737, RFC 3849), random each time: if they had counters, those would be new. */
function forgedHeaders(): Record<string, string> {
  const [a = 0, b = 0, c = 0] = crypto.getRandomValues(new Uint8Array(3));
  const ipv4 = `203.0.113.${a}`;
  const ipv6 = `2001:db8:${b.toString(16)}:${c.toString(16)}00::1`;
  return {
    [VIEWER_ADDRESS_HEADER]: `${ipv4}:4711`,
    'x-forwarded-for': `${ipv4}, ${ipv6}`,
    forwarded: `for=${ipv4}, for="[${ipv6}]"`,
    'true-client-ip': ipv4,
    'x-real-ip': ipv4,
  };
}

function isSameKey(one: Answer, other: Reply): boolean {
  return other.kind === 'answer' && holdsKey(other) && other.json['value'] === one.json['value'];
}

/** One key fewer remains; or, if none remained before, the request is refused. */
function isNextCount(before: Reply, after: Reply): boolean {
  const [earlier, later] = [countIn(before), countIn(after)];
  if (earlier === undefined || later === undefined || earlier.scope !== later.scope) {
    return false;
  }
  return earlier.remaining === 0 ? later.isLimited : !later.isLimited && later.remaining === earlier.remaining - 1;
}

function countIn(reply: Reply) {
  if (reply.kind === 'silence' || !(holdsKey(reply) || isLimited(reply))) {
    return;
  }
  const count = countOf(reply);
  return count && { ...count, isLimited: isLimited(reply) };
}

function counts(before: Reply, after: Reply): Finding {
  const [earlier, later] = [countIn(before), countIn(after)];
  return later?.isLimited === true
    ? pass('The limit counts: the last key was issued, and the next request was refused.')
    : pass(`The limit counts: ${earlier?.remaining} keys remained, and ${later?.remaining} after the next key.`);
}

function countsNot(replies: readonly Reply[]): Finding {
  const seen = replies.map((reply) => countIn(reply)?.remaining);
  if (seen.every((remaining) => remaining === undefined)) {
    return note('Unknown: the responses do not say how many keys remain (see rate-limit-headers).');
  }
  const sequence = seen.map((remaining, index) => remaining ?? described(replies[index] ?? NOTHING)).join(', ');
  return fail(`Each key should lower the remaining number by one, but the numbers were: ${sequence}.`, {
    meaning:
      'If the number does not change, the limit does not work, and anybody can spend your money. If it skips, other visitors behind your address may be calling right now.',
    mend: 'Run this check again, if possible from a network that nobody else uses. If it fails again, pause the issuer, run the tests, and deploy this version:',
    commands: ['npm test', 'npm run deploy'],
  });
}

const NOTHING: Reply = { kind: 'silence', reason: 'not requested' };

function forgedIgnored(plain: Reply): Finding {
  return countIn(plain)?.scope === CLIENT_SCOPE
    ? pass('Forged addresses are ignored: a request with X-Forwarded-For and similar headers used the same counter.')
    : note(
        'Unknown: the headers show the limit for all visitors, because it is the closest to being reached. That limit also counts requests with forged addresses.',
      );
}

function judgeForged(plain: Reply, forged: Reply, counting: Finding): Finding {
  const [own, others] = [countIn(plain), countIn(forged)];
  if (own === undefined || others === undefined) {
    return note(`Unknown: the response to a request with forged addresses was ${described(forged)}.`);
  }
  if (others.isLimited || others.remaining < own.remaining) {
    return forgedIgnored(plain);
  }
  if (counting.result !== 'pass') {
    return note('Unknown: this check needs a limit that counts.');
  }
  return fail('A request with forged addresses was counted as another visitor.', {
    meaning:
      'An attacker who forges an address for each request gets as many keys as the limit for all visitors allows, at your expense.',
    mend: 'The function must identify visitors only by CloudFront-Viewer-Address, which the edge sets (lambda/visitor/viewer.ts). Pause the issuer, find out what forwards or trusts an address that the visitor sent, and deploy this version:',
    commands: ['npm run deploy'],
  });
}
