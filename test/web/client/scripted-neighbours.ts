/** A voice call with everything around it scripted: issuer, OpenAI, microphone, network, tab and clock. */
import { setImmediate } from 'node:timers/promises';
import { expect } from 'vitest';
import {
  type CallState,
  type ConnectRequest,
  createVoiceCall,
  type MicrophoneAccess,
  type VoiceCall,
  type VoiceCallOptions,
} from '../../../web/client/index.ts';
import { createFakeClock, type FakeClock } from '../../resilience/fake-clock.ts';

export const NOW = Date.parse('2026-01-01T00:00:00Z');
const SLICE_MS = 500;
export const REMOTE = {} as MediaStream;

/** One connection, with one key. */
export interface ScriptedConnection extends ConnectRequest {
  /** OpenAI accepts the call. */
  readonly open: () => void;
  /** OpenAI rejects the call. */
  readonly refuse: (status: number) => void;
  /** The network fails. */
  readonly fail: () => void;
  /** OpenAI accepts the call and creates the session. */
  readonly live: () => Promise<void>;
  readonly sent: unknown[];
}

export interface ScriptedCall {
  readonly call: VoiceCall;
  readonly clock: FakeClock;
  /** The names of the states so far. */
  readonly names: readonly string[];
  readonly states: readonly CallState[];
  readonly connections: readonly ScriptedConnection[];
  /** Epoch milliseconds of each request for a key. */
  readonly minted: readonly number[];
  /** How the issuer responds from now on. */
  issuer: () => Response | Promise<Response>;
  microphone: () => Promise<MediaStream>;
  /** What the browser reports about the microphone. */
  access: MicrophoneAccess;
  readonly tracks: readonly ScriptedTrack[];
  readonly tab: { online: boolean; visible: boolean; readonly change: () => Promise<void>; readonly leave: () => void };
  /** The newest connection. */
  readonly connection: () => ScriptedConnection;
  /** Starts a call and brings it to `live`. */
  readonly talk: () => Promise<void>;
  /** Waits until everything that is in progress has finished. */
  readonly settle: () => Promise<void>;
  /** Expects that no microphone, connection, timer or listener is left. */
  readonly expectNothingLeft: () => void;
}

export class ScriptedTrack extends EventTarget {
  readyState = 'live';
  muted = false;
  listeners = 0;

  stop(): void {
    this.readyState = 'ended';
  }

  /** The system mutes the microphone, or unmutes it. */
  setMuted(muted: boolean): void {
    this.muted = muted;
    this.dispatchEvent(new Event(muted ? 'mute' : 'unmute'));
  }

  override addEventListener(...[type, listener, options]: Parameters<EventTarget['addEventListener']>): void {
    this.listeners += 1;
    const { signal } = options as AddEventListenerOptions;
    signal?.addEventListener('abort', () => {
      this.listeners -= 1;
    });
    super.addEventListener(type, listener, options);
  }
}

export function key({ remaining = 9 } = {}): Response {
  const body = { value: 'ek_of_a_test', expires_at: NOW / 1000 + 60, session: { type: 'realtime', model: 'a-model' } };
  return Response.json(body, { headers: { 'x-ratelimit-remaining': String(remaining) } });
}

export function problem(status: number, code: string, detail: string, retryAfter?: string): Response {
  return Response.json(
    { code, detail },
    { status, headers: retryAfter === undefined ? {} : { 'retry-after': retryAfter } },
  );
}

/** Handling a response takes a few turns of the event loop. Time must not pass a deadline meanwhile, so it moves in slices. */
function inSlices(clock: FakeClock): FakeClock {
  return {
    ...clock,
    async advance(ms) {
      for (let left = ms; left > 0; left -= SLICE_MS) {
        await clock.advance(Math.min(left, SLICE_MS));
        await settle();
      }
    },
  };
}

async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) {
    await setImmediate();
  }
}

export function scriptCall(options: VoiceCallOptions = {}): ScriptedCall {
  const clock = inSlices(createFakeClock(NOW));
  const states: CallState[] = [];
  const connections: ScriptedConnection[] = [];
  const minted: number[] = [];
  const tracks: ScriptedTrack[] = [];
  const changes = new Set<() => void>();
  const leaves = new Set<() => void>();
  const listen = (to: Set<() => void>) => (listener: () => void, signal: AbortSignal) => {
    if (!signal.aborted) {
      to.add(listener);
      signal.addEventListener('abort', () => to.delete(listener));
    }
  };

  const call = createVoiceCall({
    language: 'en',
    clock,
    random: () => 0.5,
    fetch: async (_url, init) => {
      minted.push(clock.now());
      await setImmediate();
      init?.signal?.throwIfAborted();
      return scripted.issuer();
    },
    getUserMedia: () => scripted.microphone(),
    surroundings: {
      online: () => scripted.tab.online,
      visible: () => scripted.tab.visible,
      onChange: listen(changes),
      onLeave: listen(leaves),
      microphoneAccess: () => Promise.resolve(scripted.access),
    },
    transport: (request) =>
      new Promise((resolve, reject) => {
        const sent: unknown[] = [];
        const connection = {
          remoteAudio: REMOTE,
          send: (event: unknown) => sent.push(event) > 0,
        };
        const scriptedConnection: ScriptedConnection = {
          ...request,
          sent,
          open: () => resolve({ kind: 'open', connection }),
          refuse: (status) => resolve({ kind: 'refused', status }),
          fail: () => reject(new TypeError('Failed to fetch')),
          live: async () => {
            scriptedConnection.open();
            await setImmediate();
            request.onEvent({ type: 'session.created' });
          },
        };
        connections.push(scriptedConnection);
        request.signal.addEventListener('abort', () => reject(request.signal.reason));
      }),
    ...options,
  });
  call.onState((state) => states.push(state));

  const scripted: ScriptedCall = {
    call,
    clock,
    states,
    connections,
    minted,
    tracks,
    issuer: key,
    microphone: () => {
      const track = new ScriptedTrack();
      tracks.push(track);
      return Promise.resolve({ getTracks: () => [track] } as unknown as MediaStream);
    },
    access: { isSecure: true, isBlockedByPolicy: false, permission: 'denied' },
    tab: {
      online: true,
      visible: true,
      change: async () => {
        for (const listener of [...changes]) {
          listener();
        }
        await settle();
      },
      leave: () => {
        for (const listener of [...leaves]) {
          listener();
        }
      },
    },
    get names() {
      return states.map(({ name }) => name);
    },
    connection: () => {
      const connection = connections.at(-1);
      if (connection === undefined) {
        throw new Error('Expected the call to have opened a connection.');
      }
      return connection;
    },
    async talk() {
      call.start();
      await settle();
      await scripted.connection().live();
    },
    settle,
    expectNothingLeft() {
      expect(clock.running()).toBe(0);
      expect(changes.size + leaves.size).toBe(0);
      expect(tracks.filter(({ readyState, listeners }) => readyState !== 'ended' || listeners > 0)).toEqual([]);
      expect(connections.filter(({ signal }) => !signal.aborted)).toEqual([]);
    },
  };
  return scripted;
}
