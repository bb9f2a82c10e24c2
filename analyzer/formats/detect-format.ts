/** Which log it is, told by what stands in it and never by its name; and the parser for it. */
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

/** So much of a log's beginning is looked at. */
export const HEAD_BYTES = 1 << 16;

/** @returns undefined if no line of it is like any of them */
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

/** The marks that are names of fields, wherever they stand. The issuer's own lines are never as long. */
const NAMES = /"(client_ip|event_type|c-ip|remote_addr)"\s*:/g;

/** Where the head ends in a line that is longer than itself, what there is of it may tell. */
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

/** A field of each that none of the others has. */
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
