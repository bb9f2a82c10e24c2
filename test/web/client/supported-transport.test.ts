import { afterEach, describe, expect, it, vi } from 'vitest';
import { webRtc, webSocket } from '../../../web/client/index.ts';

afterEach(() => {
  vi.unstubAllGlobals();
});

describe('WebRTC', () => {
  it('is supported if a connection can be created, which is closed again', () => {
    const close = vi.fn<() => void>();
    vi.stubGlobal(
      'RTCPeerConnection',
      class {
        getTransceivers = () => [];
        close = close;
      },
    );
    expect(webRtc.whyUnsupported()).toBeUndefined();
    expect(close).toHaveBeenCalledOnce();
  });

  it.each([
    ['is missing', undefined],
    [
      'lacks methods, as with the blocker uBlock Origin',
      class {
        close = () => undefined;
      },
    ],
    [
      'throws',
      class {
        constructor() {
          throw new DOMException('blocked', 'NotAllowedError');
        }
      },
    ],
  ])('is not supported if RTCPeerConnection %s', (_case, value) => {
    vi.stubGlobal('RTCPeerConnection', value);
    expect(webRtc.whyUnsupported()).toBe('webrtc-unsupported');
  });
});

describe('WebSocket', () => {
  it.each([
    [['WebSocket', 'AudioContext'], undefined],
    [['WebSocket'], 'websocket-unsupported'],
    [['AudioContext'], 'websocket-unsupported'],
  ])('with %j is %s', (present, reason) => {
    for (const name of ['WebSocket', 'AudioContext']) {
      vi.stubGlobal(name, present.includes(name) ? class {} : undefined);
    }
    expect(webSocket.whyUnsupported()).toBe(reason);
  });
});
