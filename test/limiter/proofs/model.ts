/**
 * What the limits have to say, in plain arithmetic: written from docs/limiter.md, without a look at how it is stored. A model
 * takes an answer and says in which states it may leave the limit: none, if the answer is wrong; more than one, where the
 * documentation leaves open what happens.
 */
import type { BucketPolicy, FixedPolicy, SlidingPolicy } from '../../../limiter/policy/policy.ts';

export interface Answer {
  readonly admitted: boolean;
  readonly remaining: number;
  readonly resetAt: number;
  /** Of a refusal. */
  readonly retryAt?: number;
}

export interface Model<State, Limit> {
  readonly empty: State;
  readonly reserve: (state: State, place: string, now: number, limit: Limit, answer: Answer) => readonly State[];
  readonly release: (state: State, place: string) => readonly State[];
}

/** For so long a place can be given back for certain, by every clock that writes to its item. */
const RELEASABLE_MS = 30_000;

interface Place {
  readonly place: string;
  readonly at: number;
  /** Somebody was admitted whose clock was further off than `RELEASABLE_MS`: it may be forgotten. */
  readonly isOld: boolean;
}

function aged<Each extends Place>(places: readonly Each[], now: number): readonly Each[] {
  return places.map((each) => ({ ...each, isOld: each.isOld || Math.abs(now - each.at) > RELEASABLE_MS }));
}

/** The states after something that happens for certain, or may not. */
function perhaps<State>(isCertain: boolean, before: State, after: State): readonly State[] {
  return isCertain ? [after] : [after, before];
}

export interface FixedState {
  readonly counts: Readonly<Record<number, number>>;
  readonly places: readonly (Place & { readonly start: number })[];
}

/** At most `limit` from one mark of the clock to the next; a release goes to the window of its reservation. */
export function fixedModel(remembers: 'for 30 s' | 'for ever'): Model<FixedState, FixedPolicy> {
  return {
    empty: { counts: {}, places: [] },

    reserve(state, place, now, { limit, windowMs }, answer) {
      const start = now - (now % windowMs);
      const count = state.counts[start] ?? 0;
      const resetAt = start + windowMs;
      if (count >= limit) {
        return agree(answer, { admitted: false, remaining: 0, resetAt, retryAt: resetAt }) ? [state] : [];
      }
      if (!agree(answer, { admitted: true, remaining: limit - count - 1, resetAt })) {
        return [];
      }
      const others = state.places.filter((each) => each.start !== start);
      const inWindow = aged(
        state.places.filter((each) => each.start === start),
        now,
      );
      return [
        {
          counts: { ...state.counts, [start]: count + 1 },
          places: [...others, ...inWindow, { place, at: now, start, isOld: false }],
        },
      ];
    },

    release(state, place) {
      const found = state.places.find((each) => each.place === place);
      if (found === undefined) {
        return [state];
      }
      const places = state.places.filter((each) => each !== found);
      const counts = { ...state.counts, [found.start]: (state.counts[found.start] ?? 0) - 1 };
      return perhaps(remembers === 'for ever' || !found.isOld, { ...state, places }, { counts, places });
    },
  };
}

export interface SlidingState {
  readonly admissions: readonly {
    readonly place: string;
    readonly at: number;
    readonly freeAt: number;
    /** The latest clock by which somebody was admitted since: at or after `freeAt`, its slot may have been taken. */
    readonly latestSince: number;
  }[];
}

/**
 * At most `limit` in any window. A place that is given back is free for every clock that is not behind the one by which it
 * was taken. Exact while no clock is set back; if one is, a place that had been free by the later clock may have been taken
 * or may be in the way again, and an answer must be right for one or the other.
 */
export const slidingModel: Model<SlidingState, SlidingPolicy> = {
  empty: { admissions: [] },

  reserve(state, place, now, { limit, windowMs }, answer) {
    const inTheWay = state.admissions.filter(({ freeAt }) => freeAt > now).sort((a, b) => a.freeAt - b.freeAt);
    const certain = inTheWay.filter(({ freeAt, latestSince }) => latestSince < freeAt);
    const freeAt = now + windowMs;
    if (!answer.admitted) {
      const times = inTheWay.map((each) => each.freeAt);
      const isSure = certain.length === inTheWay.length;
      const isRight =
        inTheWay.length >= limit &&
        answer.remaining === 0 &&
        (isSure
          ? answer.retryAt === times[times.length - limit] && answer.resetAt === times.at(-1)
          : times.includes(answer.retryAt ?? 0) && times.includes(answer.resetAt));
      return isRight ? [state] : [];
    }
    const resets = [...inTheWay.map((each) => each.freeAt), freeAt];
    const isRight =
      certain.length < limit &&
      answer.remaining <= limit - certain.length - 1 &&
      answer.remaining >= Math.max(0, limit - inTheWay.length - 1) &&
      answer.resetAt >= Math.max(freeAt, ...certain.map((each) => each.freeAt)) &&
      resets.includes(answer.resetAt);
    const earlier = state.admissions.map((each) => ({ ...each, latestSince: Math.max(each.latestSince, now) }));
    return isRight
      ? [{ admissions: [...earlier, { place, at: now, freeAt, latestSince: Number.NEGATIVE_INFINITY }] }]
      : [];
  },

  release(state, place) {
    const [found] = state.admissions.filter((each) => each.place === place);
    if (found === undefined) {
      return [state];
    }
    const wasTaken = found.latestSince >= found.freeAt;
    const latestSince = wasTaken ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY;
    const given = { place: '', at: found.at, freeAt: found.at, latestSince };
    return [{ admissions: state.admissions.map((each) => (each === found ? given : each)) }];
  },
};

export interface BucketState {
  /** All in microseconds. */
  readonly fullAt: bigint;
  readonly pace: bigint;
  readonly latest: bigint;
  /** The latest admission before the limit last changed. */
  readonly before: bigint;
  readonly places: readonly Place[];
}

/**
 * `burst` at once, then one every T = window / limit, rounded up to the microsecond. A new limit counts as though it had been
 * in force since the latest admission; what was taken at that time or before can't be given back then. A token comes back
 * whole if nobody took one after it, else less the time until the latest.
 */
export function bucketModel(remembers: 'for 30 s' | 'for ever'): Model<BucketState, BucketPolicy> {
  return {
    empty: { fullAt: 0n, pace: 0n, latest: 0n, before: 0n, places: [] },

    reserve(state, place, nowMs, policy, answer) {
      const now = BigInt(nowMs) * 1_000n;
      const pace = ceilDivide(BigInt(policy.windowMs) * 1_000n, BigInt(policy.limit));
      const empty = BigInt(policy.burst) * pace;
      const missing = state.pace === 0n ? 0n : ceilDivide((state.fullAt - state.latest) * pace, state.pace);
      const fullAt = state.latest + least(missing, empty);
      const isNewLimit = state.pace !== 0n && (state.pace !== pace || fullAt !== state.fullAt);
      const tokens = (full: bigint) => Number(least(BigInt(policy.burst), most(0n, now + empty - full) / pace));
      const resetAt = (full: bigint) => Number(ceilDivide(most(full, now), 1_000n));

      if (tokens(fullAt) < 1) {
        const retryAt = Number(ceilDivide(fullAt - empty + pace, 1_000n));
        return agree(answer, { admitted: false, remaining: 0, resetAt: resetAt(fullAt), retryAt }) ? [state] : [];
      }
      const next = most(fullAt, now) + pace;
      if (!agree(answer, { admitted: true, remaining: tokens(next), resetAt: resetAt(next) })) {
        return [];
      }
      const before = isNewLimit ? state.latest : state.before;
      const places = [...aged(state.places, nowMs), { place, at: nowMs, isOld: false }];
      const releasable = places.filter(({ at }) => BigInt(at) * 1_000n > before);
      return [{ fullAt: next, pace, latest: most(state.latest, now), before, places: releasable }];
    },

    release(state, place) {
      const found = state.places.find((each) => each.place === place);
      if (found === undefined) {
        return [state];
      }
      const places = state.places.filter((each) => each !== found);
      const refund = state.pace - most(0n, state.latest - BigInt(found.at) * 1_000n);
      const after = { ...state, places, fullAt: state.fullAt - most(0n, refund) };
      return perhaps(remembers === 'for ever' || !found.isOld, { ...state, places }, after);
    },
  };
}

function agree(answer: Answer, right: Answer): boolean {
  return (
    answer.admitted === right.admitted &&
    answer.remaining === right.remaining &&
    answer.resetAt === right.resetAt &&
    answer.retryAt === right.retryAt
  );
}

function least(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}

function most(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}

/** Of numbers that are not negative. */
function ceilDivide(a: bigint, b: bigint): bigint {
  return (a + b - 1n) / b;
}
