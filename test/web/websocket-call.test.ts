/** The WebSocket transport in a real browser: a page of another origin, on the local stack. */
import { build } from 'esbuild';
import type { Browser, Frame, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { SESSION_PATH } from '../../contract/endpoint.ts';
import { type Handler, type HttpServer, listen } from '../../local/http/http-server.ts';
import type { OpenAI } from '../../local/openai/server.ts';
import type * as Client from '../../web/client/index.ts';
import { launchChromium } from '../support/chromium.ts';
import { shortOrLong } from '../support/runs.ts';
import { startTestStack, type TestStack } from '../support/stack.ts';

declare global {
  interface Window {
    client: typeof Client;
    call: Client.VoiceCall;
    reached: (name: Client.CallState['name']) => Promise<Client.CallState>;
  }
}

const CYCLES = shortOrLong(40, 100);
/** After these, everything has been compiled, cached and pooled once. */
const WARM_UP = shortOrLong(15, 30);
const GROWTH_BYTES = shortOrLong(100_000, 400_000);

describe('a call over WebSocket', { timeout: 90_000 }, () => {
  let stack: TestStack;
  let openai: OpenAI;
  let site: HttpServer;
  let browser: Browser | undefined;
  let page: Page;

  beforeAll(async () => {
    site = await listen(serveOwnPage(await bundleClient()));
    stack = await startTestStack({
      environment: { CLIENT_LIMITS: '1000/1h', GLOBAL_LIMITS: '1000/1d', ALLOWED_ORIGINS: site.origin },
    });
    if (stack.openai === undefined) {
      throw new Error('Expected the stack to have started a stand-in for OpenAI.');
    }
    openai = stack.openai;
  });
  beforeEach(async (context) => {
    browser ??= await launchChromium(context);
    openai.reset();
    page = await openPage(browser);
  });
  afterAll(async () => {
    await browser?.close();
    await stack?.close();
    await site?.close();
  });

  async function openPage(inBrowser: Browser): Promise<Page> {
    const opened = await (await inBrowser.newContext()).newPage();
    await opened.goto(site.origin);
    await prepareCall(opened);
    return opened;
  }

  async function prepareCall(frame: Page | Frame): Promise<void> {
    await frame.evaluate(
      ({ openaiBaseUrl, sessionUrl }) => {
        const { createVoiceCall, webSocket } = window.client;
        const call = createVoiceCall({ openaiBaseUrl, sessionUrl, transport: webSocket });
        window.call = call;
        window.reached = (name) =>
          new Promise((resolve, reject) => {
            const look = () => {
              if (call.state.name === name) {
                unsubscribe();
                resolve(call.state);
              } else if (call.state.name === 'failed') {
                reject(new Error(call.state.reason));
              }
            };
            const unsubscribe = call.onState(look);
            look();
          });
      },
      { openaiBaseUrl: stack.addresses.openai, sessionUrl: `${stack.addresses.url}${SESSION_PATH}` },
    );
  }

  it.each([
    ['', false],
    [', even if the browser starts audio suspended,', true],
  ])('carries audio in both directions%s and gives the page the model’s voice to play', async (_, isSuspended) => {
    const loudest = await page.evaluate(async (suspended) => {
      const { AudioContext } = window;
      if (suspended) {
        window.AudioContext = class extends AudioContext {
          constructor() {
            super();
            void this.suspend();
          }
        };
      }
      window.call.start();
      const state = await window.reached('live');
      if (state.name !== 'live') {
        return 0;
      }
      const context = new AudioContext();
      const analyser = context.createAnalyser();
      context.createMediaStreamSource(state.remoteAudio).connect(analyser);
      const samples = new Float32Array(analyser.fftSize);
      let peak = 0;
      for (let looks = 0; looks < 100 && peak < 0.01; looks += 1) {
        await new Promise((later) => setTimeout(later, 50));
        analyser.getFloatTimeDomainData(samples);
        peak = Math.max(...samples.map(Math.abs));
      }
      await context.close();
      return peak;
    }, isSuspended);
    expect(loudest).toBeGreaterThan(0.01);
    await expect.poll(() => openai.heard().calls.audioReceived, { timeout: 10_000 }).toBeGreaterThan(5);
    await page.evaluate(() => window.call.stop());
    await expect.poll(() => openai.heard().calls.open, { timeout: 10_000 }).toBe(0);
  });

  it('reports that the browser holds back the sound, until the visitor touches the page', async () => {
    await page.evaluate(async () => {
      const { resume } = AudioContext.prototype;
      AudioContext.prototype.resume = async function hold() {
        await this.suspend();
      };
      window.call.start();
      await window.reached('live');
      AudioContext.prototype.resume = resume;
    });
    const notice = () => page.evaluate(() => window.call.state.name === 'live' && window.call.state.notice);
    expect(await notice()).toBe('sound-blocked');
    await page.mouse.click(9, 9);
    await expect.poll(notice, { timeout: 10_000 }).toBeUndefined();
    await page.evaluate(() => window.call.stop());
  });

  const failureOf = (frame: Page | Frame) =>
    frame.evaluate(async () => {
      window.call.start();
      const state = await window.reached('failed');
      return state.name === 'failed' && state.reason;
    });

  it.each(['WebSocket', 'AudioContext'])('requests no key in a browser without %s', async (missing) => {
    await page.evaluate((name) => Reflect.deleteProperty(window, name), missing);
    expect(await failureOf(page)).toBe('websocket-unsupported');
    expect(openai.heard().minted).toBe(0);
  });

  it('requests no key in an iframe that does not allow the microphone', async () => {
    // Another origin than 127.0.0.1, which serves the frame.
    await page.goto(site.origin.replace('127.0.0.1', 'localhost'));
    await page.evaluate(
      (src) => document.body.append(Object.assign(document.createElement('iframe'), { src })),
      site.origin,
    );
    const iframe = await page.locator('iframe').elementHandle();
    const frame = await iframe?.contentFrame();
    if (!frame) {
      throw new Error('Expected the iframe to have a frame.');
    }
    await frame.waitForURL(`${site.origin}/`);
    await prepareCall(frame);
    expect(await failureOf(frame)).toBe('microphone-blocked-by-policy');
    expect(openai.heard().minted).toBe(0);
  });

  it('reconnects with a new key when the socket is closed', async () => {
    await page.evaluate(() => {
      window.call.start();
      return window.reached('live').then(() => undefined);
    });
    openai.actOnCalls('drop');
    await page.evaluate(() =>
      window
        .reached('reconnecting')
        .then(() => window.reached('live'))
        .then(() => undefined),
    );
    expect(openai.heard()).toMatchObject({ minted: 2, calls: { opened: 2, open: 1 } });
    await page.evaluate(() => window.call.stop());
  });

  it(`started and stopped ${CYCLES} times never opens two connections, and does not grow the heap`, async () => {
    const session = await page.context().newCDPSession(page);
    const heap = async () => {
      await session.send('HeapProfiler.collectGarbage');
      return (await session.send('Runtime.getHeapUsage')).usedSize;
    };
    const cycles = async (times: number) => {
      for (let count = 0; count < times; count += 1) {
        await page.evaluate(async () => {
          window.call.start();
          await window.reached('live');
          window.call.stop();
        });
        expect(openai.heard().calls.open).toBeLessThanOrEqual(1);
      }
    };
    await cycles(WARM_UP);
    const before = await heap();
    await cycles(CYCLES - WARM_UP);
    expect(openai.heard()).toMatchObject({ minted: CYCLES, calls: { opened: CYCLES } });
    expect((await heap()) - before).toBeLessThan(GROWTH_BYTES);
  });
});

async function bundleClient(): Promise<string> {
  const contents = "import * as client from './web/client/index.ts'; window.client = client;";
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: process.cwd() },
    bundle: true,
    format: 'iife',
    write: false,
  });
  return outputFiles[0]?.text ?? '';
}

function serveOwnPage(script: string): Handler {
  return (_request, response) => {
    response.setHeader('content-type', 'text/html');
    response.end(`<!doctype html><link rel="icon" href="data:,"><script>${script}</script>`);
  };
}
