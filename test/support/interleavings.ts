/**
 * Runs concurrent commands step by step, and visits every state that they can reach together. A step is one access to the state that
 * the commands share. Between two steps of one command, any number of steps of the others can happen.
 */

/** Runs `act` when it is the command's turn. A command must wait for one step before it starts the next. */
export type Step = <Value>(act: () => Promise<Value>) => Promise<Value>;

type Command = (step: Step) => Promise<unknown>;

export interface World {
  readonly commands: readonly Command[];
  /** Everything that determines what can happen next, as text. Equal texts continue in the same ways. */
  readonly state: () => string;
  /** Called once in each state. The commands that have not ended may have been killed right here: nothing more happens to them. */
  readonly visit: (order: string, hasEnded: boolean) => void;
}

/**
 * Visits every state that the commands can reach together, once. Three commands have thousands of states, and millions of orders.
 * Because a state is visited whatever happens next, the visits include every way to kill commands: each at any of its steps, while
 * the others continue.
 * @param most how often a command may be interrupted by another one. A few interruptions find most races: see Musuvathi and
 * Qadeer, "Iterative context bounding for systematic testing of multithreaded programs"
 * @returns the number of states
 */
export async function everyReachableState(
  begin: () => Promise<World>,
  most: number = Number.POSITIVE_INFINITY,
): Promise<number> {
  const seen = new Set<string>();
  const plans: (readonly number[])[] = [[]];
  for (let plan = plans.pop(); plan !== undefined; plan = plans.pop()) {
    plans.push(...(await follow(await begin(), plan, { seen, most })));
  }
  return seen.size;
}

/**
 * Follows the plan to its end. After that, it lets each command go on as long as it can, up to a state that was visited before.
 * @returns the plans that continue otherwise
 */
async function follow(
  { commands, state, visit }: World,
  plan: readonly number[],
  { seen, most }: { readonly seen: Set<string>; readonly most: number },
): Promise<number[][]> {
  const run = start(commands);
  const taken: number[] = [];
  const others: number[][] = [];
  let interruptions = 0;
  for (let waiting = await run.waiting(); ; waiting = await run.waiting()) {
    const last = taken.at(-1);
    const [first, ...rest] = waysOn(waiting, last, interruptions < most);
    if (taken.length >= plan.length) {
      const text = most === Number.POSITIVE_INFINITY ? state() : `${interruptions} ${last} ${state()}`;
      if (seen.has(text)) {
        return others;
      }
      seen.add(text);
      visit(taken.join(''), waiting.length === 0);
      others.push(...rest.map((index) => [...taken, index]));
    }
    const index = plan[taken.length] ?? first;
    if (index === undefined) {
      return others;
    }
    interruptions += Number(first === last && index !== last);
    taken.push(index);
    run.go(index);
  }
}

/** The command of the last step comes first, unless it has ended. */
function waysOn(waiting: readonly number[], last: number | undefined, mayInterrupt: boolean): readonly number[] {
  if (last === undefined || !waiting.includes(last)) {
    return waiting;
  }
  return mayInterrupt ? [last, ...waiting.filter((index) => index !== last)] : [last];
}

interface Run {
  /** Waits until every command has ended or waits for its turn. @returns the waiting commands, in their order */
  readonly waiting: () => Promise<readonly number[]>;
  /** Lets a waiting command take its step. */
  readonly go: (index: number) => void;
}

function start(commands: readonly Command[]): Run {
  const turns = new Map<number, () => void>();
  const running = new Set(commands.keys());
  let changed = Promise.withResolvers<void>();
  const change = () => {
    changed.resolve();
    changed = Promise.withResolvers<void>();
  };
  const all = commands.map(async (command, index) => {
    const step: Step = (act) =>
      new Promise((resolve, reject) => {
        turns.set(index, () => void act().then(resolve, reject));
        change();
      });
    await command(step);
    running.delete(index);
    change();
  });
  return {
    async waiting() {
      while (turns.size < running.size) {
        await Promise.race([changed.promise, ...all]);
      }
      return [...turns.keys()].sort();
    },
    go(index) {
      const turn = turns.get(index);
      turns.delete(index);
      turn?.();
    },
  };
}
