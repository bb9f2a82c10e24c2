/**
 * nginx's access logs: the `combined` format (and `common`, with which it starts), and JSON with nginx's variable names
 * as keys.
 */
import { type Fields, parseFields, type Reader, type ReadResult, rejected } from '../parsing/read-result.ts';
import { monthNamed, parseTimestamp } from '../parsing/timestamp.ts';
import { judgeRequest, readStatus } from './access-log.ts';

export const COMBINED = /^(\S+) \S+ .*?\[([^\]]{1,40})\] "((?:[^"\\]|\\.)*)" (\d{3}) /;
const LOCAL_TIME = /^(\d\d)\/([A-Z][a-z]{2})\/(\d{4}):(\d\d:\d\d:\d\d) ([+-]\d{4})$/;

export const readCombined: Reader = (text) => {
  const [, client, time = '', request = '', status] = COMBINED.exec(text) ?? [];
  if (client === undefined) {
    return rejected('is not in nginx’s combined format');
  }
  return judgeRequest({
    client,
    timestamp: parseLocalTime(time),
    method: methodOf(request),
    status: readStatus(status),
    isWebSocket: false,
  });
};

export const readNginxJson: Reader = (text) => {
  const fields = parseFields(text);
  return fields === undefined ? rejected('is not a JSON object') : judge(fields);
};

function judge(fields: Fields): ReadResult {
  const { request_method: method, request, http_upgrade: upgrade } = fields;
  return judgeRequest({
    client: fields['remote_addr'],
    timestamp: timeOf(fields),
    method: typeof method === 'string' ? method : methodOf(String(request ?? '')),
    status: readStatus(fields['status']),
    isWebSocket: String(upgrade ?? '').toLowerCase() === 'websocket',
  });
}

/** Uses the most precise field that the line has. */
function timeOf(fields: Fields): number {
  const { msec, time_iso8601, time_local, timestamp, time } = fields;
  const known = [msec, time_iso8601, timestamp, time].map(parseTimestamp).find((at) => !Number.isNaN(at));
  return known ?? parseLocalTime(String(time_local ?? time ?? ''));
}

/** Parses a time such as `30/Nov/2026:12:00:00 +0100`. */
export function parseLocalTime(text: string): number {
  const [, day, month = '', year, time, offset] = LOCAL_TIME.exec(text) ?? [];
  return parseTimestamp(`${year}-${String(monthNamed(month)).padStart(2, '0')}-${day}T${time}${offset}`);
}

/** @returns the method of `GET /path HTTP/1.1`; '' if the bytes are not a request, such as a TLS handshake on a plain port */
function methodOf(request: string): string {
  return /^[A-Z]+(?= )/.exec(request)?.[0] ?? '';
}
