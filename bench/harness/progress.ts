/** How far a long run is: one line that moves on a terminal; elsewhere one line for each part that is done. */

export interface ProgressStream {
  readonly isTTY?: boolean;
  readonly write: (text: string) => unknown;
}

/** To be told after every step, the last one included. */
export type Progress = (part: string, done: number, of: number) => void;

const REDRAWN_EVERY_MS = 100;
const CLEAR_LINE = '\r\u001b[K';

/** @param now milliseconds, of any clock */
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
    const moves = stream.isTTY === true;
    if (!(isDone || (moves && at - drawnAt >= REDRAWN_EVERY_MS))) {
      return;
    }
    drawnAt = at;
    const seconds = (at - startedAt) / 1_000;
    const rate = seconds > 0 ? `, ${Math.round(done / seconds).toLocaleString('en')} a second` : '';
    const text = `${name}: ${done.toLocaleString('en')} of ${of.toLocaleString('en')} calls${rate}`;
    stream.write(`${moves ? CLEAR_LINE : ''}${text}${isDone ? '\n' : ''}`);
  };
}
