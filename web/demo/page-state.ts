/**
 * What the page shows: where the call stands, and what the page adds to that - since when something is counted down, which
 * calls are left, and what the passing of time makes of it. Pure: the same state, event and time give the same next one.
 */
import type { Allowance, CallState } from '../client/call-state.ts';

/** Epoch milliseconds. What is counted down, and from where: a share of it has passed at any moment. */
export interface Period {
  readonly from: number;
  readonly until: number;
}

/** Where the call stands, and what the page knows besides. */
export type Situation =
  | CallState
  /** A refusal whose time has come. Its sentence would name a time that has passed. */
  | { readonly name: 'reopened' }
  /** The page was not told where OpenAI is: there can be no call. */
  | { readonly name: 'misconfigured' };

export interface PageState {
  readonly situation: Situation;
  readonly period: Period | undefined;
  /** The last that was heard of it: a call that has ended knows none. */
  readonly allowance: Allowance | undefined;
  /** The browser does not play the voice before the visitor touches the page. */
  readonly soundHeld: boolean;
}

export const AT_FIRST: PageState = {
  situation: { name: 'idle' },
  period: undefined,
  allowance: undefined,
  soundHeld: false,
};

export function pageStateAfter(before: PageState, situation: Situation, now: number): PageState {
  return {
    situation,
    period: periodOf(situation, now),
    allowance: allowanceOf(situation, before),
    soundHeld: before.soundHeld && situation.name === 'live',
  };
}

/**
 * What it has become by now. After a fault, a Retry-After of one second must not take the explanation away before it can be
 * read; only a refusal is forgotten. The call itself decides when it ends and when it tries again.
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

/** Of a refusal's own limit, the server's sentence says all there is to say. */
function allowanceOf(situation: Situation, before: PageState): Allowance | undefined {
  if ('allowance' in situation) {
    return situation.allowance;
  }
  return situation.name === 'refused' || situation.name === 'reopened' ? undefined : before.allowance;
}
