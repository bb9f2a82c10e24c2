/**
 * The idle timeout of server turn detection: if nobody speaks for `idle_timeout_ms` after the model's last words have been played,
 * the model speaks again.
 */

interface IdleTimeoutOptions {
  /** Milliseconds, or null for no timeout. */
  readonly idleMs: () => number | null;
  /** Until the model's words have been played. */
  readonly playbackMs: () => number;
  /** @param idleMs the timeout that has passed */
  readonly onTimeout: (idleMs: number) => void;
}

export function createIdleTimeout({ idleMs, playbackMs, onTimeout }: IdleTimeoutOptions) {
  let timer: NodeJS.Timeout | undefined;

  function cancel(): void {
    clearTimeout(timer);
  }

  /** The settings may have changed since the timeout began. */
  function end(): void {
    const waited = idleMs();
    if (waited !== null) {
      onTimeout(waited);
    }
  }

  return {
    cancel,
    /** Counts from the end of the playback. */
    restart(): void {
      cancel();
      const wait = idleMs();
      if (wait !== null) {
        timer = setTimeout(end, playbackMs() + wait);
      }
    },
  };
}
