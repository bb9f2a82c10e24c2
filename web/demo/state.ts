/**
 * What the page is doing, and what an answer or the passing of time makes of it. Pure: the same state, answer and time
 * give the same next state. A key's value does not enter: the page needs to know only that there is one, and until when.
 */
import type { SessionKeyOutcome } from '../client/index.ts';

/** Epoch milliseconds. What is counted down, and from where: a share of it has passed at any moment. */
export interface Period {
  readonly from: number;
  readonly until: number;
}

/** How many more keys the limit nearest to refusing lets out, and when its window ends. */
export interface Allowance {
  readonly calls: number;
  readonly until: number | undefined;
}

export type State =
  | { readonly name: 'idle' | 'asking' | 'reopened' }
  | {
      readonly name: 'ready';
      readonly period: Period;
      readonly model: string;
      readonly allowance: Allowance | undefined;
    }
  | { readonly name: 'expired'; readonly allowance: Allowance | undefined }
  /** With a `period`, the button works again when it is over. `sentence` is the server's. */
  | {
      readonly name: 'refused' | 'busy' | 'unavailable';
      readonly sentence: string | undefined;
      readonly period: Period | undefined;
    };

export function stateAfterAnswer(outcome: SessionKeyOutcome, now: number): State {
  if (outcome.kind === 'key') {
    const { model, expiresAt, remaining, resetAt } = outcome;
    return {
      name: 'ready',
      period: { from: now, until: expiresAt },
      model,
      allowance: remaining === undefined ? undefined : { calls: remaining, until: resetAt },
    };
  }
  return {
    name: outcome.kind,
    sentence: outcome.kind === 'busy' ? undefined : outcome.detail,
    period: outcome.retryAt === undefined ? undefined : { from: now, until: outcome.retryAt },
  };
}

/**
 * What the state has become by now. Only a refusal is forgotten when its time has come: its sentence names a time that
 * has passed. After a fault, a Retry-After of one second must not take the explanation away before it can be read.
 */
export function stateAt(state: State, now: number): State {
  const period = periodOf(state);
  if (period === undefined || now < period.until) {
    return state;
  }
  switch (state.name) {
    case 'ready':
      return { name: 'expired', allowance: state.allowance };
    case 'refused':
      return { name: 'reopened' };
    case 'busy':
    case 'unavailable':
      return { ...state, period: undefined };
    default:
      return state;
  }
}

/** May the visitor ask for a key now? */
export function mayAsk(state: State): boolean {
  return state.name !== 'asking' && periodOf(state) === undefined;
}

export function periodOf(state: State): Period | undefined {
  return 'period' in state ? state.period : undefined;
}
