/**
 * WebRTC: the browser handles the audio, including echo cancellation and jitter buffer. The offer goes to OpenAI over HTTP,
 * events go through the data channel `oai-events`. Source: OpenAI, "Realtime API with WebRTC"; POST /v1/realtime/calls.
 */
import { type ConnectOutcome, type ConnectRequest, readEvent, type UnsupportedTransport } from './transport.ts';

/** `disconnected` is often a short loss from which the connection recovers by itself. */
const GRACE_MS = 5_000;

export async function webRtc(request: ConnectRequest): Promise<ConnectOutcome> {
  const { key, openaiBaseUrl, microphone, signal, fetch } = request;
  signal.throwIfAborted();
  const peer = new RTCPeerConnection();
  signal.addEventListener('abort', () => peer.close(), { once: true });
  const remoteAudio = new MediaStream();
  peer.addEventListener('track', ({ track }) => remoteAudio.addTrack(track), { signal });
  for (const track of microphone.getTracks()) {
    peer.addTrack(track, microphone);
  }
  const events = peer.createDataChannel('oai-events');
  watch(peer, events, request);

  await peer.setLocalDescription();
  const response = await fetch(`${openaiBaseUrl}/realtime/calls`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/sdp' },
    body: peer.localDescription?.sdp ?? '',
    signal,
  });
  // Before the body is used: the body of an error is not a session description.
  if (!response.ok) {
    return { kind: 'refused', status: response.status };
  }
  await peer.setRemoteDescription({ type: 'answer', sdp: await response.text() });
  return {
    kind: 'open',
    connection: {
      remoteAudio,
      send(event) {
        const isOpen = events.readyState === 'open';
        if (isOpen) {
          events.send(JSON.stringify(event));
        }
        return isOpen;
      },
    },
  };
}

/** Tries it: where uBlock Origin's `nowebrtc` applies, there is a class, but most of its methods are missing. */
webRtc.whyUnsupported = (): UnsupportedTransport | undefined => {
  try {
    const peer = new RTCPeerConnection();
    peer.getTransceivers();
    peer.close();
    return undefined;
  } catch {
    return 'webrtc-unsupported';
  }
};

function watch(peer: RTCPeerConnection, events: RTCDataChannel, { signal, clock, onEvent, onLost }: ConnectRequest) {
  let cancelGrace: (() => void) | undefined;
  signal.addEventListener('abort', () => cancelGrace?.(), { once: true });

  events.addEventListener(
    'message',
    ({ data }) => {
      const event = readEvent(data);
      if (event !== undefined) {
        onEvent(event);
      }
    },
    { signal },
  );
  events.addEventListener('close', onLost, { signal });
  peer.addEventListener(
    'connectionstatechange',
    () => {
      cancelGrace?.();
      const { connectionState } = peer;
      if (connectionState === 'failed' || connectionState === 'closed') {
        onLost();
      } else if (connectionState === 'disconnected') {
        cancelGrace = clock.after(GRACE_MS, onLost);
      }
    },
    { signal },
  );
}
