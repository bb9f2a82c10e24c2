/** Reads the log file of a local stack, as the rows that {@link activityIn} takes. Lines that are not JSON are skipped. */
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { firstHour, HOUR_MS, type LogRows } from './activity.ts';

/** @param now epoch milliseconds. @throws Error if the file does not exist */
export async function readLocalLog(file: string, now: number): Promise<LogRows> {
  const byHour: LogRows['byHour'][number][] = [];
  const byViewer: LogRows['byViewer'][number][] = [];
  const since = firstHour(now);
  for await (const line of createInterface({ input: createReadStream(file, 'utf8') })) {
    const { time, event, code, viewer, replayed } = parsed(line);
    const at = Date.parse(String(time));
    // A replay of an Idempotency-Key issues no second key, so it is not counted.
    if (event === 'session' && at >= since && typeof code === 'string' && replayed !== true) {
      byHour.push({ hour: Math.floor(at / HOUR_MS) * HOUR_MS, code, count: 1 });
      if (typeof viewer === 'string') {
        byViewer.push({ viewer, code, count: 1 });
      }
    }
  }
  return { byHour, byViewer };
}

function parsed(line: string): Readonly<Record<string, unknown>> {
  try {
    return Object(JSON.parse(line));
  } catch {
    return {};
  }
}
