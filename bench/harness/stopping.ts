/**
 * Handles Ctrl+C and `kill` for programs that start servers and write large files. After the first signal, the program cleans up
 * and ends by itself; a second signal ends it at once.
 */
import process from 'node:process';

const controller = new AbortController();

/** Aborted by the first signal after `stopOnSignals` was called. */
export const stopped: AbortSignal = controller.signal;

export function stopOnSignals(): void {
  for (const signal of ['SIGINT', 'SIGTERM']) {
    process.once(signal, () => controller.abort(new Error('it was stopped.')));
  }
}
