/**
 * Runs a random schedule against an algorithm, and checks the results with the algorithm's model.
 *
 * A schedule is a list of rounds. The calls of a round run concurrently, and a round begins when the previous one has ended. So the
 * calls of a round may take effect in any order, and those of different rounds in the order of the rounds. The history is
 * linearizable if and only if, in each round, the model accepts some order of its calls. All states that such orders lead to are
 * kept, because a later round may show which order was the actual one.
 */

import type { Table } from '../../../limiter/index.ts';
import type { Decision, Scope } from '../../../limiter/policy/decision.ts';
import type { Policy } from '../../../limiter/policy/policy.ts';
import type { Answer, Model } from './model.ts';
import type { Call, Round, Schedule } from './schedules.ts';

export type Reserve<Limit extends Policy> = (
  table: Table,
  scope: Scope,
  policy: Limit,
  subject: string,
  now: number,
  random: () => number,
) => Promise<Decision>;

/** An admission that was not released. `now` is its caller's clock. */
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
  /** Called after every round with the admissions that were not released. May throw. */
  readonly watch: (admissions: readonly Admission<Limit>[], round: Round<Limit>) => void;
}

let histories = 0;

/** @throws Error at the first round whose results no order explains */
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

/** Every state that the limit can have after the events, in any order. */
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
