/** The visitor's microphone. It is asked for before anything is spent, and let go as soon as the call is over. */

export type Microphone =
  | { readonly kind: 'open'; readonly stream: MediaStream }
  | { readonly kind: 'microphone-refused' | 'microphone-absent' | 'microphone-unavailable' };

export type GetUserMedia = (constraints: MediaStreamConstraints) => Promise<MediaStream>;

/** What keeps the model from hearing itself through the visitor's loudspeaker. */
const CONSTRAINTS = { audio: { echoCancellation: true, noiseSuppression: true, autoGainControl: true } };

/**
 * By the names that the specification of getUserMedia gives to its errors. What is none of these is `unavailable`: the
 * device is in use, or the browser has no `mediaDevices`, as on a page without https.
 */
const REASONS: ReadonlyMap<string, 'microphone-refused' | 'microphone-absent'> = new Map([
  ['NotAllowedError', 'microphone-refused'],
  ['SecurityError', 'microphone-refused'],
  ['NotFoundError', 'microphone-absent'],
  ['OverconstrainedError', 'microphone-absent'],
]);

/** @param signal lets go of the microphone when it aborts, also of one that is granted only then */
export async function openMicrophone(getUserMedia: GetUserMedia, signal: AbortSignal): Promise<Microphone> {
  try {
    const stream = await getUserMedia(CONSTRAINTS);
    const letGo = () => {
      for (const track of stream.getTracks()) {
        track.stop();
      }
    };
    if (signal.aborted) {
      letGo();
    }
    signal.addEventListener('abort', letGo, { once: true });
    return { kind: 'open', stream };
  } catch (error) {
    const name = error instanceof Error ? error.name : '';
    return { kind: REASONS.get(name) ?? 'microphone-unavailable' };
  }
}

/** The browser's own. Rejects where there is none. */
export const browserMicrophone: GetUserMedia = async (constraints) =>
  await navigator.mediaDevices.getUserMedia(constraints);
