/**
 * Runs commands side by side, step by step, once in every order that there is. A step is whatever a command does to what it
 * shares with the others; between two of its own, any number of theirs may fall.
 */

/** Does its work when it is the command's turn. One after the other: a command has one step at a time. */
export type Step = <Value>(act: () => Promise<Value>) => Promise<Value>;

export interface Round {
  readonly commands: readonly ((step: Step) => Promise<unknown>)[];
  /** @param order whose step it was, each time: `0110` */
  readonly judge: (order: string) => void | Promise<void>;
}

/** @returns how many orders there are */
export async function everyInterleaving(begin: () => Promise<Round>): Promise<number> {
  let count = 0;
  for (let plan: readonly number[] | undefined = []; plan !== undefined; count += 1) {
    const turns = await take(await begin(), plan);
    plan = planAfter(turns);
  }
  return count;
}

interface Turn {
  /** Which one, of those that wait. */
  readonly choice: number;
  readonly among: number;
}

/** Follows the plan as far as it goes; then it is always the first one's turn. */
async function take({ commands, judge }: Round, plan: readonly number[]): Promise<Turn[]> {
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

/** The next one in the order of a dictionary: the last turn that could have been another's becomes it. */
function planAfter(turns: readonly Turn[]): number[] | undefined {
  const last = turns.findLastIndex(({ choice, among }) => choice + 1 < among);
  return last === -1 ? undefined : turns.slice(0, last + 1).map(({ choice }, index) => choice + Number(index === last));
}
