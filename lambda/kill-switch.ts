/**
 * The kill switch: one item of the table, read consistently for every request before anything is reserved, so that it
 * binds on the very next one. No item means on; an item that says anything but `paused: false` means off.
 */
import { randomBytes } from 'node:crypto';
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { SWITCH_KEY } from '../contract/table.ts';
import { type Item, put, read, type Table, write } from '../limiter/index.ts';

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

/** Who pauses, when and with what words. */
export type Pause = Omit<Extract<Switch, { paused: true }>, 'paused' | 'since' | 'by'> & {
  /** Epoch seconds. */
  readonly since: number;
  readonly by: string;
};

/** Of the issuer: nobody has paused it. */
const IS_ON = '(attribute_not_exists(pk) OR paused = :false)';

/**
 * Pauses, unless somebody has: a pause that stands keeps its author, its time and its words. Where the answer is lost and
 * the SDK asks again, the item's `pause_id` tells that the pause which stands is this one.
 * @returns whether it was this call that paused, and the switch as it stands now
 * @throws StoreUnavailableError or StoreMisconfiguredError: then the switch may be as it was
 */
export async function pause(table: Table, { since, by, message }: Pause): Promise<{ ours: boolean; state: Switch }> {
  const words = messageAttributes(message);
  const id = randomBytes(9).toString('base64url');
  const absent = MESSAGE_ATTRIBUTES.filter((name) => words[name] === undefined);
  const { applied, item } = await write(table, SWITCH_KEY, {
    UpdateExpression: [
      ['SET paused = :true', 'since = :since', '#by = :by', 'pause_id = :id', ...Object.keys(words).map(assign)].join(
        ', ',
      ),
      `REMOVE ${[...absent, PREVIOUS_CAP].join(', ')}`,
    ].join(' '),
    ConditionExpression: IS_ON,
    ExpressionAttributeNames: { '#by': 'by' },
    values: {
      ':true': { BOOL: true },
      ':false': { BOOL: false },
      ':since': { N: String(since) },
      ':by': { S: by },
      ':id': { S: id },
      ...valuesFor(words),
    },
    repeat: 'anytime',
  });
  return { ours: applied || item['pause_id']?.S === id, state: switchIn(item) };
}

/**
 * Gives a pause that stands other words; a language without any keeps those that it has.
 * @returns false if nobody has paused
 * @throws StoreUnavailableError or StoreMisconfiguredError: then the words may be as they were
 */
export async function reword(table: Table, message: Pause['message']): Promise<boolean> {
  const words = messageAttributes(message);
  const { applied } = await write(table, SWITCH_KEY, {
    UpdateExpression: `SET ${Object.keys(words).map(assign).join(', ')}`,
    ConditionExpression: `NOT ${IS_ON}`,
    values: { ':false': { BOOL: false }, ...valuesFor(words) },
    repeat: 'anytime',
  });
  return applied;
}

/**
 * The function's reserved concurrency before a hard pause took it to 0, kept here for whoever resumes. The function
 * itself does not read it.
 */
export type Cap = number | 'none';

const PREVIOUS_CAP = 'previous_cap';

/** @returns false if nobody has paused: then nothing is noted. @throws as {@link pause} */
export async function notePreviousCap(table: Table, cap: Cap): Promise<boolean> {
  const { applied } = await write(table, SWITCH_KEY, {
    UpdateExpression: `SET ${PREVIOUS_CAP} = :cap`,
    ConditionExpression: `NOT ${IS_ON}`,
    values: { ':false': { BOOL: false }, ':cap': { S: String(cap) } },
    repeat: 'anytime',
  });
  return applied;
}

/** Undefined where no hard pause noted one. */
export function previousCapIn(item: Item): Cap | undefined {
  const text = item[PREVIOUS_CAP]?.S;
  if (text === 'none') {
    return text;
  }
  return text !== undefined && /^[1-9]\d*$/.test(text) ? Number(text) : undefined;
}

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
    ...messageAttributes(message),
  };
}

const MESSAGE_ATTRIBUTES = ['message_ja', 'message_en'];

function messageAttributes({ ja, en }: Pause['message']): Record<string, AttributeValue> {
  return {
    ...(ja === undefined ? {} : { message_ja: { S: ja } }),
    ...(en === undefined ? {} : { message_en: { S: en } }),
  };
}

function assign(name: string): string {
  return `${name} = :${name}`;
}

function valuesFor(attributes: Record<string, AttributeValue>): Record<string, AttributeValue> {
  return Object.fromEntries(Object.entries(attributes).map(([name, value]) => [`:${name}`, value]));
}
