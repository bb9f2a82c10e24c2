/**
 * Browsers in which a call cannot work, or no longer, on the local stack: the page shows the reason, and no key is requested for
 * nothing. Wherever Chromium can really be in that state, it is. Otherwise the test replaces what the page would find.
 */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FailureReason } from '../../../web/client/index.ts';
import { TEXTS } from '../../../web/demo/texts/languages.ts';
import { CHROMIUM_FLAGS } from '../../support/chromium.ts';
import { startTestStack, type TestStack } from '../../support/stack.ts';
import { type Caller, call, createCaller, press, reach, text } from '../caller.ts';

const FAKE_DEVICE = '--use-fake-device-for-media-stream';
/** Grants every request. Without it, a headless browser denies what no test has granted. */
const FAKE_QUESTION = '--use-fake-ui-for-media-stream';
const INSECURE_HOST = 'insecure.test';

const without = (flag: string) => CHROMIUM_FLAGS.filter((each) => each !== flag);

describe('a call in a browser', { timeout: 90_000 }, () => {
  let stack: TestStack;
  beforeAll(async () => {
    stack = await startTestStack({ environment: { CLIENT_LIMITS: '100/1h' } });
  });
  afterAll(() => stack?.close());

  async function expectFailure(page: Page, reason: FailureReason, { posts, expectNothingHeld }: Caller): Promise<void> {
    await press(page);
    await reach(page, 'failed');
    expect([await text(page, 'headline'), await text(page, 'sentence')]).toEqual(wordsOf(reason));
    expect(posts()).toEqual([]);
    await expectNothingHeld(page);
  }

  describe('with a microphone', () => {
    const caller = createCaller(
      () => stack,
      [...CHROMIUM_FLAGS, `--host-resolver-rules=MAP ${INSECURE_HOST} 127.0.0.1`],
    );

    it('on a page without https requests no key', async () => {
      const { addresses } = stack;
      const url = addresses.url.replace('127.0.0.1', INSECURE_HOST);
      const page = await caller.open({}, { ...addresses, url });
      await expectFailure(page, 'microphone-insecure', caller);
    });

    it('that the header Permissions-Policy denies requests no key', async () => {
      const page = await caller.open();
      await page.route('**/', async (route) => {
        const response = await route.fetch();
        await route.fulfill({ response, headers: { ...response.headers(), 'permissions-policy': 'microphone=()' } });
      });
      await page.reload();
      await page.locator('#page:not([hidden])').waitFor();
      await expectFailure(page, 'microphone-blocked-by-policy', caller);
    });

    it.each<[FailureReason, string, () => void]>([
      [
        'webrtc-unsupported',
        'without WebRTC',
        () => {
          Reflect.deleteProperty(window, 'RTCPeerConnection');
        },
      ],
      [
        'webrtc-unsupported',
        'whose WebRTC throws',
        () => {
          window.RTCPeerConnection = new Proxy(RTCPeerConnection, {
            construct() {
              throw new DOMException('turned off', 'NotAllowedError');
            },
          });
        },
      ],
      [
        'microphone-unsupported',
        'without navigator.mediaDevices',
        () => {
          Reflect.deleteProperty(Navigator.prototype, 'mediaDevices');
        },
      ],
      [
        'microphone-blocked-by-system',
        'that the operating system denies',
        () => {
          const denied = new DOMException('Permission denied by system', 'NotAllowedError');
          navigator.mediaDevices.getUserMedia = () => Promise.reject(denied);
        },
      ],
      [
        'microphone-failed',
        'that does not start in time',
        () => {
          const late = new DOMException('Timeout starting audio source', 'AbortError');
          navigator.mediaDevices.getUserMedia = () => Promise.reject(late);
        },
      ],
    ])('%s: %s requests no key', async (reason, _case, breakBrowser) => {
      const page = await caller.open();
      await page.evaluate(breakBrowser);
      await expectFailure(page, reason, caller);
    });

    it('shows that the system mutes it during the call, until it is unmuted', async () => {
      const page = await caller.open();
      await call(page);
      for (const [muted, headline] of [
        [true, TEXTS.en.notice['microphone-muted'].headline],
        [false, TEXTS.en.plain.live.headline],
      ] as const) {
        await page.evaluate((isMuted) => {
          const [track] = window.opened.tracks;
          if (track !== undefined) {
            Object.defineProperty(track, 'muted', { value: isMuted, configurable: true });
            track.dispatchEvent(new Event(isMuted ? 'mute' : 'unmute'));
          }
        }, muted);
        expect(await text(page, 'headline')).toBe(headline);
      }
      expect(caller.posts()).toHaveLength(1);
    });

    it('works without Web Audio, which only the level meters need', async () => {
      const page = await caller.open();
      await page.evaluate(() => Reflect.deleteProperty(window, 'AudioContext'));
      await call(page);
      await press(page);
    });
  });

  describe('that asks the visitor', () => {
    const caller = createCaller(() => stack, without(FAKE_QUESTION));

    it('and is told to block the microphone, requests no key', async () => {
      const page = await caller.open();
      await expectFailure(page, 'microphone-blocked', caller);
    });

    it('and gets no answer, requests no key', async () => {
      const page = await caller.open();
      await page.evaluate(() => {
        // Without a message of Chromium's: what counts is that the browser will ask again.
        const dismissed = new DOMException('not now', 'NotAllowedError');
        navigator.mediaDevices.getUserMedia = () => Promise.reject(dismissed);
      });
      await expectFailure(page, 'microphone-dismissed', caller);
    });

    it('and is allowed the microphone, ends the call when the permission is withdrawn', async () => {
      const page = await caller.open({ permissions: ['microphone'] });
      await call(page);
      await page.context().clearPermissions();
      await reach(page, 'failed');
      expect([await text(page, 'headline'), await text(page, 'sentence')]).toEqual(wordsOf('microphone-lost'));
      expect(caller.posts()).toHaveLength(1);
      await caller.expectNothingHeld(page);
    });
  });

  describe('without a microphone', () => {
    const caller = createCaller(() => stack, without(FAKE_DEVICE));

    it('requests no key', async () => {
      await expectFailure(await caller.open(), 'microphone-absent', caller);
    });
  });

  describe('whose microphone cannot be read', () => {
    const caller = createCaller(() => stack, [...CHROMIUM_FLAGS, '--fail-audio-stream-creation']);

    it('requests no key', async () => {
      await expectFailure(await caller.open(), 'microphone-unavailable', caller);
    });
  });
});

function wordsOf(reason: FailureReason): string[] {
  const { headline, sentence } = TEXTS.en.failed[reason];
  return [headline, sentence];
}
