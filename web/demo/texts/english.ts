/** The page in English. */
import type { Texts } from './texts.ts';

export const ENGLISH: Texts = {
  title: 'Voice demo',
  footer: 'Calls are free and limited in number, so that everyone gets a turn.',
  privacy: 'Your voice is sent to OpenAI while you are on a call.',
  plain: {
    idle: {
      headline: 'Ready when you are',
      sentence: 'Press the button to talk to an AI voice assistant. No sign-up, nothing to install.',
    },
    'asking-for-microphone': {
      headline: 'Waiting for your microphone',
      sentence: 'Please allow microphone access when your browser asks.',
    },
    minting: { headline: 'One moment', sentence: 'Preparing your call.' },
    connecting: { headline: 'Connecting', sentence: 'Almost there.' },
    live: { headline: 'You are connected', sentence: 'Just speak. You can interrupt at any time.' },
    refused: { headline: 'Not available right now', sentence: 'This service is not taking calls at the moment.' },
    reopened: { headline: 'You can call again', sentence: 'Thank you for waiting.' },
    misconfigured: {
      headline: 'This page is not ready',
      sentence: 'Part of it could not be loaded. Please reload the page, or try again later.',
    },
  },
  reconnecting: {
    headline: 'Connection lost',
    sentence: {
      waiting: 'Reconnecting in a moment. Please stay on this page.',
      minting: 'Preparing a new connection.',
      connecting: 'Reconnecting.',
      offline: 'You are offline. The call continues when your connection is back.',
      hidden: 'The call continues when you return to this page.',
    },
    attempt: (attempt, attempts) => `Attempt ${attempt} of ${attempts}`,
  },
  failed: {
    'webrtc-unsupported': {
      headline: 'This browser cannot make calls',
      sentence:
        'It does not support voice calls (WebRTC), or they are turned off. Please open this page in another browser.',
    },
    'websocket-unsupported': {
      headline: 'This browser cannot make calls',
      sentence: 'It lacks a feature that the call needs. Please open this page in another browser.',
    },
    'microphone-insecure': {
      headline: 'No microphone at this address',
      sentence: 'Browsers allow the microphone only on secure pages. Please use an address that starts with https.',
    },
    'microphone-unsupported': {
      headline: 'No microphone in this browser',
      sentence: 'This browser gives web pages no microphone. Please open this page in another browser.',
    },
    'microphone-dismissed': {
      headline: 'Microphone not allowed yet',
      sentence: 'Please try again, and allow the microphone when your browser asks.',
    },
    'microphone-blocked': {
      headline: 'Microphone blocked',
      sentence: 'Please allow it for this page in your browser’s settings, or open the page in another browser.',
    },
    'microphone-blocked-by-policy': {
      headline: 'No microphone on this page',
      sentence: 'This page may not use the microphone. If it is part of another page, please open it in its own tab.',
    },
    'microphone-blocked-by-system': {
      headline: 'Microphone blocked by your device',
      sentence: 'Please allow your browser to use it in your device’s privacy settings, then try again.',
    },
    'microphone-absent': {
      headline: 'No microphone found',
      sentence: 'Please connect a microphone or turn it on, then try again.',
    },
    'microphone-unavailable': {
      headline: 'Microphone not available',
      sentence: 'Another app may be using it. Please close that app or reconnect the microphone, then try again.',
    },
    'microphone-failed': {
      headline: 'The microphone did not start',
      sentence: 'Please try again. If that does not help, restart your browser.',
    },
    'microphone-lost': {
      headline: 'The microphone stopped working',
      sentence: 'It was unplugged, or your browser no longer allows it. Please check it, then try again.',
    },
    busy: {
      headline: 'All lines are busy',
      sentence: 'Many people are calling right now. Please try again in a moment.',
    },
    unavailable: {
      headline: 'Something went wrong',
      sentence: 'The service did not respond. Please check your connection, then try again.',
    },
    'not-connected': {
      headline: 'The call did not connect',
      sentence: 'Your network may be blocking voice calls. Please try again, or use another network.',
    },
    lost: {
      headline: 'The call was cut off',
      sentence: 'We could not reconnect. Please try again when your network is stable.',
    },
  },
  ended: {
    'hung-up': { headline: 'Call ended', sentence: 'Thank you for calling.' },
    'time-is-up': { headline: 'Time is up', sentence: 'This call has reached its time limit.' },
    'session-expired': {
      headline: 'Time is up',
      sentence: 'This call has reached the time limit of the voice service.',
    },
    silence: { headline: 'Call ended', sentence: 'Nobody spoke for a while, so we ended the call.' },
    hidden: { headline: 'Call ended', sentence: 'This page was in the background for a while, so we ended the call.' },
    'lost-in-silence': { headline: 'Call ended', sentence: 'The connection was lost while nobody was speaking.' },
  },
  button: {
    call: 'Call',
    'call-again': 'Call again',
    'try-again': 'Try again',
    cancel: 'Cancel',
    'hang-up': 'Hang up',
    reload: 'Reload the page',
  },
  notice: {
    'sound-blocked': {
      headline: 'The sound is paused',
      sentence: 'Tap the page, or press a letter key, to hear the assistant.',
    },
    'sound-failed': {
      headline: 'No sound in this browser',
      sentence: 'It cannot play the assistant’s voice. Please open this page in another browser.',
    },
    'microphone-muted': {
      headline: 'Your microphone is muted',
      sentence: 'Your device or browser has muted it. The assistant cannot hear you until it is unmuted.',
    },
  },
  lastMinute: 'Less than a minute is left.',
  timeLeft: 'left',
  untilOpen: 'until you can call again',
  callsLeft: (calls) => (calls === 0 ? 'No calls left for now' : `${calls} ${noun(calls)} left`),
  callsLeftUntil: (calls, time) =>
    calls === 0 ? `No calls left until ${time}` : `${calls} ${noun(calls)} left until ${time}`,
  visitor: 'You',
  model: 'Assistant',
  captions: 'Captions',
  noCaptions: 'Your conversation will appear here.',
};

function noun(calls: number): string {
  return calls === 1 ? 'call' : 'calls';
}
