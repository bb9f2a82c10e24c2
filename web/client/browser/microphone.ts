/** The visitor's microphone. It is requested before a key is spent, and released as soon as the call ends. */

export type Microphone =
  | { readonly kind: 'open'; readonly stream: MediaStream }
  | { readonly kind: 'microphone-refused' | 'microphone-absent' | 'microphone-unavailable' };

/** The signature of the browser's `navigator.mediaDevices.getUserMedia`. */
export type GetUserMedia = (constraints: MediaStreamConstraints) => Promise<MediaStream>;

/** Keeps the model from hearing its own voice through the visitor's loudspeaker. */
const CONSTRAINTS = { audio: { echoCancellation: true, noiseSuppression: true, autoGainControl: true } };

/**
 * By the error names in the specification of getUserMedia. Any other error means `microphone-unavailable`: the device is
 * in use, or the browser has no `mediaDevices`, for example on a page without https.
 */
const REASONS: ReadonlyMap<string, 'microphone-refused' | 'microphone-absent'> = new Map([
  ['NotAllowedError', 'microphone-refused'],
  ['SecurityError', 'microphone-refused'],
  ['NotFoundError', 'microphone-absent'],
  ['OverconstrainedError', 'microphone-absent'],
]);

/** @param signal releases the microphone when it aborts, even if access is granted only afterwards */
export async function openMicrophone(getUserMedia: GetUserMedia, signal: AbortSignal): Promise<Microphone> {
  try {
    const stream = await getUserMedia(CONSTRAINTS);
    const release = () => {
      for (const track of stream.getTracks()) {
        track.stop();
      }
    };
    if (signal.aborted) {
      release();
    }
    signal.addEventListener('abort', release, { once: true });
    return { kind: 'open', stream };
  } catch (error) {
    const name = error instanceof Error ? error.name : '';
    return { kind: REASONS.get(name) ?? 'microphone-unavailable' };
  }
}

/** The browser's own getUserMedia. Rejects if the browser has none. */
export const browserMicrophone: GetUserMedia = async (constraints) =>
  await navigator.mediaDevices.getUserMedia(constraints);
