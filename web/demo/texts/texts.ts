/**
 * All texts of the page. A state, step or reason without a text, in any language, does not compile. The server's own messages
 * are not included: they already arrive in the visitor's language.
 */
import type { EndReason, FailureReason, LiveNotice, ReconnectingStep } from '../../client/call-state.ts';
import type { Situation, SoundProblem } from '../page-state.ts';

export interface Words {
  /** The state, in one large line. */
  readonly headline: string;
  /** What it means for the visitor. */
  readonly sentence: string;
}

/** The states without a reason or a step, which need only one text each. */
export type PlainSituation = Exclude<Situation, { name: 'reconnecting' | 'failed' | 'ended' }>['name'];

/** The labels of the button. */
export type Offer = 'call' | 'call-again' | 'try-again' | 'cancel' | 'hang-up' | 'reload';

export interface Texts {
  readonly title: string;
  readonly footer: string;
  /** Where the visitor's voice goes. Shown before a call. */
  readonly privacy: string;
  readonly plain: Readonly<Record<PlainSituation, Words>>;
  readonly reconnecting: {
    readonly headline: string;
    readonly sentence: Readonly<Record<ReconnectingStep['name'], string>>;
    readonly attempt: (attempt: number, attempts: number) => string;
  };
  readonly failed: Readonly<Record<FailureReason, Words>>;
  readonly ended: Readonly<Record<EndReason, Words>>;
  readonly button: Readonly<Record<Offer, string>>;
  /** Replaces the words of a live call. */
  readonly notice: Readonly<Record<LiveNotice | SoundProblem, Words>>;
  /** Replaces the sentence of a live call. */
  readonly lastMinute: string;
  /** Captions of the countdown. */
  readonly timeLeft: string;
  readonly untilOpen: string;
  readonly callsLeft: (calls: number) => string;
  /** Like `callsLeft`, if the end of the limit's window is known. `time` is formatted for the language. */
  readonly callsLeftUntil: (calls: number, time: string) => string;
  /** The names of the two speakers. */
  readonly visitor: string;
  readonly model: string;
  /** The name of the list of captions, for screen readers. */
  readonly captions: string;
  /** Shown while there are no captions. */
  readonly noCaptions: string;
}
