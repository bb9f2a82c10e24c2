/**
 * Repeats of one request. With an `Idempotency-Key`, a visitor whose answer got lost asks again and gets the same key, which
 * counts once. Without the header, nothing here happens.
 *
 *     absent --lock--> locked --remember--> answered, until 5 s before the key expires
 *                        \--unlock: no key was handed out, so there is nothing to remember
 *
 * A lock that nobody takes back, because its container died, ends with the function's timeout. All times are compared
 * here: DynamoDB's own deletion may come days late.
 *
 * Nobody who reads the table learns anything: item and cipher are named and keyed by the salt, the viewer and the
 * Idempotency-Key, which is not stored.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { FUNCTION_TIMEOUT_MS } from '../../contract/times.ts';
import { type Item, type LimitState, type Table, write } from '../../limiter/index.ts';
import type { SessionKey } from '../openai/mint.ts';
import type { ViewerId } from '../visitor/viewer.ts';

/** One viewer's Idempotency-Key. */
export interface ReplayKey {
  /** The item's key. */
  readonly pk: string;
  readonly secret: Uint8Array;
}

/** What is given to every repeat. */
export interface ReplayAnswer {
  readonly key: SessionKey;
  readonly limit: LimitState | undefined;
}

export type Replay =
  | { readonly kind: 'absent' }
  | { readonly kind: 'in_progress' }
  | { readonly kind: 'answered'; readonly answer: ReplayAnswer };

/** A lock that is ours. */
export interface ReplayLock {
  /**
   * @returns false if the lock had ended and somebody else holds it: then repeats hear the other's answer
   * @throws StoreUnavailableError or StoreMisconfiguredError: then a repeat gets a new key once the lock has ended
   */
  readonly remember: (answer: ReplayAnswer) => Promise<boolean>;
  /** @throws StoreUnavailableError or StoreMisconfiguredError: then the lock ends by itself */
  readonly unlock: () => Promise<void>;
}

/** A key that is about to expire is of no use to whoever hears of it now. */
const LAST_SECONDS_MS = 5_000;
/** DynamoDB may delete an item this long after it was of use. */
const KEPT_S = 60;
const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

const IS_ABSENT = 'attribute_not_exists(pk)';
const LOCK_HAS_ENDED = '(attribute_not_exists(sealed) AND locked_until <= :now)';
const ANSWER_HAS_ENDED = 'usable_until <= :now';
const IS_OURS = 'held_by = :owner AND attribute_not_exists(sealed)';

export function replayKey(viewer: ViewerId, idempotencyKey: string, salt: Uint8Array): ReplayKey {
  const derived = Buffer.from(hkdfSync('sha256', idempotencyKey, salt, `replay ${viewer}`, 48));
  return { pk: `replay#${derived.subarray(0, 16).toString('hex')}`, secret: derived.subarray(16) };
}

/** What an item of the table says, at `now` in epoch milliseconds. One that cannot be read is as if it were absent. */
export function replayIn(item: Item, { secret }: ReplayKey, now: number): Replay {
  const sealed = item['sealed']?.B;
  if (sealed !== undefined) {
    const answer = now < Number(item['usable_until']?.N ?? 0) ? unseal(sealed, secret) : undefined;
    return answer === undefined ? { kind: 'absent' } : { kind: 'answered', answer };
  }
  return now < Number(item['locked_until']?.N ?? 0) ? { kind: 'in_progress' } : { kind: 'absent' };
}

/**
 * Takes the lock, or says what stands in its way.
 * @throws StoreUnavailableError or StoreMisconfiguredError
 */
export async function lockReplay(table: Table, key: ReplayKey, now: number): Promise<Replay | ReplayLock> {
  const owner = randomBytes(9).toString('base64url');
  const lockedUntil = now + FUNCTION_TIMEOUT_MS;
  const { applied, item } = await write(table, key.pk, {
    UpdateExpression:
      'SET held_by = :owner, locked_until = :locked_until, expires_at = :kept_until REMOVE sealed, usable_until',
    ConditionExpression: `${IS_ABSENT} OR ${LOCK_HAS_ENDED} OR ${ANSWER_HAS_ENDED}`,
    values: {
      ':owner': { S: owner },
      ':now': { N: String(now) },
      ':locked_until': { N: String(lockedUntil) },
      ':kept_until': keptUntil(lockedUntil),
    },
    repeat: 'anytime',
  });
  if (!applied && item['held_by']?.S !== owner) {
    return replayIn(item, key, now);
  }
  return {
    async remember(answer) {
      const expiresAt = answer.key.expires_at * 1_000;
      const remembering = await write(table, key.pk, {
        UpdateExpression: 'SET sealed = :sealed, usable_until = :usable_until, expires_at = :kept_until',
        ConditionExpression: IS_OURS,
        values: {
          ':owner': { S: owner },
          ':sealed': { B: seal(answer, key.secret) },
          ':usable_until': { N: String(expiresAt - LAST_SECONDS_MS) },
          ':kept_until': keptUntil(expiresAt),
        },
        repeat: 'anytime',
      });
      // Where the answer to the write was lost, it is sealed already when the SDK asks again.
      return remembering.applied || remembering.item['held_by']?.S === owner;
    },
    async unlock() {
      await write(table, key.pk, {
        UpdateExpression: 'SET locked_until = :zero',
        ConditionExpression: IS_OURS,
        values: { ':owner': { S: owner }, ':zero': { N: '0' } },
        repeat: 'anytime',
      });
    },
  };
}

function keptUntil(at: number) {
  return { N: String(Math.ceil(at / 1_000) + KEPT_S) };
}

/** nonce, tag, ciphertext */
function seal(answer: ReplayAnswer, secret: Uint8Array): Uint8Array {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, secret, nonce);
  const ciphertext = Buffer.concat([cipher.update(JSON.stringify(answer)), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), ciphertext]);
}

/** Undefined if anybody has changed it. */
function unseal(sealed: Uint8Array, secret: Uint8Array): ReplayAnswer | undefined {
  try {
    const decipher = createDecipheriv(CIPHER, secret, sealed.subarray(0, NONCE_BYTES));
    decipher.setAuthTag(sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
    const text = Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]);
    return JSON.parse(text.toString());
  } catch {
    return undefined;
  }
}
