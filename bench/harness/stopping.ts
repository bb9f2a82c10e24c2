/**
 * Ctrl+C and `kill`, for what starts servers and writes large files: it comes to its end by itself, so that nothing is left
 * behind. Whoever does not want to wait for that asks a second time.
 */
import process from 'node:process';

const controller = new AbortController();

/** Aborted once somebody wants to stop. Until `stopOnSignals` is called, nobody can. */
export const stopped: AbortSignal = controller.signal;

export function stopOnSignals(): void {
  for (const signal of ['SIGINT', 'SIGTERM']) {
    process.once(signal, () => controller.abort(new Error('it was stopped.')));
  }
}
