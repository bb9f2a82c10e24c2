/** Problems of a log that goes on, told as they come: a few of each kind, since there may be no end of them. */
import { describeProblem, kindOf, type Problem } from '../parsing/problem.ts';

const TOLD_OF_A_KIND = 3;
const LAST_OF_A_KIND = '. Further ones of this kind are counted, and the count is told at the end';

/** @param log the file's name */
export function createProblemTeller(log: string, tell: (sentence: string) => void): (problem: Problem) => void {
  const told = new Map<string, number>();
  return (problem) => {
    const kind = kindOf(problem.complaint);
    const count = (told.get(kind) ?? 0) + 1;
    if (count <= TOLD_OF_A_KIND) {
      told.set(kind, count);
      tell(`${describeProblem(problem, log)}${count === TOLD_OF_A_KIND ? LAST_OF_A_KIND : ''}`);
    }
  };
}
