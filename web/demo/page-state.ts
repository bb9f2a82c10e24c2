/**
 * The state of the page: the state of the call, the current countdown, the calls that are left, and the changes that happen as
 * time passes. Pure: the same state, event and time give the same next state.
 */
import type { Allowance, CallState, LiveNotice } from '../client/call-state.ts';

/** A countdown: its start and its end, in epoch milliseconds. */
export interface Period {
  readonly from: number;
  readonly until: number;
}

/** The state of the call, or one of two states that only the page has. */
export type Situation =
  | CallState
  /** The wait after a refusal is over. The refusal's message would name a time that has passed. */
  | { readonly name: 'reopened' }
  /** The page has no valid configuration, so no call is possible. */
  | { readonly name: 'misconfigured' };

/** Why the visitor does not hear the model's voice. */
export type SoundProblem =
  /** The browser does not play it until the visitor touches the page. */
  | Extract<LiveNotice, 'sound-blocked'>
  /** The browser cannot play it. */
  | 'sound-failed';

export interface PageState {
  readonly situation: Situation;
  readonly period: Period | undefined;
  /** The last known allowance. It outlives the call, whose final state has none. */
  readonly allowance: Allowance | undefined;
  /** Only in a live call. */
  readonly soundProblem: SoundProblem | undefined;
}

export const INITIAL_STATE: PageState = {
  situation: { name: 'idle' },
  period: undefined,
  allowance: undefined,
  soundProblem: undefined,
};

export function pageStateAfter(before: PageState, situation: Situation, now: number): PageState {
  return {
    situation,
    period: periodOf(situation, now),
    allowance: allowanceOf(situation, before),
    soundProblem: situation.name === 'live' ? before.soundProblem : undefined,
  };
}

/**
 * The state after the passing of time. When the countdown ends, a refusal is replaced, but a failure keeps its explanation: its
 * Retry-After may be one second, too short to read it. The call itself decides when it ends and when it reconnects.
 */
export function pageStateAt(state: PageState, now: number): PageState {
  const { situation, period } = state;
  if (period === undefined || now < period.until) {
    return state;
  }
  switch (situation.name) {
    case 'refused':
      return pageStateAfter(state, { name: 'reopened' }, now);
    case 'failed':
      return { ...state, period: undefined };
    default:
      return state;
  }
}

function periodOf(situation: Situation, now: number): Period | undefined {
  switch (situation.name) {
    case 'live':
      return { from: situation.since, until: situation.until };
    case 'refused':
    case 'failed':
      return situation.retryAt === undefined ? undefined : { from: now, until: situation.retryAt };
    default:
      return undefined;
  }
}

/** A refusal shows no allowance: the server's message already explains the limit. */
function allowanceOf(situation: Situation, before: PageState): Allowance | undefined {
  if ('allowance' in situation) {
    return situation.allowance;
  }
  return situation.name === 'refused' || situation.name === 'reopened' ? undefined : before.allowance;
}
