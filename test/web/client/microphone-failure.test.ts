import { describe, expect, it } from 'vitest';
import {
  type MicrophoneAccess,
  type MicrophoneFailure,
  microphoneFailureOf,
} from '../../../web/client/browser/microphone-failure.ts';

const ALLOWED: MicrophoneAccess = { isSecure: true, isBlockedByPolicy: false, permission: 'granted' };
const INSECURE: MicrophoneAccess = { isSecure: false, isBlockedByPolicy: false, permission: 'denied' };
const CLOSED = 'Permission dismissed';
const DENIED = 'Permission denied';
const SYSTEM = 'Permission denied by system';

const failure = (name: string, message: string, access: MicrophoneAccess) =>
  microphoneFailureOf(new DOMException(message, name), access);

describe('the reason why there is no microphone', () => {
  it.each<[string, MicrophoneFailure]>([
    ['NotFoundError', 'microphone-absent'],
    ['OverconstrainedError', 'microphone-absent'],
    ['NotReadableError', 'microphone-unavailable'],
    ['SecurityError', 'microphone-unsupported'],
    ['NotSupportedError', 'microphone-unsupported'],
    ['AbortError', 'microphone-failed'],
    ['InvalidStateError', 'microphone-failed'],
  ])('by the error’s name: %s is %s', (name, reason) => {
    expect(failure(name, '', ALLOWED)).toBe(reason);
  });

  it.each(['NotAllowedError', 'NotSupportedError', 'SecurityError'])(
    'on a page without https, is the missing https: %s',
    (name) => {
      expect(failure(name, DENIED, INSECURE)).toBe('microphone-insecure');
    },
  );

  it('is the device’s own, even on a page that the browser wrongly believes to be insecure', () => {
    expect(failure('NotReadableError', '', INSECURE)).toBe('microphone-unavailable');
  });

  it.each<[MicrophoneFailure, string, Partial<MicrophoneAccess>]>([
    ['microphone-dismissed', CLOSED, { permission: 'prompt' }],
    ['microphone-dismissed', 'Firefox: blocked this time', { permission: 'prompt' }],
    ['microphone-dismissed', CLOSED, { permission: undefined }],
    ['microphone-dismissed', DENIED, { permission: 'prompt', isBlockedByPolicy: true }],
    ['microphone-blocked', DENIED, { permission: 'denied' }],
    ['microphone-blocked', 'Chrome: dismissed three times, so it no longer asks', { permission: 'denied' }],
    ['microphone-blocked', DENIED, { permission: undefined }],
    ['microphone-blocked-by-policy', DENIED, { permission: 'denied', isBlockedByPolicy: true }],
    ['microphone-blocked-by-policy', DENIED, { permission: undefined, isBlockedByPolicy: true }],
    ['microphone-blocked-by-system', SYSTEM, { permission: 'granted' }],
    ['microphone-blocked-by-system', SYSTEM, { permission: 'prompt' }],
    ['microphone-blocked-by-system', SYSTEM, { permission: undefined }],
    ['microphone-blocked-by-system', 'Safari: the device’s settings', { permission: 'granted' }],
  ])('of a NotAllowedError is %s: “%s”, %j', (reason, message, access) => {
    expect(failure('NotAllowedError', message, { ...ALLOWED, ...access })).toBe(reason);
  });

  it.each([undefined, null, 'no', new TypeError('getUserMedia is not a function'), {}])(
    'is not known after an error that is %s',
    (error) => {
      expect(microphoneFailureOf(error, ALLOWED)).toBe('microphone-failed');
    },
  );

  it('is found in an error that is not an Error, as in older browsers', () => {
    expect(microphoneFailureOf({ name: 'OverconstrainedError' }, ALLOWED)).toBe('microphone-absent');
  });
});
