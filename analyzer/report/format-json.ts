/**
 * Formats the report as JSON, one client at a time: one string with 100,000 clients would need more memory than
 * everything else.
 */
import type { Analysis } from './report.ts';

/** @returns parts of the text, in order */
export function* formatJson({ report, logs }: Analysis): Generator<string> {
  const { evaluated_at, threshold_requests_per_min, analyzed_clients, ...rest } = report;
  yield `{\n  "evaluated_at": ${json(evaluated_at)},\n`;
  yield `  "threshold_requests_per_min": ${json(threshold_requests_per_min)},\n  "analyzed_clients": [`;
  let separator = '\n    ';
  for (const client of analyzed_clients) {
    yield `${separator}${json(client, 2)}`;
    separator = ',\n    ';
  }
  yield analyzed_clients.length === 0 ? ']' : '\n  ]';
  for (const [name, value] of Object.entries({ ...rest, logs })) {
    yield `,\n  ${json(name)}: ${json(value, 1)}`;
  }
  yield '\n}\n';
}

/** @param depth nesting level of the value, for its indentation */
function json(value: unknown, depth = 0): string {
  return JSON.stringify(value, null, 2).replaceAll('\n', `\n${'  '.repeat(depth)}`);
}
