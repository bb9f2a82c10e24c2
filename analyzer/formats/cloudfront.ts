/** CloudFront's standard logs (v2) as JSON or W3C. Also reads any other log in the W3C extended format with the same fields. */
import { type Fields, parseFields, type Reader, rejected } from '../parsing/read-result.ts';
import { parseTimestamp } from '../parsing/timestamp.ts';
import { judgeRequest, readStatus } from './access-log.ts';

/** What CloudFront writes for a missing value. */
const ABSENT = '-';
const FIELDS_LINE = /^#Fields:\s*(.*)$/;

export const readCloudFrontJson: Reader = (text) => {
  const fields = parseFields(text);
  return fields === undefined ? rejected('is not a JSON object') : judge(fields);
};

/**
 * @param header a `#Fields: …` line. A later one, as in concatenated logs, replaces it, so the lines must be read in order.
 */
export function createW3cReader(header: string): Reader {
  let names = fieldNames(header) ?? [];
  return (text) => {
    if (text.startsWith('#')) {
      names = fieldNames(text) ?? names;
      return { kind: 'other' };
    }
    const values = text.split(text.includes('\t') ? '\t' : ' ');
    if (values.length !== names.length) {
      return rejected(`has ${values.length} fields, but ${names.length} were expected`);
    }
    return judge(Object.fromEntries(names.map((name, index) => [name, values[index]])));
  };
}

/** @returns undefined if the line does not name any fields */
export function fieldNames(line: string): readonly string[] | undefined {
  return FIELDS_LINE.exec(line)?.[1]?.trim().split(/\s+/);
}

function judge(fields: Fields) {
  const client = fields['c-ip'];
  return judgeRequest({
    client: client === ABSENT ? undefined : client,
    timestamp: timeOf(fields),
    method: String(fields['cs-method'] ?? ''),
    status: readStatus(fields['sc-status']),
    isWebSocket: /^wss?$/.test(String(fields['cs-protocol'] ?? '')),
  });
}

/** Uses the most precise field: `date` and `time` have whole seconds only. */
function timeOf(fields: Fields): number {
  const { date, time } = fields;
  const known = [fields['timestamp(ms)'], fields['timestamp']].map(parseTimestamp).find((at) => !Number.isNaN(at));
  return known ?? parseTimestamp(`${date}T${time}Z`);
}
