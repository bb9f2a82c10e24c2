/** Writes a connection log of a given size. The same size gives the same log. The log is never completely in memory. */
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { seeded } from '../harness/seeded.ts';
import { stopped } from '../harness/stopping.ts';

const EPOCH = Date.UTC(2026, 10, 30);
const CLIENTS = 20_000;
const EVENTS_PER_WRITE = 5_000;

/** @param bytes minimum size of the log */
export async function writeLog(path: string, bytes: number, form: 'ndjson' | 'array'): Promise<void> {
  const file = createWriteStream(path);
  const separator = form === 'array' ? ',\n' : '\n';
  const nextEvent = createEvents(seeded(1));
  file.write(form === 'array' ? '[' : '');
  for (let written = 0; written < bytes; ) {
    stopped.throwIfAborted();
    const text = Array.from({ length: EVENTS_PER_WRITE }, nextEvent).join(separator);
    const before = written === 0 ? '' : separator;
    written += before.length + text.length;
    if (!file.write(`${before}${text}`)) {
      await once(file, 'drain');
    }
  }
  file.end(form === 'array' ? ']\n' : '\n');
  await once(file, 'finish');
}

/**
 * @returns a function that returns the next event as JSON.stringify would write it, which would take twice as long for
 *   a 2 GB log
 */
function createEvents(random: () => number): () => string {
  let at = EPOCH;
  return () => {
    const client = Math.floor(random() * CLIENTS);
    const isFixed = client % 4 === 0;
    const isConnect = random() < 0.1;
    const timestamp = new Date(at).toISOString();
    const interval = isConnect ? '' : `,"retry_interval_ms":${isFixed ? 3_000 : Math.floor(random() * 8_000)}`;
    at += random() * 4;
    const address = `10.${client >> 8}.${client & 255}.${17 + (client % 200)}`;
    return `{"timestamp":"${timestamp}","client_ip":"${address}","event_type":"${isConnect ? 'connect' : 'retry'}"${interval}}`;
  };
}
