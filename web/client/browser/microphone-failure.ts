/** Why there is no microphone, from the error of getUserMedia and from what the browser reports about access to it. Pure. */
import type { FailureReason } from '../call-state.ts';

export type MicrophoneFailure = Extract<FailureReason, `microphone-${string}`>;

/** What the browser reports about access to the microphone, after it has denied it. */
export interface MicrophoneAccess {
  /** Whether the page is served over https or from the visitor's own machine. Browsers give other pages no microphone. */
  readonly isSecure: boolean;
  /** Whether the header Permissions-Policy, or an iframe without `allow="microphone"`, denies the page the microphone. */
  readonly isBlockedByPolicy: boolean;
  /** `prompt`: the browser will ask the visitor again. `undefined`: the browser does not report it, as in Android's WebView. */
  readonly permission: PermissionState | undefined;
}

/**
 * Error names: W3C, "Media Capture and Streams", getUserMedia. Messages: Chromium, which uses one name for three causes.
 *
 * @param error anything that getUserMedia may reject with; in older browsers, OverconstrainedError is not an Error
 */
export function microphoneFailureOf(error: unknown, access: MicrophoneAccess): MicrophoneFailure {
  const { name, message }: { name?: unknown; message?: unknown } = Object(error);
  switch (name) {
    case 'NotAllowedError':
      return denialOf(String(message), access);
    case 'NotSupportedError':
    case 'SecurityError':
      return access.isSecure ? 'microphone-unsupported' : 'microphone-insecure';
    case 'NotFoundError':
    // The call requires no property of a microphone: if none fits, there is none.
    case 'OverconstrainedError':
      return 'microphone-absent';
    case 'NotReadableError':
      return 'microphone-unavailable';
    default:
      return 'microphone-failed';
  }
}

function denialOf(message: string, { isSecure, isBlockedByPolicy, permission }: MicrophoneAccess): MicrophoneFailure {
  if (!isSecure) {
    return 'microphone-insecure';
  }
  // The browser would allow it, so the operating system did not.
  if (permission === 'granted' || message.endsWith('by system')) {
    return 'microphone-blocked-by-system';
  }
  // The permission decides before the message: Chrome stops asking after three dismissed questions.
  if (permission === 'prompt' || (permission === undefined && message.endsWith('dismissed'))) {
    return 'microphone-dismissed';
  }
  return isBlockedByPolicy ? 'microphone-blocked-by-policy' : 'microphone-blocked';
}
