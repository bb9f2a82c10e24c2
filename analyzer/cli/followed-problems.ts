/** Prints the problems of a followed log as they occur: only a few of each kind, because there may be any number of them. */
import { describeProblem, kindOf, type Problem } from '../parsing/problem.ts';

const PRINTED_PER_KIND = 3;
const LAST_OF_A_KIND = '. Further problems of this kind are only counted, and the total is printed at the end';

/** @param log the file's name */
export function createProblemPrinter(log: string, print: (sentence: string) => void): (problem: Problem) => void {
  const printed = new Map<string, number>();
  return (problem) => {
    const kind = kindOf(problem.complaint);
    const count = (printed.get(kind) ?? 0) + 1;
    if (count <= PRINTED_PER_KIND) {
      printed.set(kind, count);
      print(`${describeProblem(problem, log)}${count === PRINTED_PER_KIND ? LAST_OF_A_KIND : ''}`);
    }
  };
}
