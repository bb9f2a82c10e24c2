/**
 * The reader that decides what an element of the core schema says. Client and type make an event; a timestamp or an interval
 * that cannot be read is complained of and left out, and the event counts. A key that stands twice has its last value.
 */
import { Buffer } from 'node:buffer';
import { LONGEST_NAME } from './client-table.ts';
import { EVENT_TYPES, type EventType } from './event.ts';
import { type Fields, isFields, type ReadResult, rejected } from './read-result.ts';
import { parseTimestamp } from './timestamp.ts';

const NUMBER = /^\s*\d+(\.\d+)?([eE][+-]?\d+)?\s*$/;
const LONGEST_EXCERPT = 40;
/** Half a surrogate pair, or what stands for bytes that are no UTF-8: names that differ in them would be one. */
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
    return rejected(`is none of ${EVENT_TYPES.join(', ')}: ${show('event_type', fields)}`);
  }
  return withRest(client, type, fields);
}

function withRest(client: string, type: EventType, fields: Fields): ReadResult {
  const timestamp = parseTimestamp(fields['timestamp']);
  const interval = readInterval(fields['retry_interval_ms']);
  const complaints = [
    ...(Number.isNaN(timestamp) ? [`counts without a time: ${show('timestamp', fields)}`] : []),
    ...(interval === undefined ? [`counts without its interval: ${show('retry_interval_ms', fields)}`] : []),
  ];
  const event = { client, type, timestamp, interval: interval ?? Number.NaN };
  return complaints.length === 0
    ? { kind: 'event', event }
    : { kind: 'event', event, complaint: complaints.join('; ') };
}

/** A name as it is counted: without spaces around it, and not so long that names could fill the memory. */
export function readClient(value: unknown): string | undefined {
  const name = typeof value === 'string' ? value.trim() : '';
  return name !== '' && isShort(name) && !UNDECODED.test(name) ? name : undefined;
}

export function complaintOfClient(value: unknown): string {
  if (typeof value !== 'string' || value.trim() === '') {
    return 'has no client';
  }
  return isShort(value.trim())
    ? 'has a client whose name is not Unicode'
    : `has a client whose name is longer than ${LONGEST_NAME} bytes`;
}

function isShort(name: string): boolean {
  return Buffer.byteLength(name) <= LONGEST_NAME;
}

/** @returns NaN where there is none, undefined where there is none that can be read */
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
    // As JSON, it would be called null.
    return `${key} is beyond any number that can be held`;
  }
  const text = key in fields ? JSON.stringify(value) : 'missing';
  return `${key} is ${text.length > LONGEST_EXCERPT ? `${text.slice(0, LONGEST_EXCERPT)}…` : text}`;
}
