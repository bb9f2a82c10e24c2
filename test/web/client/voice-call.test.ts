import { describe, expect, it, vi } from 'vitest';
import type { CallState, VoiceCall } from '../../../web/client/index.ts';
import { key, NOW, problem, REMOTE, type ScriptedCall, scriptCall } from './scripted-neighbours.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** Brings the model's voice in, so that a drop comes in the middle of a conversation. */
function speak({ line }: ScriptedCall): void {
  line().onEvent({ type: 'response.output_audio_transcript.delta', delta: 'Hello' });
}

/** Loses the connection and goes on until the next one is asked for. */
async function drop(scripted: ScriptedCall): Promise<void> {
  speak(scripted);
  scripted.line().onLost();
  await scripted.settle();
  await scripted.clock.advance(15 * SECOND);
  await scripted.settle();
}

describe('a call', () => {
  it('asks for the microphone, then for a key, then for a connection, and is live with the session', async () => {
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
    scripted.line().open();
    await scripted.settle();
    expect(call.state.name).toBe('connecting');
    scripted.line().onEvent({ type: 'session.created' });
    expect(call.state).toMatchObject({ name: 'live', model: 'a-model', allowance, remoteAudio: REMOTE });
    expect(call.state).toMatchObject({ since: NOW + 2 * SECOND, until: NOW + 2 * SECOND + 7 * MINUTE });
    expect(scripted.names).toEqual(['asking-for-microphone', 'minting', 'connecting', 'live']);
  });

  it('hands the key and the microphone to the connection', async () => {
    const scripted = scriptCall({ openaiBaseUrl: 'https://openai.test/v1' });
    await scripted.talk();
    expect(scripted.line()).toMatchObject({
      key: 'ek_of_a_test',
      model: 'a-model',
      openaiBaseUrl: 'https://openai.test/v1',
    });
  });

  it('passes events on in both directions, while there is a connection', async () => {
    const scripted = scriptCall();
    const { call } = scripted;
    const heard: string[] = [];
    const unsubscribe = call.onEvent(({ type }) => heard.push(type));
    expect(call.send({ type: 'response.create' })).toBe(false);
    await scripted.talk();
    expect(call.send({ type: 'response.create' })).toBe(true);
    speak(scripted);
    unsubscribe();
    speak(scripted);
    expect(heard).toEqual(['session.created', 'response.output_audio_transcript.delta']);
    expect(scripted.line().sent).toEqual([{ type: 'response.create' }]);
    call.stop();
    expect(call.send({ type: 'response.create' })).toBe(false);
  });

  it('is one call, however often it is started', async () => {
    const scripted = scriptCall();
    for (const _press of [1, 2, 3]) {
      scripted.call.start();
      await scripted.settle();
    }
    expect(scripted.minted).toHaveLength(1);
    expect(scripted.tracks).toHaveLength(1);
  });

  it('is not harmed by a listener that throws', async () => {
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

  it('that a listener starts anew at its end is told to every listener in order', async () => {
    const scripted = scriptCall();
    const { call } = scripted;
    const heard: string[][] = [[], []];
    call.onState(({ name }) => {
      heard[0]?.push(name);
      if (name === 'ended' && heard[0]?.filter((each) => each === name).length === 1) {
        call.start();
        expect(call.state.name).toBe('asking-for-microphone');
      }
    });
    call.onState(({ name }) => heard[1]?.push(name));
    await scripted.talk();
    call.stop();
    await scripted.settle();

    const once = ['asking-for-microphone', 'minting', 'connecting'];
    const inOrder = [...once, 'live', 'ended', ...once];
    expect(heard).toEqual([inOrder, inOrder]);
    expect(scripted.names).toEqual(inOrder);
    call.stop();
    scripted.expectNothingLeft();
  });

  it('that is stopped by an event has ended only once every listener has heard of the event', async () => {
    const scripted = scriptCall();
    const { call } = scripted;
    const heard: string[] = [];
    await scripted.talk();
    call.onEvent(() => call.stop());
    call.onEvent(({ type }) => heard.push(type));
    call.onState(({ name }) => heard.push(name));
    speak(scripted);
    expect(heard).toEqual(['response.output_audio_transcript.delta', 'ended']);
  });

  it('that ends with an event of the server has told of the event before', async () => {
    const scripted = scriptCall();
    const heard: string[] = [];
    await scripted.talk();
    scripted.call.onEvent(({ type }) => heard.push(type));
    scripted.call.onState(({ name }) => heard.push(name));
    scripted.line().onEvent({ type: 'error', error: { code: 'session_expired' } });
    expect(heard).toEqual(['error', 'ended']);
  });

  it.each([0, -1, Number.NaN])('has no length of %s minutes', (maxCallMinutes) => {
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
        scripted.line().onLost();
        await scripted.settle();
      },
    ],
    [
      'reconnecting',
      async (scripted) => {
        await scripted.talk();
        scripted.tab.online = false;
        scripted.line().onLost();
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
    'while %s, it leaves nothing behind, says nothing more, and can start again',
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

  it('twice or before it began, it does nothing', async () => {
    const scripted = scriptCall();
    scripted.call.stop();
    expect(scripted.call.state).toEqual({ name: 'idle' });
    await scripted.talk();
    scripted.call.stop();
    scripted.call.stop();
    expect(scripted.names.filter((name) => name === 'ended')).toHaveLength(1);
  });

  it('while the visitor still ponders the microphone, it lets go of one that is granted later', async () => {
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

  it('and started at once, from within a listener, it is another call, which the old one cannot disturb', async () => {
    const scripted = scriptCall();
    const { call } = scripted;
    await scripted.talk();
    const old = scripted.line();
    const once = call.onState(({ name }) => {
      if (name === 'ended') {
        once();
        call.start();
      }
    });
    call.stop();
    await scripted.settle();
    await scripted.line().live();
    old.onLost();
    old.onEvent({ type: 'error', error: { code: 'session_expired' } });
    expect(call.state.name).toBe('live');
  });
});

describe('without a microphone', () => {
  it.each([
    ['NotAllowedError', 'microphone-refused'],
    ['SecurityError', 'microphone-refused'],
    ['NotFoundError', 'microphone-absent'],
    ['OverconstrainedError', 'microphone-absent'],
    ['NotReadableError', 'microphone-unavailable'],
    ['TypeError', 'microphone-unavailable'],
  ])('no key is spent: %s is %s', async (name, reason) => {
    const scripted = scriptCall();
    scripted.microphone = () => Promise.reject(Object.assign(new Error('no'), { name }));
    scripted.call.start();
    await scripted.settle();
    expect(scripted.call.state).toMatchObject({ name: 'failed', reason });
    expect(scripted.minted).toEqual([]);
    scripted.expectNothingLeft();
  });

  it('the call ends: it was unplugged', async () => {
    const scripted = scriptCall();
    await scripted.talk();
    scripted.tracks[0]?.dispatchEvent(new Event('ended'));
    expect(scripted.call.state).toMatchObject({ name: 'failed', reason: 'microphone-absent' });
    scripted.expectNothingLeft();
  });
});

describe('refused by the issuer', () => {
  it.each([
    [429, 'rate_limited', '1800', NOW + 30 * MINUTE],
    [403, 'paused', undefined, undefined],
    [403, 'blocked', '60', NOW + MINUTE],
  ])('with %i %s, it says the server’s sentence and asks no more', async (status, code, retryAfter, retryAt) => {
    const scripted = scriptCall();
    scripted.issuer = () => problem(status, code, 'The server’s sentence.', retryAfter);
    scripted.call.start();
    await scripted.settle();
    expect(scripted.call.state).toEqual({ name: 'refused', code, sentence: 'The server’s sentence.', retryAt });
    await scripted.clock.advance(60 * MINUTE);
    expect(scripted.minted).toHaveLength(1);
    scripted.expectNothingLeft();
  });

  it('on its way back, it is refused all the same', async () => {
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
  ])('as %s, it has asked a few times and no more', async (reason, issuer, times) => {
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
    ['OpenAI refuses it', ({ line }: ScriptedCall) => line().refuse(429)],
    ['the network fails', ({ line }: ScriptedCall) => line().fail()],
    ['it is lost before the session', ({ line }: ScriptedCall) => line().onLost()],
    ['there is no session within 15 s', ({ clock }: ScriptedCall) => clock.advance(15 * SECOND)],
  ])('is not tried again with another key: %s', async (_case, spoil) => {
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
  it('brings the call back by itself, with a fresh key, after a wait with jitter', async () => {
    const scripted = scriptCall();
    await scripted.talk();
    await scripted.clock.advance(10 * SECOND);
    speak(scripted);
    scripted.line().onLost();
    await scripted.settle();
    const step = { name: 'waiting', until: NOW + 11.5 * SECOND };
    expect(scripted.call.state).toEqual({ name: 'reconnecting', attempt: 1, attempts: 5, step });
    await scripted.clock.advance(1.5 * SECOND);
    await scripted.settle();
    expect(scripted.call.state).toMatchObject({ name: 'reconnecting', step: { name: 'connecting' } });
    await scripted.line().live();
    expect(scripted.minted).toEqual([NOW, NOW + 11.5 * SECOND]);
    // The call is as old as it was.
    expect(scripted.call.state).toMatchObject({ name: 'live', since: NOW, until: NOW + 10 * MINUTE });
    expect(scripted.connections.filter(({ signal }) => !signal.aborted)).toHaveLength(1);
  });

  it('after drop ends after five attempts, if each connection closes soon after it opened', async () => {
    const scripted = scriptCall();
    await scripted.talk();
    while (scripted.call.state.name !== 'failed') {
      await drop(scripted);
      if (scripted.call.state.name === 'reconnecting') {
        await scripted.line().live();
      }
    }
    expect(scripted.call.state).toMatchObject({ name: 'failed', reason: 'lost' });
    expect(scripted.minted).toHaveLength(6);
    scripted.expectNothingLeft();
  });

  it('is forgiven once a connection has held for five seconds', async () => {
    const scripted = scriptCall();
    await scripted.talk();
    for (let drops = 0; drops < 12; drops += 1) {
      await drop(scripted);
      expect(scripted.call.state).toMatchObject({ name: 'reconnecting', attempt: 1 });
      await scripted.line().live();
      await scripted.clock.advance(5 * SECOND);
    }
    expect(scripted.call.state.name).toBe('live');
  });

  it('is not forgiven for a connection that held a little less', async () => {
    const scripted = scriptCall();
    await scripted.talk();
    await drop(scripted);
    await scripted.line().live();
    await scripted.clock.advance(5 * SECOND - 1);
    await drop(scripted);
    expect(scripted.call.state).toMatchObject({ name: 'reconnecting', attempt: 2 });
  });

  it('told twice, as by `error` and `close`, is one drop', async () => {
    const scripted = scriptCall();
    await scripted.talk();
    speak(scripted);
    const { onLost } = scripted.line();
    onLost();
    onLost();
    await scripted.clock.advance(15 * SECOND);
    await scripted.settle();
    expect(scripted.minted).toHaveLength(2);
  });

  it('waits as long as the issuer asks, where it is busy, and counts that as an attempt', async () => {
    const scripted = scriptCall();
    await scripted.talk();
    await scripted.clock.advance(10 * SECOND);
    scripted.issuer = () => problem(503, 'upstream_unavailable', 'Away.', '40');
    speak(scripted);
    scripted.line().onLost();
    await scripted.clock.advance(5 * 60 * SECOND);
    const [, ...again] = scripted.minted.map((at) => at - NOW);
    // 1.5 s of jitter, then 40 s and half of 2, 4, 8 and 15 s.
    expect(again).toEqual([11_500, 52_500, 94_500, 138_500, 186_000]);
    expect(scripted.call.state).toMatchObject({ name: 'failed', reason: 'lost' });
  });

  it.each([401, 403, 404])('ends it where OpenAI answers %i, which no other key mends', async (status) => {
    const scripted = scriptCall();
    await scripted.talk();
    await drop(scripted);
    scripted.line().refuse(status);
    await scripted.settle();
    expect(scripted.call.state).toMatchObject({ name: 'failed', reason: 'not-connected' });
    expect(scripted.minted).toHaveLength(2);
  });

  it.each([429, 500, 503])('goes on where OpenAI answers %i', async (status) => {
    const scripted = scriptCall();
    await scripted.talk();
    await drop(scripted);
    scripted.line().refuse(status);
    await scripted.settle();
    expect(scripted.call.state).toMatchObject({ name: 'reconnecting', attempt: 2 });
  });

  it('ends it where the issuer asks for a longer wait than 45 s, with its time', async () => {
    const scripted = scriptCall();
    await scripted.talk();
    scripted.issuer = () => problem(503, 'upstream_unavailable', 'Away.', '3000');
    await drop(scripted);
    expect(scripted.call.state).toMatchObject({ name: 'failed', reason: 'unavailable', sentence: 'Away.' });
    expect(scripted.minted).toHaveLength(2);
    scripted.expectNothingLeft();
  });

  it('is no word: silence goes on over it', async () => {
    const scripted = scriptCall();
    await scripted.talk();
    await scripted.clock.advance(20 * SECOND);
    scripted.line().onLost();
    await scripted.clock.advance(15 * SECOND);
    await scripted.line().live();
    await scripted.clock.advance(20 * SECOND);
    scripted.line().onLost();
    await scripted.settle();
    expect(scripted.call.state).toEqual({ name: 'ended', reason: 'lost-in-silence' });
    expect(scripted.minted).toHaveLength(2);
  });

  it('while nobody has spoken for half a minute is the end', async () => {
    const scripted = scriptCall();
    await scripted.talk();
    await scripted.clock.advance(31 * SECOND);
    scripted.line().onLost();
    await scripted.settle();
    expect(scripted.call.state).toEqual({ name: 'ended', reason: 'lost-in-silence' });
    expect(scripted.minted).toHaveLength(1);
    scripted.expectNothingLeft();
  });
});

describe('without a network, or out of sight', () => {
  it.each(['offline', 'hidden'] as const)('a drop waits, and burns no attempt: %s', async (obstacle) => {
    const scripted = scriptCall();
    const set = (isThere: boolean) => {
      scripted.tab[obstacle === 'offline' ? 'online' : 'visible'] = isThere;
      return scripted.tab.change();
    };
    await scripted.talk();
    speak(scripted);
    await set(false);
    scripted.line().onLost();
    await scripted.clock.advance(4 * MINUTE);
    expect(scripted.call.state).toMatchObject({ name: 'reconnecting', attempt: 1, step: { name: obstacle } });
    expect(scripted.minted).toHaveLength(1);

    await set(true);
    expect(scripted.call.state).toMatchObject({ name: 'reconnecting', attempt: 1, step: { name: 'waiting' } });
    await scripted.clock.advance(1.5 * SECOND);
    await scripted.settle();
    await scripted.line().live();
    expect(scripted.call.state.name).toBe('live');
  });

  it('again before the wait is over, it waits again', async () => {
    const scripted = scriptCall();
    await scripted.talk();
    speak(scripted);
    scripted.line().onLost();
    await scripted.settle();
    scripted.tab.online = false;
    await scripted.clock.advance(2 * SECOND);
    expect(scripted.call.state).toMatchObject({ name: 'reconnecting', step: { name: 'offline' } });
    expect(scripted.minted).toHaveLength(1);
  });

  it('a page that is left has hung up', async () => {
    const scripted = scriptCall();
    await scripted.talk();
    scripted.tab.leave();
    expect(scripted.call.state).toEqual({ name: 'ended', reason: 'hung-up' });
    scripted.expectNothingLeft();
  });
});

describe('a call ends kindly', () => {
  it('when its minutes are over, drops included', async () => {
    const scripted = scriptCall({ maxCallMinutes: 3 });
    await scripted.talk();
    await scripted.clock.advance(100 * SECOND);
    await drop(scripted);
    await scripted.line().live();
    await scripted.clock.advance(64 * SECOND);
    speak(scripted);
    expect(scripted.call.state.name).toBe('live');
    await scripted.clock.advance(SECOND);
    expect(scripted.call.state).toEqual({ name: 'ended', reason: 'time-is-up' });
    scripted.expectNothingLeft();
  });

  it('when OpenAI’s session has reached its end', async () => {
    const scripted = scriptCall();
    await scripted.talk();
    scripted.line().onEvent({ type: 'error', error: { type: 'invalid_request_error', code: 'session_expired' } });
    scripted.line().onLost();
    await scripted.clock.advance(MINUTE);
    expect(scripted.call.state).toEqual({ name: 'ended', reason: 'session-expired' });
    expect(scripted.minted).toHaveLength(1);
  });

  it.each([{ code: 'invalid_value' }, null, 'session_expired', undefined])(
    'not at another error: %j',
    async (error) => {
      const scripted = scriptCall();
      await scripted.talk();
      scripted.line().onEvent({ type: 'error', error });
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

  it('not while the visitor speaks a long sentence', async () => {
    const scripted = scriptCall();
    await scripted.talk();
    scripted.line().onEvent({ type: 'input_audio_buffer.speech_started' });
    await scripted.clock.advance(3 * MINUTE);
    expect(scripted.call.state.name).toBe('live');
    scripted.line().onEvent({ type: 'input_audio_buffer.speech_stopped' });
    await scripted.clock.advance(4 * MINUTE);
    expect(scripted.call.state).toEqual({ name: 'ended', reason: 'silence' });
  });

  it('when the page was out of sight for five minutes', async () => {
    const scripted = scriptCall();
    await scripted.talk();
    scripted.line().onEvent({ type: 'input_audio_buffer.speech_started' });
    scripted.tab.visible = false;
    await scripted.tab.change();
    await scripted.clock.advance(5 * MINUTE - 1);
    expect(scripted.call.state.name).toBe('live');
    await scripted.clock.advance(1);
    expect(scripted.call.state).toEqual({ name: 'ended', reason: 'hidden' });
    scripted.expectNothingLeft();
  });

  it('not when somebody has looked at it in between', async () => {
    const scripted = scriptCall();
    await scripted.talk();
    scripted.line().onEvent({ type: 'input_audio_buffer.speech_started' });
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
    ['that are hung up', (call) => call.stop()],
    ['that are left', (_call, { tab }) => tab.leave()],
    [
      'that never come about',
      async (_call, { line, settle }) => {
        line().onLost();
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
