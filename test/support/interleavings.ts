/**
 * Runs concurrent commands step by step, once in every possible order of their steps. A step is one access to the state that the
 * commands share. Between two steps of one command, any number of steps of the others can happen.
 */

/** Runs `act` when it is the command's turn. A command must wait for one step before it starts the next. */
export type Step = <Value>(act: () => Promise<Value>) => Promise<Value>;

export interface Round {
  readonly commands: readonly ((step: Step) => Promise<unknown>)[];
  /** @param order the index of the command for each step, such as `0110` */
  readonly judge: (order: string) => void | Promise<void>;
}

/** @returns the number of possible orders */
export async function everyInterleaving(begin: () => Promise<Round>): Promise<number> {
  let count = 0;
  for (let plan: readonly number[] | undefined = []; plan !== undefined; count += 1) {
    const turns = await runOnce(await begin(), plan);
    plan = nextPlan(turns);
  }
  return count;
}

interface Turn {
  /** Which of the waiting commands took the step. */
  readonly choice: number;
  /** How many commands were waiting. */
  readonly among: number;
}

/** Follows the plan to its end. After that, the first waiting command always takes the next step. */
async function runOnce({ commands, judge }: Round, plan: readonly number[]): Promise<Turn[]> {
  const waiting = new Map<number, () => void>();
  const running = new Set(commands.keys());
  let changed = Promise.withResolvers<void>();
  const change = () => {
    changed.resolve();
    changed = Promise.withResolvers<void>();
  };
  const all = commands.map(async (command, index) => {
    const step: Step = (act) =>
      new Promise((resolve, reject) => {
        waiting.set(index, () => void act().then(resolve, reject));
        change();
      });
    await command(step);
    running.delete(index);
    change();
  });

  const turns: Turn[] = [];
  let order = '';
  while (running.size > 0) {
    if (waiting.size < running.size) {
      await Promise.race([changed.promise, ...all]);
      continue;
    }
    const indices = [...waiting.keys()].sort();
    const choice = plan[turns.length] ?? 0;
    const index = indices[choice] ?? 0;
    turns.push({ choice, among: indices.length });
    order += index;
    const go = waiting.get(index);
    waiting.delete(index);
    go?.();
  }
  await Promise.all(all);
  await judge(order);
  return turns;
}

/** @returns the next plan in lexicographic order: in the last turn that had another choice left, it chooses the next command */
function nextPlan(turns: readonly Turn[]): number[] | undefined {
  const last = turns.findLastIndex(({ choice, among }) => choice + 1 < among);
  return last === -1 ? undefined : turns.slice(0, last + 1).map(({ choice }, index) => choice + Number(index === last));
}
