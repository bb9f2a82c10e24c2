/**
 * Does the limit count, and does it count who really calls? Two POSTs answer both: the second one carries forged
 * addresses, and must find the counter where the first one left it.
 *
 *     plain 9, forged 8              it counts, and forged addresses change nothing
 *     plain 9, forged 9, plain 8     forged addresses have counters of their own
 *     plain 9, forged 9, plain 9     it does not count
 *
 * A window that ends in between, or somebody else behind the same address, looks wrong once: so whatever looks wrong is
 * tried a second time.
 */
import { VIEWER_ADDRESS_HEADER } from '../../contract/endpoint.ts';
import { type Finding, fail, note, pass } from '../output/finding.ts';
import { askForKey } from './key.ts';
import { countOf, isLimited } from './rate-limit.ts';
import { type Answer, described, holdsKey, type Reply, type Site } from './site.ts';

/** The limit for each visitor, as RateLimit-Policy names it. */
const CLIENT_SCOPE = 'client';

export interface CountingFindings {
  readonly counting: Finding;
  readonly forgedAddress: Finding;
}

/** @param first the answer to a plain POST, holding a key. Costs one more key, or three if something looks wrong. */
export async function checkCounting(site: Site, first: Answer): Promise<CountingFindings> {
  const second = await askForKey(site, forgedHeaders());
  if (isSameKey(first, second)) {
    const untold = note('Not known: two answers were the same one, so they come from a cache (see not-cached).');
    return { counting: untold, forgedAddress: untold };
  }
  if (goesOn(first, second)) {
    return { counting: counts(first, second), forgedAddress: forgedIgnored(first) };
  }

  const third = await askForKey(site);
  const fourth = await askForKey(site, forgedHeaders());
  if (goesOn(third, fourth)) {
    return { counting: counts(third, fourth), forgedAddress: forgedIgnored(third) };
  }
  const counting = goesOn(first, third) ? counts(first, third) : countsNot([first, second, third, fourth]);
  return { counting, forgedAddress: judgeForged(third, fourth, counting) };
}

/** Addresses that nobody has (RFC 5737, RFC 3849), and new ones each time: a counter of theirs would be a fresh one. */
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

/** One less than before; or refused, if nothing remained. */
function goesOn(before: Reply, after: Reply): boolean {
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
    ? pass('The limit counts: the last key was given out, and the next call was refused.')
    : pass(`The limit counts: ${earlier?.remaining} keys remained, and after one more ${later?.remaining}.`);
}

function countsNot(replies: readonly Reply[]): Finding {
  const seen = replies.map((reply) => countIn(reply)?.remaining);
  if (seen.every((remaining) => remaining === undefined)) {
    return note('Not known: the answers do not say how many keys remain (see rate-limit-headers).');
  }
  const sequence = seen.map((remaining, index) => remaining ?? described(replies[index] ?? NOTHING)).join(', ');
  return fail(`Each call should leave one key less, and the remaining keys were: ${sequence}.`, {
    meaning:
      'If the number stands still, the limit protects nothing, and your money is open to everybody. If it skips, other visitors behind your address may be calling at this very moment.',
    mend: 'Run this again, best from a network that you share with nobody. If it fails again, pause the issuer and compare the deployed version with this one.',
    commands: ['npm test', 'npm run deploy'],
  });
}

const NOTHING: Reply = { kind: 'silence', reason: 'not asked' };

function forgedIgnored(plain: Reply): Finding {
  return countIn(plain)?.scope === CLIENT_SCOPE
    ? pass('Forged addresses are ignored: a call with X-Forwarded-For and the like went on with the same counter.')
    : note(
        'Not known: the headers speak of the limit for everybody, which is nearest to refusing, and that one counts forged callers too.',
      );
}

function judgeForged(plain: Reply, forged: Reply, counting: Finding): Finding {
  const [own, others] = [countIn(plain), countIn(forged)];
  if (own === undefined || others === undefined) {
    return note(`Not known: a call with forged addresses was answered with ${described(forged)}.`);
  }
  if (others.isLimited || others.remaining < own.remaining) {
    return forgedIgnored(plain);
  }
  if (counting.result !== 'pass') {
    return note('Not known: that needs a limit that counts.');
  }
  return fail('A call with forged addresses was counted as somebody else.', {
    meaning:
      'Whoever invents an address for each call gets as many keys as the limit for everybody allows. Your money is open to them.',
    mend: 'Who calls must come from CloudFront-Viewer-Address alone, as the edge sets it (lambda/visitor/viewer.ts). Pause the issuer, find what passes on or trusts an address that the visitor sent, and deploy this version:',
    commands: ['npm run deploy'],
  });
}
