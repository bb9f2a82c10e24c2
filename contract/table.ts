/** The table's schema. The construct deploys it, and the local stack creates it. */

export const PARTITION_KEY = 'pk';

/** Epoch seconds. DynamoDB deletes an item after this time, possibly days later, so no decision may depend on it. */
export const TTL_ATTRIBUTE = 'expires_at';

/** The key of the kill switch's item, the only item that the guard function may write. */
export const SWITCH_KEY = 'switch';
