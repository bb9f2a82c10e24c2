/** The page in English. */
import type { Texts } from './texts.ts';

export const ENGLISH: Texts = {
  title: 'Voice demo',
  footer: 'Calls are free and limited, so that everybody gets a turn.',
  plain: {
    idle: {
      headline: 'Ready when you are',
      sentence: 'Press the button and talk with a voice assistant. No sign-up, nothing to install.',
    },
    'asking-for-microphone': {
      headline: 'May it hear you?',
      sentence: 'Please allow the microphone when your browser asks.',
    },
    minting: { headline: 'One moment', sentence: 'Reserving your call.' },
    connecting: { headline: 'Connecting', sentence: 'Almost there.' },
    live: { headline: 'You are connected', sentence: 'Just speak. You can interrupt at any time.' },
    refused: { headline: 'Not just now', sentence: 'The service does not take calls at the moment.' },
    reopened: { headline: 'You can call again', sentence: 'Thank you for waiting.' },
    misconfigured: {
      headline: 'This page is not ready',
      sentence: 'A part of it could not be loaded. Please reload it, or come back later.',
    },
  },
  reconnecting: {
    headline: 'Connection lost',
    sentence: {
      waiting: 'Trying again in a moment. Please stay on this page.',
      minting: 'Reserving a new connection.',
      connecting: 'Connecting again.',
      offline: 'You are offline. The call continues when your connection is back.',
      hidden: 'The call continues when you return to this page.',
    },
    attempt: (attempt, attempts) => `Attempt ${attempt} of ${attempts}`,
  },
  failed: {
    'microphone-refused': {
      headline: 'The microphone is blocked',
      sentence: 'Please allow it for this page in your browser’s settings, then try again.',
    },
    'microphone-absent': {
      headline: 'No microphone found',
      sentence: 'Please connect one, then try again.',
    },
    'microphone-unavailable': {
      headline: 'The microphone is not available',
      sentence: 'Another program may be using it. Please close that program, then try again.',
    },
    busy: {
      headline: 'All lines are busy',
      sentence: 'Many people are calling at the same moment. Please try again shortly.',
    },
    unavailable: {
      headline: 'That did not work',
      sentence: 'The service did not answer. Please check your connection and try again.',
    },
    'not-connected': {
      headline: 'The call did not connect',
      sentence: 'Your network may not let voice calls through. Please try again, or try another network.',
    },
    lost: {
      headline: 'The call was lost',
      sentence: 'The connection did not come back. Please try again when your network is steady.',
    },
  },
  ended: {
    'hung-up': { headline: 'Call ended', sentence: 'Thank you for talking.' },
    'time-is-up': { headline: 'Time is up', sentence: 'A call has a time limit, and this one has reached it.' },
    'session-expired': { headline: 'Time is up', sentence: 'The voice service ends a call after a set time.' },
    silence: { headline: 'Call ended', sentence: 'Nobody spoke for a while, so we hung up for you.' },
    hidden: { headline: 'Call ended', sentence: 'This page was out of sight for a while, so we hung up for you.' },
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
  soundHeld: 'Your browser is holding back the sound. Press any key or tap the page to hear the assistant.',
  lastMinute: 'Less than a minute is left.',
  timeLeft: 'left',
  untilOpen: 'until you can call again',
  callsLeft: (calls) => (calls === 0 ? 'This was your last call for now' : `${calls} more ${noun(calls)}`),
  callsLeftUntil: (calls, time) =>
    calls === 0 ? `This was the last call until ${time}` : `${calls} more ${noun(calls)} until ${time}`,
  visitor: 'You',
  model: 'Assistant',
  captions: 'Captions',
  noCaptions: 'What is said appears here.',
};

function noun(calls: number): string {
  return calls === 1 ? 'call' : 'calls';
}
