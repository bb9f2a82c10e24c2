/**
 * `watch`: shows the status repeatedly until Ctrl+C. A terminal shows each reading in place of the last one; a pipe gets one
 * after the other. If a reading fails, its error message is shown, and the next reading follows as usual.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { StatusReport } from './status.ts';

export interface WatchOptions {
  readonly everyMs: number;
  readonly read: () => Promise<StatusReport>;
  /** Lines of JSON for programs, or the renderer of a screen for people. */
  readonly show: 'lines' | ((status: StatusReport) => string);
  /** Whether the output is a terminal, where each screen replaces the last one. */
  readonly onScreen: boolean;
  readonly print: (text: string) => void;
  readonly signal: AbortSignal;
  /** @default waits for the time, or until the signal */
  readonly wait?: (ms: number, signal: AbortSignal) => Promise<void>;
}

const CLEAR = '\u001b[2J';
/** Each screen starts at home and does not clear first, which would flicker. The rest of each line is erased instead. */
const HOME = '\u001b[H';
const ERASE_LINE = '\u001b[K';
const ERASE_BELOW = '\u001b[J';

export async function watch({
  everyMs,
  read,
  show,
  onScreen,
  print,
  signal,
  wait = waitOr,
}: WatchOptions): Promise<void> {
  if (show !== 'lines' && onScreen) {
    print(CLEAR);
  }
  while (!signal.aborted) {
    const reading = await read().catch(messageOf);
    if (show === 'lines') {
      print(`${JSON.stringify(typeof reading === 'string' ? { error: reading } : reading)}\n`);
    } else {
      const text = typeof reading === 'string' ? reading : show(reading);
      print(onScreen ? screen(`${text}\n\n  Every ${everyMs / 1_000} s. Press Ctrl+C to stop.`) : `${text}\n\n`);
    }
    await wait(everyMs, signal);
  }
}

function screen(text: string): string {
  const lines = text.split('\n').map((line) => `${line}${ERASE_LINE}\n`);
  return `${HOME}${lines.join('')}${ERASE_BELOW}`;
}

async function waitOr(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
