/**
 * What one check found, in words. A `note` neither passes nor fails: something was not checked, or is reported as seen.
 */
import type { ProblemCode } from '../../contract/problems.ts';

/** For somebody who is tired: what a failure is about, and the way out of it. */
export interface Advice {
  /** What it means for visitors, or for the owner's money. */
  readonly meaning: string;
  readonly mend: string;
  /** To be pasted into a shell as they are. */
  readonly commands?: readonly string[];
}

export type Finding =
  | { readonly result: 'pass'; readonly sentence: string }
  | { readonly result: 'note'; readonly sentence: string; readonly commands?: readonly string[] }
  | ({
      readonly result: 'fail';
      readonly sentence: string;
      /** Of the answer that made it fail, where that is a problem of ours. */
      readonly code?: ProblemCode | undefined;
    } & Advice);

export function pass(sentence: string): Finding {
  return { result: 'pass', sentence };
}

export function note(sentence: string, ...commands: readonly string[]): Finding {
  return { result: 'note', sentence, ...(commands.length === 0 ? {} : { commands }) };
}

export function fail(sentence: string, advice: Advice, code?: ProblemCode): Finding {
  return { result: 'fail', sentence, code, ...advice };
}
