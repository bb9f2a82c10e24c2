/**
 * What the page shows for a state at a given time, as plain data that demo.ts writes to the page. Everything is computed from
 * the clock, so a page that slept in the background or in the back-forward cache is correct as soon as it is drawn again.
 */

import type { Allowance, FailureReason } from '../client/call-state.ts';
import type { PageState, Situation } from './page-state.ts';
import { type Countdown, countdownOf } from './stage/countdown.ts';
import { type Glyph, glyphOf } from './stage/glyphs.ts';
import { type Speech, TEXTS } from './texts/languages.ts';
import type { Offer, Texts, Words } from './texts/texts.ts';

export interface View extends Words {
  readonly offer: Offer;
  /** What a press does. `undefined`: nothing until the countdown ends. */
  readonly press: Press | undefined;
  readonly glyph: Glyph;
  readonly countdown: Countdown | undefined;
  /** Small print, one or two lines: where the voice goes, the attempt, or the calls that are left and the model. May be empty. */
  readonly note: string;
}

export type Press = 'start' | 'stop' | 'reload';

const PRESS: Readonly<Record<Offer, Press>> = {
  call: 'start',
  'call-again': 'start',
  'try-again': 'start',
  cancel: 'stop',
  'hang-up': 'stop',
  reload: 'reload',
};

/** Another call from the same page would fail in the same way. */
const HOLDS_FOR_THIS_PAGE: ReadonlySet<FailureReason> = new Set<FailureReason>([
  'webrtc-unsupported',
  'websocket-unsupported',
  'microphone-insecure',
  'microphone-unsupported',
  'microphone-blocked-by-policy',
]);

/** The visitor has not spoken yet, and decides whether to. */
const BEFORE_CALL: ReadonlySet<Situation['name']> = new Set<Situation['name']>([
  'idle',
  'asking-for-microphone',
  'minting',
]);

const LAST_MINUTE_MS = 60_000;

export function viewOf(state: PageState, speech: Speech, now: number): View {
  const texts = TEXTS[speech.language];
  const { situation, period } = state;
  const offer = offerOf(situation);
  const mustWait = period !== undefined && situation.name !== 'live';
  return {
    ...wordsOf(state, texts, now),
    offer,
    press: mustWait ? undefined : PRESS[offer],
    glyph: glyphOf(situation),
    countdown: countdownOf(period, now, mustWait ? texts.untilOpen : texts.timeLeft),
    note: noteOf(state, speech, now),
  };
}

function wordsOf(state: PageState, texts: Texts, now: number): Words {
  const { situation } = state;
  switch (situation.name) {
    case 'live':
      return { ...texts.plain.live, ...urgentWords(state, texts, now) };
    case 'reconnecting':
      return {
        headline: texts.reconnecting.headline,
        sentence: texts.reconnecting.sentence[situation.step.name],
      };
    case 'ended':
      return texts.ended[situation.reason];
    case 'failed':
      return withSentence(texts.failed[situation.reason], situation.sentence);
    case 'refused':
      return withSentence(texts.plain.refused, situation.sentence);
    default:
      return texts.plain[situation.name];
  }
}

/** What a visitor in a call needs to see immediately, if there is something. */
function urgentWords({ situation, soundProblem, period }: PageState, texts: Texts, now: number): Partial<Words> {
  const notice = soundProblem ?? (situation.name === 'live' ? situation.notice : undefined);
  if (notice !== undefined) {
    return texts.notice[notice];
  }
  return period !== undefined && period.until - now <= LAST_MINUTE_MS ? { sentence: texts.lastMinute } : {};
}

/** The server's sentence, if there is one, is more specific than the page's. */
function withSentence(words: Words, sentence: string | undefined): Words {
  return sentence === undefined ? words : { ...words, sentence };
}

function offerOf(situation: Situation): Offer {
  switch (situation.name) {
    case 'idle':
    case 'reopened':
      return 'call';
    case 'ended':
      return 'call-again';
    case 'failed':
      return HOLDS_FOR_THIS_PAGE.has(situation.reason) ? 'reload' : 'try-again';
    case 'refused':
      return 'try-again';
    case 'live':
    case 'reconnecting':
      return 'hang-up';
    case 'misconfigured':
      return 'reload';
    default:
      return 'cancel';
  }
}

function noteOf({ situation, allowance }: PageState, speech: Speech, now: number): string {
  if (situation.name === 'reconnecting') {
    return TEXTS[speech.language].reconnecting.attempt(situation.attempt, situation.attempts);
  }
  const model = 'model' in situation ? situation.model : '';
  const note = [callsLeft(allowance, speech, now), model].filter((part) => part !== '').join('\n');
  return note === '' && BEFORE_CALL.has(situation.name) ? TEXTS[speech.language].privacy : note;
}

function callsLeft(allowance: Allowance | undefined, speech: Speech, now: number): string {
  const texts = TEXTS[speech.language];
  if (allowance?.until === undefined) {
    return allowance === undefined ? '' : texts.callsLeft(allowance.calls);
  }
  // After that, the number of calls in the next window is not known.
  return now < allowance.until
    ? texts.callsLeftUntil(allowance.calls, timeOf(allowance.until, speech.locale, now))
    : '';
}

/** The time, with the day if it is 24 hours or more away. */
function timeOf(at: number, locale: string, now: number): string {
  const withinDay = at - now < 24 * 60 * 60 * 1000;
  const day = withinDay ? {} : ({ month: 'short', day: 'numeric' } as const);
  return new Intl.DateTimeFormat(locale, { ...day, hour: 'numeric', minute: '2-digit' }).format(at);
}
