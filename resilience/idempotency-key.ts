/**
 * A name for one operation, made once and sent with every attempt at it, so that a server can tell a retry from a
 * second wish. Send it as the header `Idempotency-Key`.
 */

/** @returns 128 random bits as 32 hex digits */
export function createIdempotencyKey(): string {
  // Not `crypto.randomUUID`, which pages served over plain http do not have.
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
