/**
 * The issuer's own log: one JSON line per request, as the function writes it, with or without the prefix that `aws logs tail`
 * adds. Clients are pseudonyms. An issued key is a `connect`, a refusal or a failure is a `retry`.
 */
import { parseFields, type Reader, type ReadResult } from '../parsing/read-result.ts';
import { parseTimestamp } from '../parsing/timestamp.ts';
import { judgeRequest, readStatus } from './access-log.ts';

/** Codes of preflight requests and of requests to other paths or with other methods. */
const NO_ATTEMPTS = ['preflight', 'not_found', 'method_not_allowed'];

/** Lambda's own lines, which appear in between, are ignored and not reported as problems. */
export const readIssuerLine: Reader = (text) => {
  const brace = text.indexOf('{');
  const fields = brace < 0 ? undefined : parseFields(text.slice(brace));
  if (fields?.['event'] !== 'session') {
    return brace >= 0 && fields === undefined && text.includes('"session"') ? CUT_OFF : { kind: 'other' };
  }
  // Without a viewer, the request cannot be counted for any client.
  if (fields['viewer'] === undefined || NO_ATTEMPTS.includes(String(fields['code']))) {
    return { kind: 'other' };
  }
  return judgeRequest({
    client: fields['viewer'],
    timestamp: parseTimestamp(fields['time']),
    method: 'POST',
    status: readStatus(fields['status']),
    isWebSocket: false,
  });
};

const CUT_OFF: ReadResult = { kind: 'rejected', complaint: 'is an issuer log line that is not valid JSON' };
