/** What the page knows about its environment: network, visibility, when it is left, and access to the microphone. */
import type { MicrophoneAccess } from './microphone-failure.ts';

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
  /** What the browser reports about access to the microphone. Called only after access has been denied. */
  readonly microphoneAccess: () => Promise<MicrophoneAccess>;
}

/** Chromium's API for Permissions-Policy, which the types of the DOM lack. */
interface PolicedDocument extends Document {
  readonly featurePolicy?: { readonly allowsFeature: (feature: string) => boolean };
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
  microphoneAccess: async () => ({
    isSecure: isSecureContext,
    isBlockedByPolicy: isBlockedByPolicy(),
    permission: await microphonePermission(),
  }),
};

/** Other browsers do not report their policy. In an iframe, it is then the likely cause: the default allows no microphone. */
function isBlockedByPolicy(): boolean {
  const { featurePolicy }: PolicedDocument = document;
  return featurePolicy === undefined ? window !== window.top : !featurePolicy.allowsFeature('microphone');
}

async function microphonePermission(): Promise<PermissionState | undefined> {
  try {
    return (await navigator.permissions.query({ name: 'microphone' })).state;
  } catch {
    return undefined;
  }
}
