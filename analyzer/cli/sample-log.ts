/** A sample log to try the analyzer on: one client retries every second, and one waits longer before each retry. */
import { Readable } from 'node:stream';
import type { Log } from '../analyze.ts';

const STEADY = Array.from({ length: 5 }, (_, index) => ({
  timestamp: `2026-01-01T00:00:0${index + 1}.000Z`,
  client_ip: '192.0.2.10',
  event_type: 'retry',
  retry_interval_ms: 1000,
}));

const SPREAD = [
  { timestamp: '2026-01-01T00:00:01.200Z', client_ip: '192.0.2.20', event_type: 'retry', retry_interval_ms: 1200 },
  { timestamp: '2026-01-01T00:00:03.650Z', client_ip: '192.0.2.20', event_type: 'retry', retry_interval_ms: 2450 },
];

export const SAMPLE = JSON.stringify([...STEADY, ...SPREAD]);

export function sampleLog(): Log {
  return { name: 'the built-in sample', stream: Readable.from([new TextEncoder().encode(SAMPLE)]) };
}
