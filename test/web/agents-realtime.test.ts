/** @openai/agents-realtime in a real browser, over both transports, with keys of the issuer's: no event is an error. */
import { build } from 'esbuild';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type HttpServer, listen } from '../../local/http/http-server.ts';
import { launchChromium } from '../support/chromium.ts';
import { startTestStack, type TestStack } from '../support/stack.ts';
import type * as AgentsPage from './agents-page.ts';

declare global {
  interface Window {
    connect: typeof AgentsPage.connect;
    agentCall: AgentsPage.AgentCall;
  }
}

/** Half a minute of speech, which is generated in six seconds. */
const LONG = 'word '.repeat(400);

describe('@openai/agents-realtime in a browser', { timeout: 60_000 }, () => {
  let stack: TestStack;
  let site: HttpServer;
  let browser: Browser | undefined;
  let page: Page;
  const thrown: Error[] = [];

  beforeAll(async () => {
    const script = await bundlePage();
    site = await listen((_request, response) => {
      response.setHeader('content-type', 'text/html');
      response.end(`<!doctype html><link rel="icon" href="data:,"><script type="module">${script}</script>`);
    });
    stack = await startTestStack();
  });
  beforeEach(async (context) => {
    browser ??= await launchChromium(context);
    page = await (await browser.newContext()).newPage();
    page.on('pageerror', (error) => thrown.push(error));
    await page.goto(site.origin);
  });
  afterAll(async () => {
    await browser?.close();
    await stack?.close();
    await site?.close();
  });

  async function connect(transport: 'webrtc' | 'websocket'): Promise<void> {
    const { value: key, session } = (await stack.visit()).json as { value: string; session: { model: string } };
    const target = { transport, baseUrl: stack.addresses.openai, key, model: session.model };
    await page.evaluate(async (to) => {
      window.agentCall = await window.connect(to);
    }, target);
  }

  /** The user names the function, the library runs it, and the model repeats what it returned. */
  function callFunction(): Promise<unknown> {
    return page.evaluate(async () => {
      const { session, next, quiet } = window.agentCall;
      await quiet();
      session.sendMessage('Please look_up_weather.');
      await next('response.function_call_arguments.done');
      return await next('response.output_audio_transcript.done');
    });
  }

  async function expectNoErrorAfterClosing(): Promise<void> {
    const { errors, events, cities } = await page.evaluate(async () => {
      const { session, quiet, ...call } = window.agentCall;
      await quiet();
      session.close();
      return { errors: call.errors, events: call.events.map(({ type }) => type), cities: call.cities };
    });
    expect(errors).toEqual([]);
    expect(events).not.toContain('error');
    expect(cities).toEqual(['sample']);
    expect(thrown).toEqual([]);
    await expect.poll(() => stack.openai?.heard().calls.open, { timeout: 20_000 }).toBe(0);
  }

  const sent = () => page.evaluate(() => window.agentCall.sent);
  const history = () =>
    page.evaluate(() => {
      const messages = window.agentCall.session.history.filter((item) => item.type === 'message');
      return messages.map(
        ({ role, content: [part] }) => `${role}: ${part !== undefined && 'transcript' in part && part.transcript}`,
      );
    });

  it('over WebRTC: connects, is heard, is interrupted by speech and by a call, calls a function, and closes', async () => {
    await connect('webrtc');
    await page.evaluate(() => window.agentCall.next('conversation.item.retrieved'));
    await expect.poll(history).toEqual(expect.arrayContaining(['user: Beep 1.', 'assistant: I heard beep 1.']));

    const bySpeech = await page.evaluate(async (long) => {
      const { session, next, quiet } = window.agentCall;
      session.mute(true);
      await quiet();
      session.sendMessage(long);
      await next('output_audio_buffer.started');
      session.mute(false);
      const interruption = [
        await next('input_audio_buffer.speech_started'),
        await next('response.done'),
        await next('output_audio_buffer.cleared'),
        await next('conversation.item.truncated'),
        await next('conversation.item.retrieved'),
      ];
      session.mute(true);
      await quiet();
      return interruption;
    }, LONG);
    expect(bySpeech[1]).toMatchObject({
      response: { status: 'cancelled', status_details: { reason: 'turn_detected' } },
    });

    const byCall = await page.evaluate(async (long) => {
      const { session, next } = window.agentCall;
      session.sendMessage(long);
      await next('output_audio_buffer.started');
      session.interrupt();
      return [await next('response.done'), await next('output_audio_buffer.cleared')];
    }, LONG);
    expect(byCall[0]).toMatchObject({
      response: { status: 'cancelled', status_details: { reason: 'client_cancelled' } },
    });

    expect(await callFunction()).toMatchObject({ transcript: 'The function returned sunny in sample' });
    expect(new Set(await sent())).toEqual(
      new Set([
        'session.update',
        'conversation.item.retrieve',
        'conversation.item.create',
        'response.create',
        'response.cancel',
        'output_audio_buffer.clear',
      ]),
    );
    await expectNoErrorAfterClosing();
  });

  it('over WebSocket: connects, is heard, is interrupted by speech and by a call, calls a function, and closes', async () => {
    await connect('websocket');
    const speech = await page.evaluate(async () => {
      const { session, next } = window.agentCall;
      // The settings are sent once the socket is open.
      await next('session.updated');
      session.sendAudio(Int16Array.from({ length: 4_800 }, (_, at) => 8_000 * Math.sin(at / 10)).buffer);
      session.sendAudio(new Int16Array(12_000).buffer);
      await next('conversation.item.retrieved');
      return await next('response.done');
    });
    expect(speech).toMatchObject({ response: { status: 'completed', usage: { output_tokens: expect.any(Number) } } });
    await expect
      .poll(history)
      .toEqual(['assistant: Hello, this is the stand-in speaking.', 'user: Beep 1.', 'assistant: I heard beep 1.']);

    const bySpeech = await page.evaluate(async (long) => {
      const { session, next, quiet } = window.agentCall;
      session.sendMessage(long);
      await next('response.output_audio.delta');
      session.sendAudio(Int16Array.from({ length: 4_800 }, (_, at) => 8_000 * Math.sin(at / 10)).buffer);
      const interruption = [await next('response.done'), await next('conversation.item.truncated')];
      session.sendAudio(new Int16Array(12_000).buffer);
      await quiet();
      return interruption;
    }, LONG);
    expect(bySpeech[0]).toMatchObject({
      response: { status: 'cancelled', status_details: { reason: 'turn_detected' } },
    });

    const byCall = await page.evaluate(async (long) => {
      const { session, next } = window.agentCall;
      session.sendMessage(long);
      await next('response.output_audio.delta');
      session.interrupt();
      return [await next('response.done'), await next('conversation.item.truncated')];
    }, LONG);
    expect(byCall[0]).toMatchObject({
      response: { status: 'cancelled', status_details: { reason: 'client_cancelled' } },
    });

    expect(await callFunction()).toMatchObject({ transcript: 'The function returned sunny in sample' });
    expect(new Set(await sent())).toEqual(
      new Set([
        'session.update',
        'input_audio_buffer.append',
        'conversation.item.retrieve',
        'conversation.item.create',
        'conversation.item.truncate',
        'response.create',
        'response.cancel',
      ]),
    );
    await expectNoErrorAfterClosing();
  });
});

async function bundlePage(): Promise<string> {
  const { outputFiles } = await build({
    stdin: {
      contents: "import { connect } from './agents-page.ts'; window.connect = connect;",
      resolveDir: import.meta.dirname,
    },
    bundle: true,
    format: 'esm',
    platform: 'browser',
    write: false,
  });
  return (outputFiles[0]?.text ?? '').replaceAll('</script', '<\\/script');
}
