/**
 * The issuer's own log: a JSON line for each request, as the function writes it, with or without what `aws logs tail` puts
 * before it. Clients are pseudonyms. A key that was handed out is a `connect`, a refusal or failure a `retry`.
 */
import { parseFields, type Reader, type ReadResult } from '../parsing/read-result.ts';
import { parseTimestamp } from '../parsing/timestamp.ts';
import { judgeRequest, readStatus } from './access-log.ts';

/** Questions of a browser, and requests to elsewhere. */
const NO_ATTEMPTS = ['preflight', 'not_found', 'method_not_allowed'];

/** Lines of the platform stand in between, and are no fault of the log. */
export const readIssuerLine: Reader = (text) => {
  const brace = text.indexOf('{');
  const fields = brace < 0 ? undefined : parseFields(text.slice(brace));
  if (fields?.['event'] !== 'session') {
    return brace >= 0 && fields === undefined && text.includes('"session"') ? CUT_OFF : { kind: 'other' };
  }
  // Who is unknown has no retries that could be counted.
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

const CUT_OFF: ReadResult = { kind: 'rejected', complaint: 'is a line of the issuer that is not JSON' };
