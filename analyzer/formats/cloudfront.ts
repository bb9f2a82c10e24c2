/** CloudFront's standard logs (v2), as JSON and as W3C; any log in W3C's extended format that has these fields will do. */
import { type Fields, parseFields, type Reader, rejected } from '../parsing/read-result.ts';
import { parseTimestamp } from '../parsing/timestamp.ts';
import { judgeRequest, readStatus } from './access-log.ts';

/** CloudFront writes it for nothing. */
const ABSENT = '-';
const FIELDS_LINE = /^#Fields:\s*(.*)$/;

export const readCloudFrontJson: Reader = (text) => {
  const fields = parseFields(text);
  return fields === undefined ? rejected('is no JSON object') : judge(fields);
};

/**
 * @param header a line that says `#Fields: …`; another one that follows, as where logs were joined, takes its place. So the
 *   lines must be read in order.
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
      return rejected(`has ${values.length} of ${names.length} fields`);
    }
    return judge(Object.fromEntries(names.map((name, index) => [name, values[index]])));
  };
}

/** @returns undefined for a line that names none */
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

/** The finest that there is: `date` and `time` know whole seconds only. */
function timeOf(fields: Fields): number {
  const { date, time } = fields;
  const known = [fields['timestamp(ms)'], fields['timestamp']].map(parseTimestamp).find((at) => !Number.isNaN(at));
  return known ?? parseTimestamp(`${date}T${time}Z`);
}
