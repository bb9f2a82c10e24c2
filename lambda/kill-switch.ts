/**
 * The kill switch: one item of the table, read consistently for every request before anything is reserved, so that it
 * binds on the very next one. No item means on; an item that says anything but `paused: false` means off.
 */
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { SWITCH_KEY } from '../contract/table.ts';
import { type Item, put, read, type Table } from '../limiter/index.ts';

export { SWITCH_KEY };

export type Switch =
  | { readonly paused: false }
  | {
      readonly paused: true;
      /** Epoch seconds. */
      readonly since: number | undefined;
      readonly by: string | undefined;
      /** The operator's words to visitors, by language. */
      readonly message: { readonly ja: string | undefined; readonly en: string | undefined };
    };

/** @throws StoreUnavailableError or StoreMisconfiguredError: then no key may leave */
export async function readSwitch(table: Table): Promise<Switch> {
  return switchIn(await read(table, SWITCH_KEY));
}

/** @throws StoreUnavailableError or StoreMisconfiguredError: then the switch may be as it was */
export async function writeSwitch(table: Table, state: Switch): Promise<void> {
  await put(table, { pk: { S: SWITCH_KEY }, ...attributesOf(state) });
}

/**
 * Pauses, unless somebody did before: their words and the time since when stay.
 * @returns whether it was this call that paused
 * @throws StoreUnavailableError or StoreMisconfiguredError: then the switch may be as it was
 */
export async function pauseUnlessPaused(table: Table, state: Switch & { readonly paused: true }): Promise<boolean> {
  return await put(table, { pk: { S: SWITCH_KEY }, ...attributesOf(state) }, NOT_PAUSED);
}

/** What {@link switchIn} takes for "on", as a condition. */
const NOT_PAUSED = {
  ConditionExpression: 'attribute_not_exists(pk) OR paused = :false',
  ExpressionAttributeValues: { ':false': { BOOL: false } },
};

/** What the item says. */
export function switchIn(item: Item): Switch {
  if (Object.keys(item).length === 0 || item['paused']?.BOOL === false) {
    return { paused: false };
  }
  return {
    paused: true,
    since: item['since']?.N === undefined ? undefined : Number(item['since'].N),
    by: item['by']?.S,
    message: { ja: item['message_ja']?.S, en: item['message_en']?.S },
  };
}

function attributesOf(state: Switch): Record<string, AttributeValue> {
  if (!state.paused) {
    return { paused: { BOOL: false } };
  }
  const { since, by, message } = state;
  return {
    paused: { BOOL: true },
    ...(since === undefined ? {} : { since: { N: String(since) } }),
    ...(by === undefined ? {} : { by: { S: by } }),
    ...(message.ja === undefined ? {} : { message_ja: { S: message.ja } }),
    ...(message.en === undefined ? {} : { message_en: { S: message.en } }),
  };
}
