/** What the page knows about its environment: whether it is online, whether it is visible, and when it is left. */

/** The browser's network and visibility state. */
export interface Surroundings {
  /** Whether the browser has a network connection. */
  readonly online: () => boolean;
  /** Whether the page is visible, and not in a background tab or a minimized window. */
  readonly visible: () => boolean;
  /** Calls the listener each time `online` or `visible` changes, until the signal aborts. */
  readonly onChange: (listener: () => void, signal: AbortSignal) => void;
  /** Calls the listener when the visitor leaves or closes the page. The back-forward cache may keep the page alive. */
  readonly onLeave: (listener: () => void, signal: AbortSignal) => void;
}

export const browserSurroundings: Surroundings = {
  online: () => navigator.onLine,
  visible: () => document.visibilityState !== 'hidden',
  onChange(listener, signal) {
    addEventListener('online', listener, { signal });
    addEventListener('offline', listener, { signal });
    document.addEventListener('visibilitychange', listener, { signal });
  },
  onLeave: (listener, signal) => addEventListener('pagehide', listener, { signal }),
};
