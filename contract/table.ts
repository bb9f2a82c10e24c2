/** The table's schema, which the construct deploys and the local stack creates. */

export const PARTITION_KEY = 'pk';

/** DynamoDB deletes an item some time after this epoch second. Days late at worst: never a clock. */
export const TTL_ATTRIBUTE = 'expires_at';

/** The kill switch's item: the one that the guard may write. */
export const SWITCH_KEY = 'switch';
