/** Detects a log's format from its content, never from its name, and creates the parser for it. */
import type { Buffer } from 'node:buffer';
import { createArrayParser } from '../parsing/array-parser.ts';
import type { ChunkParser } from '../parsing/chunk-parser.ts';
import { createCollector } from '../parsing/collector.ts';
import { readCoreElement } from '../parsing/event-reader.ts';
import { createElementScanner } from '../parsing/fast-event-scanner.ts';
import { createLineParser } from '../parsing/line-parser.ts';
import { type Fields, parseFields, type Reader } from '../parsing/read-result.ts';
import { createW3cReader, fieldNames, readCloudFrontJson } from './cloudfront.ts';
import { readIssuerLine } from './issuer-log.ts';
import { COMBINED, readCombined, readNginxJson } from './nginx.ts';

export type Format =
  | { readonly kind: 'array' | 'ndjson' | 'issuer' | 'cloudfront-json' | 'nginx-json' | 'nginx-combined' }
  | { readonly kind: 'w3c'; readonly header: string };

export const FORMAT_NAMES: Readonly<Record<Format['kind'], string>> = {
  array: 'JSON array',
  ndjson: 'NDJSON',
  issuer: "the issuer's log",
  'cloudfront-json': 'CloudFront, JSON',
  w3c: 'CloudFront, W3C',
  'nginx-json': 'nginx, JSON',
  'nginx-combined': 'nginx, combined',
};

/** What `--help` says about each format. */
export const FORMAT_DESCRIPTIONS: Readonly<Record<Format['kind'], string>> = {
  array: 'a JSON array of {timestamp, client_ip, event_type: connect|disconnect|retry, retry_interval_ms?}',
  ndjson: 'the same objects, one per line',
  issuer: "the function's own log",
  'cloudfront-json': 'standard logs v2',
  w3c: 'standard logs, or any W3C extended log with the same fields',
  'nginx-json': "an access log with nginx's variable names as keys",
  'nginx-combined': 'an access log in the default format',
};

/** Number of bytes at a log's start that are used to detect its format. */
export const HEAD_BYTES = 1 << 16;

/** @returns undefined if no line matches a known format */
export function detectFormat(head: Buffer): Format | undefined {
  const text = head.toString('utf8').trimStart();
  if (text.startsWith('[') && !COMBINED.test(text)) {
    return { kind: 'array' };
  }
  for (const line of text.split('\n')) {
    const format = formatOfLine(line.trim());
    if (format !== undefined) {
      return format;
    }
  }
  return undefined;
}

/** Field names that identify a format. The issuer's format is missing, because its lines are never this long. */
const NAMES = /"(client_ip|event_type|c-ip|remote_addr)"\s*:/g;

/** Detects the format from an incomplete line: used if the first line is longer than the head. */
export function guessFormat(head: Buffer): Format | undefined {
  const text = head.toString('utf8');
  const line = text.slice(text.lastIndexOf('\n') + 1).trimStart();
  return line.startsWith('{')
    ? formatOfFields(Object.fromEntries(Array.from(line.matchAll(NAMES), ([, name = '']) => [name, true])))
    : undefined;
}

function formatOfLine(line: string): Format | undefined {
  if (fieldNames(line)?.includes('c-ip')) {
    return { kind: 'w3c', header: line };
  }
  if (COMBINED.test(line)) {
    return { kind: 'nginx-combined' };
  }
  const brace = line.indexOf('{');
  const fields = brace < 0 ? undefined : parseFields(line.slice(brace));
  return fields === undefined ? undefined : formatOfFields(fields);
}

/** Each format has a field that no other format has. */
function formatOfFields(fields: Fields): Format | undefined {
  if ('client_ip' in fields || 'event_type' in fields) {
    return { kind: 'ndjson' };
  }
  if (fields['event'] === 'session') {
    return { kind: 'issuer' };
  }
  if ('c-ip' in fields) {
    return { kind: 'cloudfront-json' };
  }
  return 'remote_addr' in fields ? { kind: 'nginx-json' } : undefined;
}

const READERS: Readonly<Record<Exclude<Format['kind'], 'array' | 'w3c'>, Reader>> = {
  ndjson: readCoreElement,
  issuer: readIssuerLine,
  'cloudfront-json': readCloudFrontJson,
  'nginx-json': readNginxJson,
  'nginx-combined': readCombined,
};

export function createParser(format: Format): ChunkParser {
  if (format.kind === 'array') {
    return createArrayParser(createCollector(false));
  }
  const collector = createCollector(true);
  if (format.kind === 'w3c') {
    return createLineParser(collector, createW3cReader(format.header));
  }
  const scanner = format.kind === 'ndjson' ? createElementScanner(false) : undefined;
  return createLineParser(collector, READERS[format.kind], scanner);
}
