/**
 * Blocks. An operator can block a visitor until a given time; the visitor is stored as a pseudonym. A block is read together with
 * the kill switch, so it takes effect with the next request.
 */
import { type Item, put, type Table } from '../../limiter/index.ts';
import type { ViewerId } from '../visitor/viewer.ts';

export interface Block {
  /** Epoch milliseconds. */
  readonly until: number;
  /** The operator's message to the visitor, by language. */
  readonly message: { readonly ja: string | undefined; readonly en: string | undefined };
}

/** DynamoDB may delete an item this long after its block has ended. */
const KEPT_S = 3_600;

export function blockKey(viewer: ViewerId): string {
  return `block#${viewer}`;
}

/** The block in effect at `now` (epoch milliseconds), if any. A block without a readable end time never ends. */
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
 * Writes a block. To remove a block, write one whose end is in the past.
 * @throws StoreUnavailableError or StoreMisconfiguredError: the previous block may still be in effect
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
