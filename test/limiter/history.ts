/**
 * Runs a random schedule against an algorithm, and asks its model whether the answers can be right.
 *
 * A schedule is a list of rounds. The calls of a round run at once, and a round begins when the one before has ended; so the
 * calls of a round may have taken effect in any order, and those of different rounds in the order of the rounds. The history
 * is linearizable if and only if, round by round, some order of its calls is one that the model accepts. All states that
 * such orders lead to are kept, because the next round may tell which it was.
 */
import fc from 'fast-check';
import type { Decision, Scope } from '../../limiter/decision.ts';
import type { Item, Table } from '../../limiter/index.ts';
import type { Policy } from '../../limiter/policy.ts';
import type { Answer, Model } from './model.ts';

export type Reserve<Limit extends Policy> = (
  table: Table,
  scope: Scope,
  policy: Limit,
  subject: string,
  now: number,
  random: () => number,
) => Promise<Decision>;

export interface Schedule<Limit extends Policy> {
  readonly seed: number;
  readonly counts: Scope['counts'];
  readonly rounds: readonly Round<Limit>[];
}

interface Round<Limit> {
  readonly limit: Limit;
  readonly calls: readonly Call[];
}

type Call =
  | { readonly kind: 'reserve'; readonly now: number }
  /** Of one of the admissions so far, be it released already. */
  | { readonly kind: 'release'; readonly which: number };

/** An admission that was not given back, by the clock of its caller. */
export interface Admission<Limit> {
  readonly place: string;
  readonly now: number;
  readonly limit: Limit;
}

interface Taken<Limit> extends Admission<Limit> {
  readonly decision: Decision & { readonly admitted: true };
}

type Event<Limit> =
  | ({ readonly kind: 'reserve'; readonly answer: Answer } & Admission<Limit>)
  | { readonly kind: 'release'; readonly place: string };

export interface Subject<State, Limit extends Policy> {
  readonly table: Table;
  readonly reserve: Reserve<Limit>;
  readonly model: Model<State, Limit>;
  readonly random: () => number;
  /** Sees what is not given back, and may throw, after every round. */
  readonly watch: (admissions: readonly Admission<Limit>[], round: Round<Limit>) => void;
}

let histories = 0;

/** @throws Error at the first round whose answers no order explains */
export async function runHistory<State, Limit extends Policy>(
  { counts, rounds }: Schedule<Limit>,
  { table, reserve, model, random, watch }: Subject<State, Limit>,
): Promise<void> {
  histories += 1;
  const name = `h${histories}`;
  let states: readonly State[] = [model.empty];
  const taken: Taken<Limit>[] = [];
  const released = new Set<string>();

  async function play(call: Call, limit: Limit, place: string): Promise<Event<Limit> | undefined> {
    if (call.kind === 'release') {
      const chosen = taken[call.which % taken.length];
      if (chosen === undefined || released.has(chosen.place)) {
        await chosen?.decision.release(chosen.now);
        return;
      }
      released.add(chosen.place);
      await chosen.decision.release(chosen.now);
      return { kind: 'release', place: chosen.place };
    }
    const { now } = call;
    const decision = await reserve(table, { name, policies: [limit], counts }, limit, 'subject', now, random);
    if (decision.admitted) {
      taken.push({ place, now, limit, decision });
    }
    return { kind: 'reserve', place, now, limit, answer: answerOf(decision) };
  }

  for (const [index, round] of rounds.entries()) {
    const played = await Promise.all(round.calls.map((call, each) => play(call, round.limit, `${index}.${each}`)));
    const events = played.filter((event) => event !== undefined);
    states = statesAfter(model, states, events);
    if (states.length === 0) {
      throw new Error(`No order explains round ${index}: ${JSON.stringify({ limit: round.limit, events })}`);
    }
    watch(
      taken.filter(({ place }) => !released.has(place)),
      round,
    );
  }
}

/** Every state in which some order of the events can leave the limit. */
function statesAfter<State, Limit>(
  model: Model<State, Limit>,
  states: readonly State[],
  events: readonly Event<Limit>[],
): readonly State[] {
  if (events.length === 0 || states.length === 0) {
    return distinct(states);
  }
  return distinct(
    events.flatMap((first) => {
      const next = states.flatMap((state) =>
        first.kind === 'release'
          ? model.release(state, first.place)
          : model.reserve(state, first.place, first.now, first.limit, first.answer),
      );
      return statesAfter(
        model,
        next,
        events.filter((event) => event !== first),
      );
    }),
  );
}

function distinct<State>(states: readonly State[]): readonly State[] {
  if (states.length < 2) {
    return states;
  }
  const text = (state: State) => JSON.stringify(state, (_, value) => (typeof value === 'bigint' ? `${value}` : value));
  return [...new Map(states.map((state) => [text(state), state])).values()];
}

function answerOf(decision: Decision): Answer {
  const { remaining, resetAt } = decision.state;
  return decision.admitted
    ? { admitted: true, remaining, resetAt }
    : { admitted: false, remaining, resetAt, retryAt: decision.retryAt };
}

export interface ScheduleOptions<Limit> {
  /** A limit over a window of that many milliseconds. */
  readonly limit: (windowMs: number) => fc.Arbitrary<Limit>;
  /** How many calls run at once, at the most. */
  readonly atOnce: number;
  readonly rounds: number;
}

const START = Date.UTC(2026, 0, 1, 12);

/** Thousandths of a window by which the clock moves before a round. */
const STEPS = fc.oneof(
  { weight: 6, arbitrary: fc.constant(0) },
  { weight: 6, arbitrary: fc.integer({ min: 1, max: 100 }) },
  { weight: 3, arbitrary: fc.integer({ min: 100, max: 700 }) },
  { weight: 1, arbitrary: fc.integer({ min: 900, max: 2_200 }) },
);
const STEPS_BACK = fc.oneof(
  { weight: 9, arbitrary: STEPS },
  { weight: 2, arbitrary: fc.integer({ min: -200, max: -1 }) },
  { weight: 1, arbitrary: fc.integer({ min: -3_000, max: -200 }) },
);
const CALL = fc.record({
  isRelease: fc.integer({ min: 0, max: 3 }).map((number) => number === 0),
  which: fc.nat(30),
  /** How far this caller's clock is off, in milliseconds. */
  skew: fc.constantFrom(0, 0, 0, 1, -1, 7),
});

export function schedules<Limit extends Policy>(options: ScheduleOptions<Limit>): fc.Arbitrary<Schedule<Limit>> {
  const windows = fc.constantFrom(1_000, 10_000, 60_000, 3_600_000, 86_400_000);
  return fc.tuple(windows, fc.boolean(), fc.boolean()).chain(([windowMs, isSetBack, isChanged]) =>
    fc.record({
      seed: fc.nat(),
      counts: fc.constantFrom('each', 'all'),
      rounds: fc
        .tuple(
          fc.array(options.limit(windowMs), { minLength: isChanged ? 3 : 1, maxLength: isChanged ? 3 : 1 }),
          fc.array(
            fc.record({
              step: isSetBack ? STEPS_BACK : STEPS,
              /** Most rounds keep the limit of the one before. */
              change: fc.integer({ min: 0, max: 11 }),
              calls: fc.array(CALL, { minLength: 1, maxLength: options.atOnce }),
            }),
            { minLength: 1, maxLength: options.rounds },
          ),
        )
        .map(([limits, rounds]) => roundsOf(limits, windowMs, isSetBack, rounds)),
    }),
  );
}

interface Draw {
  readonly step: number;
  readonly change: number;
  readonly calls: readonly { readonly isRelease: boolean; readonly which: number; readonly skew: number }[];
}

function roundsOf<Limit>(
  limits: readonly Limit[],
  windowMs: number,
  isSetBack: boolean,
  draws: readonly Draw[],
): Round<Limit>[] {
  let clock = START;
  let [limit] = limits;
  return draws.flatMap(({ step, change, calls }) => {
    clock += Math.round((step * windowMs) / 1_000);
    limit = limits[change] ?? limit;
    return limit === undefined
      ? []
      : [
          {
            limit,
            calls: calls.map(({ isRelease, which, skew }) =>
              isRelease
                ? { kind: 'release' as const, which }
                : { kind: 'reserve' as const, now: clock + (isSetBack ? skew : 0) },
            ),
          },
        ];
  });
}

/** @throws Error if `count` of the times, in milliseconds, lie closer together than `lengthMs` */
export function expectApart(times: readonly number[], count: number, lengthMs: number): void {
  const sorted = times.toSorted((a, b) => a - b);
  for (const [index, last] of sorted.entries()) {
    const first = sorted[index - count + 1];
    if (first !== undefined && last - first < lengthMs) {
      throw new Error(`${count} admissions within ${last - first} ms, which must be ${lengthMs} apart`);
    }
  }
}

export function numberIn(item: Item, attribute: string): number {
  return Number(item[attribute]?.N ?? 0);
}
