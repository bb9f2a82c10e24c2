/** Shows the progress of a long run: on a terminal, one line that is updated; elsewhere, one line for each finished part. */

export interface ProgressStream {
  readonly isTTY?: boolean;
  readonly write: (text: string) => unknown;
}

/** Call it after every step, including the last one. */
export type Progress = (part: string, done: number, of: number) => void;

const REDRAWN_EVERY_MS = 100;
const CLEAR_LINE = '\r\u001b[K';

/** @param now the time in milliseconds, of any clock */
export function createProgress(
  stream: ProgressStream,
  now: () => number = performance.now.bind(performance),
): Progress {
  let part: string | undefined;
  let startedAt = 0;
  let drawnAt = Number.NEGATIVE_INFINITY;

  return (name, done, of) => {
    const at = now();
    if (name !== part) {
      part = name;
      startedAt = at;
    }
    const isDone = done === of;
    const isTerminal = stream.isTTY === true;
    if (!(isDone || (isTerminal && at - drawnAt >= REDRAWN_EVERY_MS))) {
      return;
    }
    drawnAt = at;
    const seconds = (at - startedAt) / 1_000;
    const rate = seconds > 0 ? `, ${Math.round(done / seconds).toLocaleString('en')} a second` : '';
    const text = `${name}: ${done.toLocaleString('en')} of ${of.toLocaleString('en')} calls${rate}`;
    stream.write(`${isTerminal ? CLEAR_LINE : ''}${text}${isDone ? '\n' : ''}`);
  };
}
