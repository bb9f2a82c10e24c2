/**
 * What the page can say. A state, a step or a reason without its words, or a language that lacks one, does not compile.
 * The server's own sentences are not here: they come in the right language.
 */
import type { EndReason, FailureReason, ReconnectingStep } from '../../client/call-state.ts';
import type { Situation } from '../page-state.ts';

export interface Words {
  /** The state in words, one line, large. */
  readonly headline: string;
  /** What it means for the visitor. */
  readonly sentence: string;
}

/** The states that do not say why or how far: one set of words is enough. */
export type PlainSituation = Exclude<Situation, { name: 'reconnecting' | 'failed' | 'ended' }>['name'];

/** What the button offers. */
export type Offer = 'call' | 'call-again' | 'try-again' | 'cancel' | 'hang-up' | 'reload';

export interface Texts {
  readonly title: string;
  readonly footer: string;
  readonly plain: Readonly<Record<PlainSituation, Words>>;
  readonly reconnecting: {
    readonly headline: string;
    readonly sentence: Readonly<Record<ReconnectingStep['name'], string>>;
    readonly attempt: (attempt: number, attempts: number) => string;
  };
  readonly failed: Readonly<Record<FailureReason, Words>>;
  readonly ended: Readonly<Record<EndReason, Words>>;
  readonly button: Readonly<Record<Offer, string>>;
  /** Instead of the sentence of a live call. */
  readonly soundHeld: string;
  readonly lastMinute: string;
  /** What the countdown counts. */
  readonly timeLeft: string;
  readonly untilOpen: string;
  readonly callsLeft: (calls: number) => string;
  /** As `callsLeft`, where the end of the limit's window is known. `time` is formatted for the language. */
  readonly callsLeftUntil: (calls: number, time: string) => string;
  /** The two who speak, and the name of the list of what they say. */
  readonly visitor: string;
  readonly model: string;
  readonly captions: string;
  readonly noCaptions: string;
}
