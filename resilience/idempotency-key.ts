/**
 * Idempotency keys. A key identifies one operation and is sent with every attempt, so that the server can distinguish a retry from a
 * new operation. Send it in the header `Idempotency-Key`.
 */

/** @returns 128 random bits as 32 hex digits */
export function createIdempotencyKey(): string {
  // Not `crypto.randomUUID`, which is not available to pages served over plain http.
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
