/** What the page can know of where it runs: is there a network, does anybody look at it, is it being left. */

export interface Surroundings {
  readonly online: () => boolean;
  readonly visible: () => boolean;
  /** Whenever one of the two has changed, until the signal aborts. */
  readonly onChange: (listener: () => void, signal: AbortSignal) => void;
  /** The visitor goes to another page, or closes this one; the back-forward cache may keep it. */
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
