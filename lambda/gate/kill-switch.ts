/**
 * The kill switch: one item of the table, read consistently for every request before anything is reserved, so that it
 * binds on the very next one. No item means on; an item that says anything but `paused: false` means off.
 */
import { randomBytes } from 'node:crypto';
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { SWITCH_KEY } from '../../contract/table.ts';
import { type Item, read, type Table, write } from '../../limiter/index.ts';

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

/** Who pauses, when and with what words. */
export type Pause = Omit<Extract<Switch, { paused: true }>, 'paused' | 'since' | 'by'> & {
  /** Epoch seconds. */
  readonly since: number;
  readonly by: string;
  /**
   * Epoch seconds, of AWS's clocks: what it answers, where that may be long past. Whoever has resumed since has dealt with
   * it already. @default nobody can have
   */
  readonly causedAt?: number;
};

export interface PauseOutcome {
  /** Whether it was this call that paused. */
  readonly ours: boolean;
  /** As it stands now: on, where somebody has resumed since the cause. */
  readonly state: Switch;
  /** Epoch seconds of the latest resume, where it is known. */
  readonly resumedAt: number | undefined;
}

/** Of the issuer: nobody has paused it. */
const IS_ON = '(attribute_not_exists(pk) OR paused = :false)';
/** A second is as fine as it is noted: what falls into the same one counts as later, and pauses. */
const NOT_RESUMED_SINCE = '(attribute_not_exists(resumed_at) OR resumed_at <= :caused_at)';

/**
 * Pauses, unless somebody has: a pause that stands keeps its author, its time and its words. Where the answer is lost and
 * the SDK asks again, the item's `pause_id` tells that the pause which stands is this one.
 * @throws StoreUnavailableError or StoreMisconfiguredError: then the switch may be as it was
 */
export async function pause(table: Table, { since, by, message, causedAt }: Pause): Promise<PauseOutcome> {
  const words = messageAttributes(message);
  const id = newId();
  const absent = MESSAGE_ATTRIBUTES.filter((name) => words[name] === undefined);
  const { applied, item } = await write(table, SWITCH_KEY, {
    UpdateExpression: [
      ['SET paused = :true', 'since = :since', '#by = :by', 'pause_id = :id', ...Object.keys(words).map(assign)].join(
        ', ',
      ),
      `REMOVE ${[...absent, PREVIOUS_CAP].join(', ')}`,
    ].join(' '),
    ConditionExpression: causedAt === undefined ? IS_ON : `${IS_ON} AND ${NOT_RESUMED_SINCE}`,
    ExpressionAttributeNames: { '#by': 'by' },
    values: {
      ':true': { BOOL: true },
      ':false': { BOOL: false },
      ':since': { N: String(since) },
      ':by': { S: by },
      ':id': { S: id },
      ...(causedAt === undefined ? {} : { ':caused_at': { N: String(causedAt) } }),
      ...valuesFor(words),
    },
    repeat: 'anytime',
  });
  return {
    ours: applied || item['pause_id']?.S === id,
    state: switchIn(item),
    resumedAt: item['resumed_at']?.N === undefined ? undefined : Number(item['resumed_at'].N),
  };
}

/**
 * Ends the pause that was read, and none that somebody has made or hardened since: that one is the later command.
 * @param seen the item as it was read
 * @param at epoch seconds, of AWS's clock; undefined where that is not known, and then each alarm counts as a new one
 * @returns the switch as it stands now
 * @throws as {@link pause}
 */
export async function resume(table: Table, seen: Item, at: number | undefined): Promise<Switch> {
  const { pause_id: id } = seen;
  const { item } = await write(table, SWITCH_KEY, {
    UpdateExpression: [
      ['SET paused = :false', ...(at === undefined ? [] : ['resumed_at = :at'])].join(', '),
      `REMOVE ${['since', '#by', 'pause_id', ...MESSAGE_ATTRIBUTES, PREVIOUS_CAP].join(', ')}`,
    ].join(' '),
    ConditionExpression: `NOT ${IS_ON} AND ${id === undefined ? 'attribute_not_exists(pause_id)' : 'pause_id = :id'}`,
    ExpressionAttributeNames: { '#by': 'by' },
    values: {
      ':false': { BOOL: false },
      ...(at === undefined ? {} : { ':at': { N: String(at) } }),
      ...(id === undefined ? {} : { ':id': id }),
    },
    // Refused because it was applied already, it finds the switch on, as it should be.
    repeat: 'anytime',
  });
  return switchIn(item);
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

/**
 * Makes another pause of the one that stands: whoever has read it without the note must not resume it.
 * @returns false if nobody has paused: then nothing is noted. @throws as {@link pause}
 */
export async function notePreviousCap(table: Table, cap: Cap): Promise<boolean> {
  const { applied } = await write(table, SWITCH_KEY, {
    UpdateExpression: `SET ${PREVIOUS_CAP} = :cap, pause_id = :id`,
    ConditionExpression: `NOT ${IS_ON}`,
    values: { ':false': { BOOL: false }, ':cap': { S: String(cap) }, ':id': { S: newId() } },
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

const MESSAGE_ATTRIBUTES = ['message_ja', 'message_en'];

function messageAttributes({ ja, en }: Pause['message']): Record<string, AttributeValue> {
  return {
    ...(ja === undefined ? {} : { message_ja: { S: ja } }),
    ...(en === undefined ? {} : { message_en: { S: en } }),
  };
}

function newId(): string {
  return randomBytes(9).toString('base64url');
}

function assign(name: string): string {
  return `${name} = :${name}`;
}

function valuesFor(attributes: Record<string, AttributeValue>): Record<string, AttributeValue> {
  return Object.fromEntries(Object.entries(attributes).map(([name, value]) => [`:${name}`, value]));
}
