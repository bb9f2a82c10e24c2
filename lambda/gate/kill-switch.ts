/**
 * The kill switch, one item of the table. Every request reads it consistently before it reserves anything, so a pause takes effect
 * with the next request. No item means that the issuer is not paused; an item without `paused: false` means that it is paused.
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
      /** The operator's message to visitors, by language. */
      readonly message: { readonly ja: string | undefined; readonly en: string | undefined };
    };

/** @throws StoreUnavailableError or StoreMisconfiguredError: no key may be issued */
export async function readSwitch(table: Table): Promise<Switch> {
  return switchIn(await read(table, SWITCH_KEY));
}

/** Who pauses, when, and with which message. */
export type Pause = Omit<Extract<Switch, { paused: true }>, 'paused' | 'since' | 'by'> & {
  /** Epoch seconds. */
  readonly since: number;
  readonly by: string;
  /**
   * When the cause of the pause happened, in epoch seconds by AWS's clocks. It may be long ago. If an operator has resumed since
   * then, the cause has been dealt with, and nothing is changed. @default pauses whether or not an operator has resumed
   */
  readonly causedAt?: number;
};

/** The function's reserved concurrency. `none`: none is reserved. */
export type Cap = number | 'none';

/** What changes in a pause that exists already. */
export interface Amendment {
  /** A language without a new message keeps its old one. */
  readonly message?: Pause['message'];
  /** Makes the pause hard, which sets the function's reserved concurrency to 0. */
  readonly hard?: {
    /** The reserved concurrency to restore later. Undefined if it is 0 already: the recorded value then stays. */
    readonly previousCap: Cap | undefined;
  };
}

export interface PauseOutcome {
  /** Whether this call paused the issuer. */
  readonly ours: boolean;
  /** The switch as it is now: not paused if an operator has resumed since the cause. */
  readonly state: Switch;
  /** Epoch seconds of the latest resume, if known. */
  readonly resumedAt: number | undefined;
}

/** Set while the current pause is meant to be hard. */
const HARD = 'hard';
const PREVIOUS_CAP = 'previous_cap';

/** The issuer is not paused. */
const IS_NOT_PAUSED = '(attribute_not_exists(pk) OR paused = :false)';
/** Times are stored in whole seconds. A cause in the same second as the resume counts as later, and pauses. */
const NOT_RESUMED_SINCE = '(attribute_not_exists(resumed_at) OR resumed_at <= :caused_at)';

/**
 * Pauses the issuer, softly. If it is paused already, that pause keeps its author, time and message. If DynamoDB's response is lost
 * and the SDK retries the write, `pause_id` shows that the stored pause is this one.
 * @throws StoreUnavailableError or StoreMisconfiguredError: the switch may be unchanged
 */
export async function pause(table: Table, { since, by, message, causedAt }: Pause): Promise<PauseOutcome> {
  const attributes = messageAttributes(message);
  const id = newId();
  const absent = MESSAGE_ATTRIBUTES.filter((name) => attributes[name] === undefined);
  const { applied, item } = await write(table, SWITCH_KEY, {
    UpdateExpression: [
      [
        'SET paused = :true',
        'since = :since',
        '#by = :by',
        'pause_id = :id',
        ...Object.keys(attributes).map(assign),
      ].join(', '),
      `REMOVE ${[...absent, HARD].join(', ')}`,
    ].join(' '),
    ConditionExpression: causedAt === undefined ? IS_NOT_PAUSED : `${IS_NOT_PAUSED} AND ${NOT_RESUMED_SINCE}`,
    ExpressionAttributeNames: { '#by': 'by' },
    values: {
      ':true': { BOOL: true },
      ':false': { BOOL: false },
      ':since': { N: String(since) },
      ':by': { S: by },
      ':id': { S: id },
      ...(causedAt === undefined ? {} : { ':caused_at': { N: String(causedAt) } }),
      ...valuesFor(attributes),
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
 * Changes the current pause. A pause that is made hard also gets a new `pause_id`, so that an operator who read the pause before
 * cannot resume it. The intention and the concurrency to restore are one write, so neither is ever stored without the other.
 * @returns false if the issuer is not paused: nothing was changed. @throws as {@link pause}
 */
export async function amend(table: Table, { message, hard }: Amendment): Promise<boolean> {
  const previousCap = hard?.previousCap;
  const attributes: Record<string, AttributeValue> = {
    ...(message === undefined ? {} : messageAttributes(message)),
    ...(hard === undefined ? {} : { [HARD]: { BOOL: true }, pause_id: { S: newId() } }),
    ...(previousCap === undefined ? {} : { [PREVIOUS_CAP]: { S: String(previousCap) } }),
  };
  const { applied } = await write(table, SWITCH_KEY, {
    UpdateExpression: `SET ${Object.keys(attributes).map(assign).join(', ')}`,
    ConditionExpression: `NOT ${IS_NOT_PAUSED}`,
    values: { ':false': { BOOL: false }, ...valuesFor(attributes) },
    repeat: 'anytime',
  });
  return applied;
}

/**
 * Ends the pause that the caller has read. If another operator has paused or made the pause hard since then, nothing is changed,
 * because that command is the later one. The recorded concurrency stays in the item: a command that was delayed or interrupted may
 * still set the concurrency to 0, and only the record says what to restore.
 * @param seen the item as it was read
 * @param at epoch seconds by AWS's clock; undefined if not known, and then every alarm counts as a new one
 * @returns the switch as it is now
 * @throws as {@link pause}
 */
export async function resume(table: Table, seen: Item, at: number | undefined): Promise<Switch> {
  const { pause_id: id } = seen;
  const { item } = await write(table, SWITCH_KEY, {
    UpdateExpression: [
      ['SET paused = :false', ...(at === undefined ? [] : ['resumed_at = :at'])].join(', '),
      `REMOVE ${['since', '#by', 'pause_id', ...MESSAGE_ATTRIBUTES, HARD].join(', ')}`,
    ].join(' '),
    ConditionExpression: `NOT ${IS_NOT_PAUSED} AND ${id === undefined ? 'attribute_not_exists(pause_id)' : 'pause_id = :id'}`,
    ExpressionAttributeNames: { '#by': 'by' },
    values: {
      ':false': { BOOL: false },
      ...(at === undefined ? {} : { ':at': { N: String(at) } }),
      ...(id === undefined ? {} : { ':id': id }),
    },
    // If a retry is refused because the first attempt was applied, the item it returns is not paused, which is the right result.
    repeat: 'anytime',
  });
  return switchIn(item);
}

/** Whether the current pause is meant to be hard. The function itself does not read it. */
export function isHardPause(item: Item): boolean {
  return switchIn(item).paused && item[HARD]?.BOOL === true;
}

/**
 * The reserved concurrency before the latest hard pause. A resume keeps it. Undefined if no hard pause has recorded one. The
 * function itself does not read it.
 */
export function previousCapIn(item: Item): Cap | undefined {
  const text = item[PREVIOUS_CAP]?.S;
  if (text === 'none') {
    return text;
  }
  return text !== undefined && /^[1-9]\d*$/.test(text) ? Number(text) : undefined;
}

/** Reads the switch from its item. */
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
