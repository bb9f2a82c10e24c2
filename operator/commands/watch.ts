/**
 * `watch`: the status, again and again, until Ctrl+C: in a terminal on the same screen, in a pipe one after the other. A
 * reading that fails is said and tried again.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { StatusReport } from './status.ts';

export interface WatchOptions {
  readonly everyMs: number;
  readonly read: () => Promise<StatusReport>;
  /** A screen for people, or lines of JSON for programs. */
  readonly show: 'lines' | ((status: StatusReport) => string);
  /** A terminal, which can be drawn over. */
  readonly onScreen: boolean;
  readonly print: (text: string) => void;
  readonly signal: AbortSignal;
  /** @default waits, or until the signal */
  readonly wait?: (ms: number, signal: AbortSignal) => Promise<void>;
}

const CLEAR = '\u001b[2J';
/** Home, rather than clear, before each screen: nothing flickers. What a longer one left is erased behind each line. */
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
      print(onScreen ? screen(`${text}\n\n  Every ${everyMs / 1_000} s. Ctrl+C ends it.`) : `${text}\n\n`);
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
