/**
 * What the page shows for a state at a moment, as plain data: demo.ts only writes it down. All of it follows from the
 * clock, so a page that slept in the background or in the back-forward cache is right again as soon as it is drawn.
 */
import { type Allowance, mayAsk, type Period, periodOf, type State } from './state.ts';
import { type Speech, TEXTS } from './texts.ts';

export interface View {
  readonly headline: string;
  readonly sentence: string;
  readonly button: string;
  readonly pressable: boolean;
  readonly countdown: Countdown | undefined;
  /** Small print: the model and the calls that are left. Empty where there is nothing to say. */
  readonly note: string;
}

interface Countdown {
  /** `m:ss` or `h:mm:ss`. */
  readonly digits: string;
  readonly caption: string;
  /** From 1 (all is left) to 0. */
  readonly share: number;
}

export function viewOf(state: State, speech: Speech, now: number): View {
  const texts = TEXTS[speech.language];
  const period = periodOf(state);
  return {
    headline: texts.headline[state.name],
    sentence: ('sentence' in state ? state.sentence : undefined) ?? texts.sentence[state.name],
    button: texts.button[state.name],
    pressable: mayAsk(state),
    countdown:
      period === undefined
        ? undefined
        : {
            digits: digits(period.until - now),
            caption: state.name === 'ready' ? texts.untilExpiry : texts.untilOpen,
            share: share(period, now),
          },
    note: noteOf(state, speech, now),
  };
}

function noteOf(state: State, speech: Speech, now: number): string {
  const calls = 'allowance' in state ? callsLeft(state.allowance, speech, now) : '';
  const model = state.name === 'ready' ? state.model : '';
  return [calls, model].filter((part) => part !== '').join(' · ');
}

function callsLeft(allowance: Allowance | undefined, speech: Speech, now: number): string {
  const texts = TEXTS[speech.language];
  if (allowance?.until === undefined) {
    return allowance === undefined ? '' : texts.callsLeft(allowance.calls);
  }
  // Of the next window nothing is known yet.
  return now < allowance.until
    ? texts.callsLeftUntil(allowance.calls, timeOf(allowance.until, speech.locale, now))
    : '';
}

/** The hour, and the day too where the hour alone could be another day's. */
function timeOf(at: number, locale: string, now: number): string {
  const withinDay = at - now < 24 * 60 * 60 * 1000;
  const day = withinDay ? {} : ({ month: 'short', day: 'numeric' } as const);
  return new Intl.DateTimeFormat(locale, { ...day, hour: 'numeric', minute: '2-digit' }).format(at);
}

/** Rounded up: the last second reads 0:01, and 0:00 is never a time at which one still waits. */
function digits(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  const [ss, mm] = [twoDigits(seconds % 60), twoDigits(minutes % 60)];
  return hours === 0 ? `${minutes}:${ss}` : `${hours}:${mm}:${ss}`;
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0');
}

/** A clock that was set back must not fill the ring beyond its end. */
function share({ from, until }: Period, now: number): number {
  return Math.min(1, Math.max(0, (until - now) / (until - from)));
}
