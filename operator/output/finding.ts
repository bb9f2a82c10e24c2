/**
 * The result of one check. A `note` neither passes nor fails: the check was not made, or it only reports an observation.
 */
import type { ProblemCode } from '../../contract/problems.ts';

/** Written for an operator at 3 a.m.: what a failure means, and how to fix it. */
export interface Advice {
  /** What it means for visitors, or what it can cost the owner. */
  readonly meaning: string;
  /** How to fix it. The name is part of the JSON report. */
  readonly mend: string;
  /** Complete, to paste into a shell. */
  readonly commands?: readonly string[];
}

export type Finding =
  | { readonly result: 'pass'; readonly sentence: string }
  | { readonly result: 'note'; readonly sentence: string; readonly commands?: readonly string[] }
  | ({
      readonly result: 'fail';
      readonly sentence: string;
      /** The problem code of the response that made the check fail, if it has one. */
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
