/**
 * Repeated requests. A visitor whose response was lost can send the request again with the same `Idempotency-Key`, and gets the
 * same key, which counts once. Without the header, nothing here is used.
 *
 *     absent --lock--> locked --store--> answered, until 5 s before the key expires
 *                        \--unlock: no key was issued, so there is nothing to store
 *
 * If a container dies, its lock expires after the function's timeout. This code compares all times itself, because DynamoDB may
 * delete an expired item days late.
 *
 * The table reveals nothing: the item's name and the encryption key are derived from the salt, the viewer and the
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

/** What every repeated request gets. */
export interface ReplayAnswer {
  readonly key: SessionKey;
  readonly limit: LimitState | undefined;
}

export type Replay =
  | { readonly kind: 'absent' }
  | { readonly kind: 'in_progress' }
  | { readonly kind: 'answered'; readonly answer: ReplayAnswer };

/** A lock that this request holds. */
export interface ReplayLock {
  /**
   * Stores the answer for repeated requests.
   * @returns false if the lock had expired and another request holds it: repeated requests get that request's answer
   * @throws StoreUnavailableError or StoreMisconfiguredError: a repeated request gets a new key after the lock has expired
   */
  readonly store: (answer: ReplayAnswer) => Promise<boolean>;
  /** @throws StoreUnavailableError or StoreMisconfiguredError: the lock expires after its time */
  readonly unlock: () => Promise<void>;
}

/** A key is not returned again in this time before it expires. */
const LAST_SECONDS_MS = 5_000;
/** DynamoDB may delete an item this long after it has expired. */
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

/** Reads an item at `now`, in epoch milliseconds. An item that cannot be decrypted counts as absent. */
export function replayIn(item: Item, { secret }: ReplayKey, now: number): Replay {
  const sealed = item['sealed']?.B;
  if (sealed !== undefined) {
    const answer = now < Number(item['usable_until']?.N ?? 0) ? unseal(sealed, secret) : undefined;
    return answer === undefined ? { kind: 'absent' } : { kind: 'answered', answer };
  }
  return now < Number(item['locked_until']?.N ?? 0) ? { kind: 'in_progress' } : { kind: 'absent' };
}

/**
 * Takes the lock, or returns the state that prevents it.
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
    async store(answer) {
      const expiresAt = answer.key.expires_at * 1_000;
      const storing = await write(table, key.pk, {
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
      // If the response to the write was lost, the item is already sealed when the SDK retries.
      return storing.applied || storing.item['held_by']?.S === owner;
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

/** Undefined if the data was changed. */
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
