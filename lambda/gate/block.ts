/**
 * Blocks: a visitor whom the operator has shut out until a time, by pseudonym. Read together with the switch, so that a block
 * binds on the very next request.
 */
import { type Item, put, type Table } from '../../limiter/index.ts';
import type { ViewerId } from '../visitor/viewer.ts';

export interface Block {
  /** Epoch milliseconds. */
  readonly until: number;
  /** The operator's words to the visitor, by language. */
  readonly message: { readonly ja: string | undefined; readonly en: string | undefined };
}

/** DynamoDB may delete an item this long after its block has ended. */
const KEPT_S = 3_600;

export function blockKey(viewer: ViewerId): string {
  return `block#${viewer}`;
}

/** The block that stands at `now`, in epoch milliseconds, if one does. An item without a readable end never ends. */
export function blockIn(item: Item, now: number): Block | undefined {
  if (Object.keys(item).length === 0) {
    return undefined;
  }
  const until = Number(item['blocked_until']?.N ?? Number.NaN);
  if (until <= now) {
    return undefined;
  }
  const message = { ja: item['message_ja']?.S, en: item['message_en']?.S };
  return { until: Number.isNaN(until) ? Number.POSITIVE_INFINITY : until, message };
}

/**
 * A block that has ended already is how one is taken off.
 * @throws StoreUnavailableError or StoreMisconfiguredError: then the visitor may be blocked as before
 */
export async function writeBlock(table: Table, viewer: ViewerId, { until, message }: Block): Promise<void> {
  await put(table, {
    pk: { S: blockKey(viewer) },
    blocked_until: { N: String(until) },
    expires_at: { N: String(Math.ceil(until / 1_000) + KEPT_S) },
    ...(message.ja === undefined ? {} : { message_ja: { S: message.ja } }),
    ...(message.en === undefined ? {} : { message_en: { S: message.en } }),
  });
}
