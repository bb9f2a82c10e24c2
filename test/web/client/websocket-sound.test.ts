/** The WebSocket transport with sound that cannot be played, and in a browser that blocks sound. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { systemClock } from '../../../resilience/index.ts';
import type { RealtimeEvent } from '../../../web/client/index.ts';
import { webSocket } from '../../../web/client/transport/websocket.ts';

class ScriptedSocket extends EventTarget {
  static readonly OPEN = 1;
  readonly readyState = ScriptedSocket.OPEN;

  constructor() {
    super();
    socket = this;
  }

  close(): void {
    this.dispatchEvent(new Event('close'));
  }

  receive(event: RealtimeEvent): void {
    this.dispatchEvent(new MessageEvent('message', { data: JSON.stringify(event) }));
  }
}

/** Starts suspended, as in Safari. */
class ScriptedContext extends EventTarget {
  state = 'suspended';
  readonly sampleRate = 48_000;
  readonly currentTime = 0;
  readonly destination = {};
  resumed = 0;

  constructor() {
    super();
    context = this;
  }

  become(state: string): void {
    this.state = state;
    this.dispatchEvent(new Event('statechange'));
  }

  resume(): Promise<void> {
    this.resumed += 1;
    // As browsers respond if nobody has touched the page when the call ends.
    return Promise.reject(new DOMException('closed', 'InvalidStateError'));
  }

  close(): Promise<void> {
    closed = true;
    return Promise.resolve();
  }

  createMediaStreamDestination() {
    return { stream: {} };
  }

  createMediaStreamSource() {
    return NODE;
  }

  createScriptProcessor() {
    return NODE;
  }

  createBuffer(_channels: number, length: number) {
    return { duration: length / 24_000, copyToChannel: () => undefined };
  }

  createBufferSource() {
    return Object.assign(new EventTarget(), {
      connect: () => undefined,
      start: (at: number) => started.push(at),
      stop: () => {
        throw new DOMException('not started', 'InvalidStateError');
      },
    });
  }
}

const NODE = Object.assign(new EventTarget(), { connect: (next: unknown) => next });

let socket: ScriptedSocket;
let context: ScriptedContext;
let closed: boolean;
let started: number[];
let page: EventTarget;
let call: AbortController;
let received: RealtimeEvent[];
let blocked: boolean[];

beforeEach(() => {
  [closed, started, received, blocked] = [false, [], [], []];
  [page, call] = [new EventTarget(), new AbortController()];
  vi.stubGlobal('WebSocket', ScriptedSocket);
  vi.stubGlobal('AudioContext', ScriptedContext);
  vi.stubGlobal('addEventListener', page.addEventListener.bind(page));
  vi.spyOn(console, 'error').mockReturnValue();
  void webSocket({
    key: 'ek_1',
    model: 'a-model',
    openaiBaseUrl: 'https://openai.test/v1',
    microphone: {} as MediaStream,
    signal: call.signal,
    onEvent: (event) => received.push(event),
    onLost: () => undefined,
    onSoundBlocked: (isBlocked) => blocked.push(isBlocked),
    clock: systemClock,
    fetch,
  });
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

function delta(sound: unknown): RealtimeEvent {
  return { type: 'response.output_audio.delta', item_id: 'i', delta: sound };
}

describe('a piece of sound', () => {
  const GOOD = delta(btoa('\0\0\0\0'));

  it.each([
    ['that is not base64', delta('n o t/base64!'), 1],
    ['that is not text', delta(7), 0],
    ['that is empty', delta(''), 0],
  ])('%s is skipped, its event is delivered, and the next one is played', (_, bad, reports) => {
    socket.receive(bad);
    socket.receive(GOOD);

    expect(received).toEqual([bad, GOOD]);
    expect(started).toEqual([0]);
    expect(console.error).toHaveBeenCalledTimes(reports);
  });

  it('that cannot be stopped does not affect the delivery of events', () => {
    const speaks = { type: 'input_audio_buffer.speech_started' };
    socket.receive(GOOD);
    socket.receive(speaks);

    expect(received).toEqual([GOOD, speaks]);
    expect(console.error).toHaveBeenCalledTimes(1);
  });
});

describe('in a browser that starts sound suspended', () => {
  it('sound is resumed immediately, and whenever the page is touched during the call', () => {
    expect(context.resumed).toBe(1);
    page.dispatchEvent(new Event('pointerup'));
    page.dispatchEvent(new Event('keyup'));
    expect(context.resumed).toBe(3);

    call.abort();
    page.dispatchEvent(new Event('pointerup'));
    expect(closed).toBe(true);
    expect(context.resumed).toBe(3);
  });

  it('each change is reported, such as an incoming phone call in Safari, until the call ends', () => {
    expect(blocked).toEqual([true]);
    for (const state of ['running', 'interrupted', 'running']) {
      context.become(state);
    }
    expect(blocked).toEqual([true, false, true, false]);

    call.abort();
    context.become('closed');
    expect(blocked).toHaveLength(4);
  });
});
