import { describe, expect, it, vi } from 'vitest';
import type { CallState, FailureReason, MicrophoneAccess, VoiceCall } from '../../../web/client/index.ts';
import { key, NOW, problem, REMOTE, type ScriptedCall, scriptCall } from './scripted-neighbours.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** Lets the model speak, so that a drop happens in the middle of a conversation. */
function speak({ connection }: ScriptedCall): void {
  connection().onEvent({ type: 'response.output_audio_transcript.delta', delta: 'Hello' });
}

/** Loses the connection, and moves the time on until the next one is opened. */
async function drop(scripted: ScriptedCall): Promise<void> {
  speak(scripted);
  scripted.connection().onLost();
  await scripted.settle();
  await scripted.clock.advance(15 * SECOND);
  await scripted.settle();
}

describe('a call', () => {
  it('requests the microphone, then a key, then a connection, and goes live when the session exists', async () => {
    const scripted = scriptCall({ maxCallMinutes: 7 });
    const { call, clock } = scripted;
    expect(call.state).toEqual({ name: 'idle' });
    call.start();
    expect(call.state).toEqual({ name: 'asking-for-microphone' });
    expect(scripted.minted).toEqual([]);
    await scripted.settle();
    const allowance = { calls: 9, until: undefined };
    expect(call.state).toEqual({ name: 'connecting', model: 'a-model', allowance });
    await clock.advance(2 * SECOND);
    scripted.connection().open();
    await scripted.settle();
    expect(call.state.name).toBe('connecting');
    scripted.connection().onEvent({ type: 'session.created' });
    expect(call.state).toMatchObject({ name: 'live', model: 'a-model', allowance, remoteAudio: REMOTE });
    expect(call.state).toMatchObject({ since: NOW + 2 * SECOND, until: NOW + 2 * SECOND + 7 * MINUTE });
    expect(scripted.names).toEqual(['asking-for-microphone', 'minting', 'connecting', 'live']);
  });

  it('passes the key, the model and the microphone to the connection', async () => {
    const scripted = scriptCall({ openaiBaseUrl: 'https://openai.test/v1' });
    const stream = await scripted.microphone();
    scripted.microphone = () => Promise.resolve(stream);
    await scripted.talk();
    expect(scripted.connection()).toMatchObject({
      key: 'ek_of_a_test',
      model: 'a-model',
      openaiBaseUrl: 'https://openai.test/v1',
    });
    expect(scripted.connection().microphone).toBe(stream);
  });

  it('passes events in both directions while there is a connection', async () => {
    const scripted = scriptCall();
    const { call } = scripted;
    const received: string[] = [];
    const unsubscribe = call.onEvent(({ type }) => received.push(type));
    expect(call.send({ type: 'response.create' })).toBe(false);
    await scripted.talk();
    expect(call.send({ type: 'response.create' })).toBe(true);
    speak(scripted);
    unsubscribe();
    speak(scripted);
    expect(received).toEqual(['session.created', 'response.output_audio_transcript.delta']);
    expect(scripted.connection().sent).toEqual([{ type: 'response.create' }]);
    call.stop();
    expect(call.send({ type: 'response.create' })).toBe(false);
  });

  it('is only one call, even if it is started several times', async () => {
    const scripted = scriptCall();
    for (const _press of [1, 2, 3]) {
      scripted.call.start();
      await scripted.settle();
    }
    expect(scripted.minted).toHaveLength(1);
    expect(scripted.tracks).toHaveLength(1);
  });

  it('continues if a listener throws', async () => {
    const scripted = scriptCall();
    const printed = vi.spyOn(console, 'error').mockReturnValue();
    scripted.call.onState(() => {
      throw new Error('a fault of the page');
    });
    await scripted.talk();
    scripted.call.stop();
    scripted.expectNothingLeft();
    expect(printed).toHaveBeenCalled();
    printed.mockRestore();
  });

  it('that a listener restarts when it ends reports its states to every listener in order', async () => {
    const scripted = scriptCall();
    const { call } = scripted;
    const received: string[][] = [[], []];
    call.onState(({ name }) => {
      received[0]?.push(name);
      if (name === 'ended' && received[0]?.filter((each) => each === name).length === 1) {
        call.start();
        expect(call.state.name).toBe('asking-for-microphone');
      }
    });
    call.onState(({ name }) => received[1]?.push(name));
    await scripted.talk();
    call.stop();
    await scripted.settle();

    const once = ['asking-for-microphone', 'minting', 'connecting'];
    const inOrder = [...once, 'live', 'ended', ...once];
    expect(received).toEqual([inOrder, inOrder]);
    expect(scripted.names).toEqual(inOrder);
    call.stop();
    scripted.expectNothingLeft();
  });

  it('that a listener stops during an event ends only after every listener has received the event', async () => {
    const scripted = scriptCall();
    const { call } = scripted;
    const received: string[] = [];
    await scripted.talk();
    call.onEvent(() => call.stop());
    call.onEvent(({ type }) => received.push(type));
    call.onState(({ name }) => received.push(name));
    speak(scripted);
    expect(received).toEqual(['response.output_audio_transcript.delta', 'ended']);
  });

  it('that ends because of a server event reports the event first', async () => {
    const scripted = scriptCall();
    const received: string[] = [];
    await scripted.talk();
    scripted.call.onEvent(({ type }) => received.push(type));
    scripted.call.onState(({ name }) => received.push(name));
    scripted.connection().onEvent({ type: 'error', error: { code: 'session_expired' } });
    expect(received).toEqual(['error', 'ended']);
  });

  it.each([0, -1, Number.NaN])('rejects a maximum of %s minutes', (maxCallMinutes) => {
    expect(() => scriptCall({ maxCallMinutes })).toThrow(/maxCallMinutes must be a number above 0, such as 10/);
  });
});

describe('stopped', () => {
  const MOMENTS: readonly [CallState['name'], (scripted: ScriptedCall) => unknown][] = [
    ['asking-for-microphone', ({ call }) => call.start()],
    [
      'minting',
      async (scripted) => {
        scripted.issuer = () => new Promise(() => undefined);
        scripted.call.start();
        await scripted.settle();
      },
    ],
    [
      'connecting',
      async ({ call, settle }) => {
        call.start();
        await settle();
      },
    ],
    ['live', ({ talk }) => talk()],
    [
      'reconnecting',
      async (scripted) => {
        await scripted.talk();
        speak(scripted);
        scripted.connection().onLost();
        await scripted.settle();
      },
    ],
    [
      'reconnecting',
      async (scripted) => {
        await scripted.talk();
        scripted.tab.online = false;
        scripted.connection().onLost();
        await scripted.settle();
      },
    ],
    [
      'reconnecting',
      async (scripted) => {
        await scripted.talk();
        await drop(scripted);
      },
    ],
  ];

  it.each(MOMENTS)(
    'while %s, it releases everything, reports nothing more, and can start again',
    async (name, reach) => {
      const scripted = scriptCall();
      const { call } = scripted;
      await reach(scripted);
      expect(call.state.name).toBe(name);
      call.stop();
      expect(call.state).toEqual({ name: 'ended', reason: 'hung-up' });
      await scripted.settle();
      scripted.expectNothingLeft();
      const { length } = scripted.states;
      const minted = scripted.minted.length;
      scripted.connections.at(-1)?.onEvent({ type: 'session.created' });
      scripted.connections.at(-1)?.onLost();
      await scripted.clock.advance(60 * MINUTE);
      expect(scripted.states).toHaveLength(length);
      expect(scripted.minted).toHaveLength(minted);

      scripted.issuer = key;
      scripted.tab.online = true;
      await scripted.talk();
      expect(call.state.name).toBe('live');
    },
  );

  it('twice, or before it starts, it does nothing', async () => {
    const scripted = scriptCall();
    scripted.call.stop();
    expect(scripted.call.state).toEqual({ name: 'idle' });
    await scripted.talk();
    scripted.call.stop();
    scripted.call.stop();
    expect(scripted.names.filter((name) => name === 'ended')).toHaveLength(1);
  });

  it('before microphone access is granted, it releases the microphone when access is granted later', async () => {
    const scripted = scriptCall();
    const { microphone } = scripted;
    const granted = Promise.withResolvers<undefined>();
    scripted.microphone = async () => {
      await granted.promise;
      return microphone();
    };
    scripted.call.start();
    scripted.call.stop();
    granted.resolve(undefined);
    await scripted.settle();
    expect(scripted.tracks).toHaveLength(1);
    expect(scripted.minted).toEqual([]);
    scripted.expectNothingLeft();
  });

  it('and restarted by a listener, it is a new call, which the old one does not affect', async () => {
    const scripted = scriptCall();
    const { call } = scripted;
    await scripted.talk();
    const old = scripted.connection();
    const once = call.onState(({ name }) => {
      if (name === 'ended') {
        once();
        call.start();
      }
    });
    call.stop();
    await scripted.settle();
    await scripted.connection().live();
    old.onLost();
    old.onEvent({ type: 'error', error: { code: 'session_expired' } });
    expect(call.state.name).toBe('live');
  });
});

describe('in a browser in which the call cannot work', () => {
  const ALLOWED: MicrophoneAccess = { isSecure: true, isBlockedByPolicy: false, permission: 'granted' };

  it.each<[FailureReason, string, MicrophoneAccess]>([
    ['microphone-insecure', 'NotSupportedError', { ...ALLOWED, isSecure: false }],
    ['microphone-unsupported', 'NotSupportedError', ALLOWED],
    ['microphone-dismissed', 'NotAllowedError', { ...ALLOWED, permission: 'prompt' }],
    ['microphone-blocked', 'NotAllowedError', { ...ALLOWED, permission: 'denied' }],
    ['microphone-blocked-by-policy', 'NotAllowedError', { ...ALLOWED, isBlockedByPolicy: true, permission: 'denied' }],
    ['microphone-blocked-by-system', 'NotAllowedError', ALLOWED],
    ['microphone-absent', 'NotFoundError', ALLOWED],
    ['microphone-unavailable', 'NotReadableError', ALLOWED],
  ])('no key is requested: %s', async (reason, name, access) => {
    const scripted = scriptCall();
    scripted.microphone = () => Promise.reject(new DOMException('no', name));
    scripted.access = access;
    scripted.call.start();
    await scripted.settle();
    expect(scripted.call.state).toEqual({ name: 'failed', reason, sentence: undefined, retryAt: undefined });
    expect(scripted.minted).toEqual([]);
    scripted.expectNothingLeft();
  });

  it('an error that explains nothing is logged to the console, and no key is requested', async () => {
    const scripted = scriptCall();
    const printed = vi.spyOn(console, 'error').mockReturnValue();
    const error = new DOMException('Timeout starting audio source', 'AbortError');
    scripted.microphone = () => Promise.reject(error);
    scripted.call.start();
    await scripted.settle();
    expect(scripted.call.state).toMatchObject({ name: 'failed', reason: 'microphone-failed' });
    expect(scripted.minted).toEqual([]);
    expect(printed.mock.calls).toEqual([[error]]);
    printed.mockRestore();
  });

  it.each(['webrtc-unsupported', 'websocket-unsupported'] as const)(
    'the visitor is not asked for the microphone, and no key is requested: %s',
    async (reason) => {
      const neverConnects = () => Promise.reject(new Error('not supported'));
      const scripted = scriptCall({ transport: Object.assign(neverConnects, { whyUnsupported: () => reason }) });
      scripted.call.start();
      expect(scripted.call.state).toMatchObject({ name: 'failed', reason });
      await scripted.settle();
      expect(scripted.names).toEqual(['failed']);
      expect([scripted.tracks, scripted.minted]).toEqual([[], []]);
      scripted.expectNothingLeft();
    },
  );

  it('the next call succeeds once the cause is gone', async () => {
    const scripted = scriptCall();
    const { microphone } = scripted;
    scripted.microphone = () => Promise.reject(new DOMException('no', 'NotAllowedError'));
    scripted.call.start();
    await scripted.settle();
    scripted.microphone = microphone;
    await scripted.talk();
    expect(scripted.call.state.name).toBe('live');
  });
});

describe('a microphone that is lost', () => {
  it('before a key is requested, ends the call without a key', async () => {
    const scripted = scriptCall();
    const { microphone } = scripted;
    scripted.microphone = async () => {
      const stream = await microphone();
      scripted.tracks[0]?.stop();
      return stream;
    };
    scripted.call.start();
    await scripted.settle();
    expect(scripted.call.state).toMatchObject({ name: 'failed', reason: 'microphone-lost' });
    expect(scripted.minted).toEqual([]);
    scripted.expectNothingLeft();
  });

  it('during the call, ends the call, and no other microphone is opened', async () => {
    const scripted = scriptCall();
    await scripted.talk();
    scripted.tracks[0]?.dispatchEvent(new Event('ended'));
    expect(scripted.call.state).toMatchObject({ name: 'failed', reason: 'microphone-lost' });
    await scripted.clock.advance(10 * MINUTE);
    expect([scripted.tracks.length, scripted.minted.length]).toEqual([1, 1]);
    scripted.expectNothingLeft();
  });
});

describe('the notice of a live call', () => {
  const notices = ({ states }: ScriptedCall) =>
    states.flatMap((state) => (state.name === 'live' ? [state.notice ?? 'none'] : [state.name]));

  it('reports that the system mutes the microphone, until it is unmuted', async () => {
    const scripted = scriptCall();
    await scripted.talk();
    scripted.tracks[0]?.setMuted(true);
    scripted.tracks[0]?.setMuted(false);
    expect(notices(scripted).slice(-3)).toEqual(['none', 'microphone-muted', 'none']);
    expect(scripted.call.state).toMatchObject({ since: NOW, until: NOW + 10 * MINUTE, remoteAudio: REMOTE });
  });

  it('is there from the beginning if the microphone was muted before, and again after a reconnection', async () => {
    const scripted = scriptCall();
    const { microphone } = scripted;
    scripted.microphone = async () => {
      const stream = await microphone();
      scripted.tracks[0]?.setMuted(true);
      return stream;
    };
    await scripted.talk();
    await drop(scripted);
    await scripted.connection().live();
    expect(notices(scripted).filter((notice) => notice.startsWith('microphone'))).toEqual([
      'microphone-muted',
      'microphone-muted',
    ]);
  });

  it('reports that the browser blocks the sound, even before the call is live', async () => {
    const scripted = scriptCall();
    scripted.call.start();
    await scripted.settle();
    const connection = scripted.connection();
    connection.onSoundBlocked(true);
    await connection.live();
    connection.onSoundBlocked(false);
    expect(notices(scripted).slice(-3)).toEqual(['connecting', 'sound-blocked', 'none']);
  });

  it('is not reported for a lost connection', async () => {
    const scripted = scriptCall();
    await scripted.talk();
    scripted.connection().onLost();
    await scripted.settle();
    scripted.tracks[0]?.setMuted(true);
    expect(scripted.call.state.name).toBe('reconnecting');
  });
});

describe('refused by the issuer', () => {
  it.each([
    [429, 'rate_limited', '1800', NOW + 30 * MINUTE],
    [403, 'paused', undefined, undefined],
    [403, 'blocked', '60', NOW + MINUTE],
  ])('with %i %s, it reports the server’s message and does not retry', async (status, code, retryAfter, retryAt) => {
    const scripted = scriptCall();
    scripted.issuer = () => problem(status, code, 'The server’s sentence.', retryAfter);
    scripted.call.start();
    await scripted.settle();
    expect(scripted.call.state).toEqual({ name: 'refused', code, sentence: 'The server’s sentence.', retryAt });
    await scripted.clock.advance(60 * MINUTE);
    expect(scripted.minted).toHaveLength(1);
    scripted.expectNothingLeft();
  });

  it('while reconnecting, it ends as refused, too', async () => {
    const scripted = scriptCall();
    await scripted.talk();
    scripted.issuer = () => problem(429, 'rate_limited', 'That was the last.', '1800');
    await drop(scripted);
    expect(scripted.call.state).toMatchObject({ name: 'refused', sentence: 'That was the last.' });
    expect(scripted.minted).toHaveLength(2);
    scripted.expectNothingLeft();
  });

  it.each([
    ['busy', () => new Response('', { status: 429 }), 4],
    ['unavailable', () => new Response('<html>', { status: 502 }), 4],
    ['unavailable', () => problem(503, 'upstream_unavailable', 'OpenAI is away.', '1'), 4],
    ['unavailable', () => problem(502, 'upstream_refused', 'Our mistake.'), 1],
  ])('as %s, it sends a limited number of requests', async (reason, issuer, times) => {
    const scripted = scriptCall();
    scripted.issuer = issuer;
    scripted.call.start();
    await scripted.settle();
    await scripted.clock.advance(60 * MINUTE);
    expect(scripted.call.state).toMatchObject({ name: 'failed', reason });
    expect(scripted.minted).toHaveLength(times);
    scripted.expectNothingLeft();
  });
});

describe('the first connection', () => {
  const notConnected = { name: 'failed', reason: 'not-connected' };

  it.each([
    ['OpenAI rejects it', ({ connection }: ScriptedCall) => connection().refuse(429)],
    ['the network fails', ({ connection }: ScriptedCall) => connection().fail()],
    ['it is lost before the session exists', ({ connection }: ScriptedCall) => connection().onLost()],
    ['there is no session within 15 s', ({ clock }: ScriptedCall) => clock.advance(15 * SECOND)],
  ])('is not retried with another key if %s', async (_case, spoil) => {
    const scripted = scriptCall();
    scripted.call.start();
    await scripted.settle();
    await spoil(scripted);
    await scripted.settle();
    expect(scripted.call.state).toMatchObject(notConnected);
    await scripted.clock.advance(60 * MINUTE);
    expect(scripted.minted).toHaveLength(1);
    scripted.expectNothingLeft();
  });
});

describe('a drop', () => {
  it('reconnects by itself, with a fresh key, after a wait with jitter', async () => {
    const scripted = scriptCall();
    await scripted.talk();
    await scripted.clock.advance(10 * SECOND);
    speak(scripted);
    scripted.connection().onLost();
    await scripted.settle();
    const step = { name: 'waiting', until: NOW + 11.5 * SECOND };
    expect(scripted.call.state).toEqual({ name: 'reconnecting', attempt: 1, attempts: 5, step });
    await scripted.clock.advance(1.5 * SECOND);
    await scripted.settle();
    expect(scripted.call.state).toMatchObject({ name: 'reconnecting', step: { name: 'connecting' } });
    await scripted.connection().live();
    expect(scripted.minted).toEqual([NOW, NOW + 11.5 * SECOND]);
    // The time limit of the call does not start again.
    expect(scripted.call.state).toMatchObject({ name: 'live', since: NOW, until: NOW + 10 * MINUTE });
    expect(scripted.connections.filter(({ signal }) => !signal.aborted)).toHaveLength(1);
  });

  it('ends the call after five attempts, if each connection closes soon after it opens', async () => {
    const scripted = scriptCall();
    await scripted.talk();
    while (scripted.call.state.name !== 'failed') {
      await drop(scripted);
      if (scripted.call.state.name === 'reconnecting') {
        await scripted.connection().live();
      }
    }
    expect(scripted.call.state).toMatchObject({ name: 'failed', reason: 'lost' });
    expect(scripted.minted).toHaveLength(6);
    scripted.expectNothingLeft();
  });

  it('is no longer counted once a connection has been live for five seconds', async () => {
    const scripted = scriptCall();
    await scripted.talk();
    for (let drops = 0; drops < 12; drops += 1) {
      await drop(scripted);
      expect(scripted.call.state).toMatchObject({ name: 'reconnecting', attempt: 1 });
      await scripted.connection().live();
      await scripted.clock.advance(5 * SECOND);
    }
    expect(scripted.call.state.name).toBe('live');
  });

  it('still counts if the connection was live for slightly less', async () => {
    const scripted = scriptCall();
    await scripted.talk();
    await drop(scripted);
    await scripted.connection().live();
    await scripted.clock.advance(5 * SECOND - 1);
    await drop(scripted);
    expect(scripted.call.state).toMatchObject({ name: 'reconnecting', attempt: 2 });
  });

  it('reported twice, as by `error` and `close`, is one drop', async () => {
    const scripted = scriptCall();
    await scripted.talk();
    speak(scripted);
    const { onLost } = scripted.connection();
    onLost();
    onLost();
    await scripted.clock.advance(15 * SECOND);
    await scripted.settle();
    expect(scripted.minted).toHaveLength(2);
  });

  it('waits for the Retry-After of a busy issuer, and counts it as an attempt', async () => {
    const scripted = scriptCall();
    await scripted.talk();
    await scripted.clock.advance(10 * SECOND);
    scripted.issuer = () => problem(503, 'upstream_unavailable', 'Away.', '40');
    speak(scripted);
    scripted.connection().onLost();
    await scripted.clock.advance(5 * 60 * SECOND);
    const [, ...again] = scripted.minted.map((at) => at - NOW);
    // 1.5 s of jitter, then 40 s and half of 2, 4, 8 and 15 s.
    expect(again).toEqual([11_500, 52_500, 94_500, 138_500, 186_000]);
    expect(scripted.call.state).toMatchObject({ name: 'failed', reason: 'lost' });
  });

  it.each([401, 403, 404])('ends the call if OpenAI responds with %i: a new key would not help', async (status) => {
    const scripted = scriptCall();
    await scripted.talk();
    await drop(scripted);
    scripted.connection().refuse(status);
    await scripted.settle();
    expect(scripted.call.state).toMatchObject({ name: 'failed', reason: 'not-connected' });
    expect(scripted.minted).toHaveLength(2);
  });

  it.each([429, 500, 503])('is followed by another attempt if OpenAI responds with %i', async (status) => {
    const scripted = scriptCall();
    await scripted.talk();
    await drop(scripted);
    scripted.connection().refuse(status);
    await scripted.settle();
    expect(scripted.call.state).toMatchObject({ name: 'reconnecting', attempt: 2 });
  });

  it('ends the call if the Retry-After of the issuer is longer than 45 s', async () => {
    const scripted = scriptCall();
    await scripted.talk();
    scripted.issuer = () => problem(503, 'upstream_unavailable', 'Away.', '3000');
    await drop(scripted);
    expect(scripted.call.state).toMatchObject({ name: 'failed', reason: 'unavailable', sentence: 'Away.' });
    expect(scripted.minted).toHaveLength(2);
    scripted.expectNothingLeft();
  });

  it('does not count as speech: silence continues across it', async () => {
    const scripted = scriptCall();
    await scripted.talk();
    await scripted.clock.advance(20 * SECOND);
    scripted.connection().onLost();
    await scripted.clock.advance(15 * SECOND);
    await scripted.connection().live();
    await scripted.clock.advance(20 * SECOND);
    scripted.connection().onLost();
    await scripted.settle();
    expect(scripted.call.state).toEqual({ name: 'ended', reason: 'lost-in-silence' });
    expect(scripted.minted).toHaveLength(2);
  });

  it('ends the call if nobody has spoken for half a minute', async () => {
    const scripted = scriptCall();
    await scripted.talk();
    await scripted.clock.advance(31 * SECOND);
    scripted.connection().onLost();
    await scripted.settle();
    expect(scripted.call.state).toEqual({ name: 'ended', reason: 'lost-in-silence' });
    expect(scripted.minted).toHaveLength(1);
    scripted.expectNothingLeft();
  });
});

describe('offline, or in a hidden page', () => {
  it.each(['offline', 'hidden'] as const)('a drop waits, and uses no attempt: %s', async (obstacle) => {
    const scripted = scriptCall();
    const set = (isThere: boolean) => {
      scripted.tab[obstacle === 'offline' ? 'online' : 'visible'] = isThere;
      return scripted.tab.change();
    };
    await scripted.talk();
    speak(scripted);
    await set(false);
    scripted.connection().onLost();
    await scripted.clock.advance(4 * MINUTE);
    expect(scripted.call.state).toMatchObject({ name: 'reconnecting', attempt: 1, step: { name: obstacle } });
    expect(scripted.minted).toHaveLength(1);

    await set(true);
    expect(scripted.call.state).toMatchObject({ name: 'reconnecting', attempt: 1, step: { name: 'waiting' } });
    await scripted.clock.advance(1.5 * SECOND);
    await scripted.settle();
    await scripted.connection().live();
    expect(scripted.call.state.name).toBe('live');
  });

  it('a call that goes offline during the wait waits again', async () => {
    const scripted = scriptCall();
    await scripted.talk();
    speak(scripted);
    scripted.connection().onLost();
    await scripted.settle();
    scripted.tab.online = false;
    await scripted.clock.advance(2 * SECOND);
    expect(scripted.call.state).toMatchObject({ name: 'reconnecting', step: { name: 'offline' } });
    expect(scripted.minted).toHaveLength(1);
  });

  it('leaving the page ends the call', async () => {
    const scripted = scriptCall();
    await scripted.talk();
    scripted.tab.leave();
    expect(scripted.call.state).toEqual({ name: 'ended', reason: 'hung-up' });
    scripted.expectNothingLeft();
  });
});

describe('a call ends', () => {
  it('when maxCallMinutes have passed, drops included', async () => {
    const scripted = scriptCall({ maxCallMinutes: 3 });
    await scripted.talk();
    await scripted.clock.advance(100 * SECOND);
    await drop(scripted);
    await scripted.connection().live();
    await scripted.clock.advance(64 * SECOND);
    speak(scripted);
    expect(scripted.call.state.name).toBe('live');
    await scripted.clock.advance(SECOND);
    expect(scripted.call.state).toEqual({ name: 'ended', reason: 'time-is-up' });
    scripted.expectNothingLeft();
  });

  it('when OpenAI’s session expires', async () => {
    const scripted = scriptCall();
    await scripted.talk();
    scripted.connection().onEvent({ type: 'error', error: { type: 'invalid_request_error', code: 'session_expired' } });
    scripted.connection().onLost();
    await scripted.clock.advance(MINUTE);
    expect(scripted.call.state).toEqual({ name: 'ended', reason: 'session-expired' });
    expect(scripted.minted).toHaveLength(1);
  });

  it.each([{ code: 'invalid_value' }, null, 'session_expired', undefined])(
    'but not after another error: %j',
    async (error) => {
      const scripted = scriptCall();
      await scripted.talk();
      scripted.connection().onEvent({ type: 'error', error });
      expect(scripted.call.state.name).toBe('live');
    },
  );

  it('when nobody has spoken for two minutes', async () => {
    const scripted = scriptCall();
    await scripted.talk();
    await scripted.clock.advance(MINUTE);
    speak(scripted);
    await scripted.clock.advance(2 * MINUTE - 1);
    expect(scripted.call.state.name).toBe('live');
    await scripted.clock.advance(1);
    expect(scripted.call.state).toEqual({ name: 'ended', reason: 'silence' });
    scripted.expectNothingLeft();
  });

  it('but not while the visitor is speaking a long sentence', async () => {
    const scripted = scriptCall();
    await scripted.talk();
    scripted.connection().onEvent({ type: 'input_audio_buffer.speech_started' });
    await scripted.clock.advance(3 * MINUTE);
    expect(scripted.call.state.name).toBe('live');
    scripted.connection().onEvent({ type: 'input_audio_buffer.speech_stopped' });
    await scripted.clock.advance(4 * MINUTE);
    expect(scripted.call.state).toEqual({ name: 'ended', reason: 'silence' });
  });

  it('when the page has been hidden for five minutes', async () => {
    const scripted = scriptCall();
    await scripted.talk();
    scripted.connection().onEvent({ type: 'input_audio_buffer.speech_started' });
    scripted.tab.visible = false;
    await scripted.tab.change();
    await scripted.clock.advance(5 * MINUTE - 1);
    expect(scripted.call.state.name).toBe('live');
    await scripted.clock.advance(1);
    expect(scripted.call.state).toEqual({ name: 'ended', reason: 'hidden' });
    scripted.expectNothingLeft();
  });

  it('but not if the page was visible in between', async () => {
    const scripted = scriptCall();
    await scripted.talk();
    scripted.connection().onEvent({ type: 'input_audio_buffer.speech_started' });
    for (const visible of [false, true, false]) {
      scripted.tab.visible = visible;
      await scripted.tab.change();
      await scripted.clock.advance(3 * MINUTE);
    }
    expect(scripted.call.state.name).toBe('live');
  });
});

describe('a hundred calls', () => {
  it.each<[string, (call: VoiceCall, scripted: ScriptedCall) => Promise<void> | void]>([
    ['that are stopped', (call) => call.stop()],
    ['whose page is left', (_call, { tab }) => tab.leave()],
    [
      'that never connect',
      async (_call, { connection, settle }) => {
        connection().onLost();
        await settle();
      },
    ],
  ])('%s leave nothing behind', async (_case, end) => {
    const scripted = scriptCall();
    for (let count = 0; count < 100; count += 1) {
      scripted.call.start();
      await scripted.settle();
      await end(scripted.call, scripted);
      scripted.expectNothingLeft();
    }
    expect(scripted.minted).toHaveLength(100);
  });
});
