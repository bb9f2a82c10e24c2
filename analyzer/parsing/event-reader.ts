/**
 * The exact reader for an element of the core schema. A client and a type are required; an invalid timestamp or interval is
 * reported, and the event is counted without it. If a key occurs twice, the last value counts.
 */
import { Buffer } from 'node:buffer';
import { LONGEST_NAME } from './client-table.ts';
import { EVENT_TYPES, type EventType } from './event.ts';
import { type Fields, isFields, type ReadResult, rejected } from './read-result.ts';
import { parseTimestamp } from './timestamp.ts';

const NUMBER = /^\s*\d+(\.\d+)?([eE][+-]?\d+)?\s*$/;
const LONGEST_EXCERPT = 40;
/** Half a surrogate pair, or the replacement character for invalid UTF-8: different names would look the same. */
const UNDECODED = /[\p{Cs}\ufffd]/u;

export const NOT_JSON = 'is not JSON';

export function readCoreElement(text: string): ReadResult {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return rejected(NOT_JSON);
  }
  return isFields(value) ? judge(value) : rejected('is not an object');
}

function judge(fields: Fields): ReadResult {
  const client = readClient(fields['client_ip']);
  const type = EVENT_TYPES.find((name) => name === fields['event_type']);
  if (client === undefined) {
    return rejected(`${complaintOfClient(fields['client_ip'])}: ${show('client_ip', fields)}`);
  }
  if (type === undefined) {
    return rejected(`has none of the event types ${EVENT_TYPES.join(', ')}: ${show('event_type', fields)}`);
  }
  return withRest(client, type, fields);
}

function withRest(client: string, type: EventType, fields: Fields): ReadResult {
  const timestamp = parseTimestamp(fields['timestamp']);
  const interval = readInterval(fields['retry_interval_ms']);
  const complaints = [
    ...(Number.isNaN(timestamp)
      ? [`has no valid timestamp, and is counted without one: ${show('timestamp', fields)}`]
      : []),
    ...(interval === undefined
      ? [`has no valid interval, and is counted without one: ${show('retry_interval_ms', fields)}`]
      : []),
  ];
  const event = { client, type, timestamp, interval: interval ?? Number.NaN };
  return complaints.length === 0
    ? { kind: 'event', event }
    : { kind: 'event', event, complaint: complaints.join('; ') };
}

/**
 * @returns the name without surrounding white space; undefined if it is invalid, or so long that names could fill the
 *   memory
 */
export function readClient(value: unknown): string | undefined {
  const name = typeof value === 'string' ? value.trim() : '';
  return name !== '' && isShort(name) && !UNDECODED.test(name) ? name : undefined;
}

export function complaintOfClient(value: unknown): string {
  if (typeof value !== 'string' || value.trim() === '') {
    return 'has no client';
  }
  return isShort(value.trim())
    ? 'has a client name that is not valid Unicode'
    : `has a client name that is longer than ${LONGEST_NAME} bytes`;
}

function isShort(name: string): boolean {
  return Buffer.byteLength(name) <= LONGEST_NAME;
}

/** @returns NaN if the interval is missing, undefined if it is invalid */
function readInterval(value: unknown): number | undefined {
  if (value === undefined || value === null) {
    return Number.NaN;
  }
  const isText = typeof value === 'string' && NUMBER.test(value);
  const interval = isText ? Number(value) : value;
  return typeof interval === 'number' && interval >= 0 && interval < Number.POSITIVE_INFINITY ? interval : undefined;
}

function show(key: string, fields: Fields): string {
  const value = fields[key];
  if (typeof value === 'number' && !Number.isFinite(value)) {
    // JSON.stringify would turn it into null.
    return `${key} is too large for a number`;
  }
  const text = key in fields ? JSON.stringify(value) : 'missing';
  return `${key} is ${text.length > LONGEST_EXCERPT ? `${text.slice(0, LONGEST_EXCERPT)}…` : text}`;
}
