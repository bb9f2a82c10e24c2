/** Shows the progress of reading on a line that is redrawn. Prints nothing if standard error is not a terminal. */
import type { ProgressOfLog } from '../analyze.ts';

export interface Terminal {
  readonly isTTY?: boolean;
  readonly write: (text: string) => unknown;
}

export interface ProgressLine {
  readonly show: (done: ProgressOfLog) => void;
  readonly clear: () => void;
}

const REDRAW_INTERVAL_MS = 100;
const CLEAR_LINE = '\r\u001b[K';
const WIDTH = 20;
const MEGABYTE = 1e6;

/** @param now milliseconds on any clock */
export function createProgressLine(
  terminal: Terminal,
  now: () => number = performance.now.bind(performance),
): ProgressLine {
  let name: string | undefined;
  let startedAt = 0;
  let drawnAt = Number.NEGATIVE_INFINITY;

  return {
    show(done) {
      if (terminal.isTTY !== true) {
        return;
      }
      const at = now();
      if (done.name !== name) {
        name = done.name;
        startedAt = at;
      }
      if (at - drawnAt >= REDRAW_INTERVAL_MS) {
        drawnAt = at;
        terminal.write(`${CLEAR_LINE}${describe(done, (at - startedAt) / 1_000)}`);
      }
    },
    clear() {
      if (drawnAt !== Number.NEGATIVE_INFINITY) {
        terminal.write(CLEAR_LINE);
      }
    },
  };
}

function describe({ name, taken, size }: ProgressOfLog, seconds: number): string {
  const rate = seconds > 0 ? taken / seconds : 0;
  const speed = rate > 0 ? `, ${megabytes(rate)} MB/s` : '';
  if (size === undefined || size === 0) {
    return `${name}: ${megabytes(taken)} MB${speed}`;
  }
  const share = Math.min(1, taken / size);
  const bar = '#'.repeat(Math.round(share * WIDTH)).padEnd(WIDTH, '.');
  const left = rate > 0 ? `, ${Math.ceil(Math.max(0, size - taken) / rate)} s left` : '';
  return `${name} [${bar}] ${Math.floor(share * 100)} % of ${megabytes(size)} MB${speed}${left}`;
}

function megabytes(bytes: number): string {
  return bytes < 10 * MEGABYTE ? (bytes / MEGABYTE).toFixed(1) : String(Math.round(bytes / MEGABYTE));
}
