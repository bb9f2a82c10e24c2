/** The visitor's microphone. It is requested before a key is spent, and released as soon as the call ends. */
import { type MicrophoneFailure, microphoneFailureOf } from './microphone-failure.ts';
import type { Surroundings } from './page-environment.ts';

export type Microphone =
  | { readonly kind: 'open'; readonly stream: MediaStream }
  | { readonly kind: 'failed'; readonly reason: MicrophoneFailure };

/** The signature of the browser's `navigator.mediaDevices.getUserMedia`. */
export type GetUserMedia = (constraints: MediaStreamConstraints) => Promise<MediaStream>;

/** Keeps the model from hearing its own voice through the visitor's loudspeaker. */
const CONSTRAINTS = { audio: { echoCancellation: true, noiseSuppression: true, autoGainControl: true } };

/** @param signal releases the microphone when it aborts, even if access is granted only afterwards */
export async function openMicrophone(
  getUserMedia: GetUserMedia,
  surroundings: Surroundings,
  signal: AbortSignal,
): Promise<Microphone> {
  let stream: MediaStream;
  try {
    stream = await getUserMedia(CONSTRAINTS);
  } catch (error) {
    const reason = microphoneFailureOf(error, await surroundings.microphoneAccess());
    if (reason === 'microphone-failed') {
      console.error(error);
    }
    return { kind: 'failed', reason };
  }

  const tracks = stream.getTracks();
  // Unplugged in the meantime. Its `ended` event is already over.
  const isLost = tracks.every(({ readyState }) => readyState === 'ended');
  const release = () => {
    for (const track of tracks) {
      track.stop();
    }
  };
  if (signal.aborted) {
    release();
  }
  signal.addEventListener('abort', release, { once: true });
  return isLost ? { kind: 'failed', reason: 'microphone-lost' } : { kind: 'open', stream };
}

/** Calls the listener when the microphone is unplugged or access is withdrawn. Our own `stop()` does not fire this event. */
export function onMicrophoneLost(microphone: MediaStream, listener: () => void, signal: AbortSignal): void {
  for (const track of microphone.getTracks()) {
    track.addEventListener('ended', listener, { signal });
  }
}

/** Whether the system or the browser has muted the microphone. A page that sets `enabled` of a track does not change this. */
export function isMuted(microphone: MediaStream): boolean {
  return microphone.getTracks().every(({ muted }) => muted);
}

export function onMuteChange(microphone: MediaStream, listener: () => void, signal: AbortSignal): void {
  for (const track of microphone.getTracks()) {
    track.addEventListener('mute', listener, { signal });
    track.addEventListener('unmute', listener, { signal });
  }
}

/** The browser's own getUserMedia. Without one, as on a page without https, it rejects with a NotSupportedError. */
export const browserMicrophone: GetUserMedia = async (constraints) => {
  // Absent in some browsers, although its type says otherwise.
  const { mediaDevices }: { readonly mediaDevices?: MediaDevices } = navigator;
  if (mediaDevices?.getUserMedia === undefined) {
    throw new DOMException('no microphone', 'NotSupportedError');
  }
  return await mediaDevices.getUserMedia(constraints);
};
