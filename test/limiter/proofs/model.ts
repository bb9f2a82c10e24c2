/**
 * Models of the limits in plain arithmetic, written from docs/limiter.md and independent of how the limits are stored. A model takes
 * an answer and returns the states that the limit can have afterwards: none if the answer is incorrect, and more than one if the
 * documentation allows several.
 */
import type { BucketPolicy, FixedPolicy, SlidingPolicy } from '../../../limiter/policy/policy.ts';

export interface Answer {
  readonly admitted: boolean;
  readonly remaining: number;
  readonly resetAt: number;
  /** For refusals only. */
  readonly retryAt?: number;
}

export interface Model<State, Limit> {
  readonly empty: State;
  readonly reserve: (state: State, place: string, now: number, limit: Limit, answer: Answer) => readonly State[];
  readonly release: (state: State, place: string) => readonly State[];
}

/** A reservation can be released for at least this time, by every clock that writes to its item. */
const RELEASABLE_MS = 30_000;

interface Place {
  readonly place: string;
  readonly at: number;
  /** A caller was admitted whose clock differs by more than `RELEASABLE_MS`, so the reservation's id may have been removed. */
  readonly isOld: boolean;
}

function aged<Each extends Place>(places: readonly Each[], now: number): readonly Each[] {
  return places.map((each) => ({ ...each, isOld: each.isOld || Math.abs(now - each.at) > RELEASABLE_MS }));
}

/** The states after a change that is certain, or only possible. */
function perhaps<State>(isCertain: boolean, before: State, after: State): readonly State[] {
  return isCertain ? [after] : [after, before];
}

export interface FixedState {
  readonly counts: Readonly<Record<number, number>>;
  readonly places: readonly (Place & { readonly start: number })[];
}

/** At most `limit` admissions in each window. A release applies to the window of its reservation. */
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
    /** The latest clock of an admission since. If it is at or after `freeAt`, the slot may have been taken. */
    readonly latestSince: number;
  }[];
}

/**
 * At most `limit` admissions in any period of the window's length. A released place is free for every clock that is not behind the
 * clock by which it was taken. The model is exact while no clock is set back. If a clock is set back, a place that was free by the
 * later clock may have been taken, or may count again; an answer has to be correct for one of the two.
 */
export const slidingModel: Model<SlidingState, SlidingPolicy> = {
  empty: { admissions: [] },

  reserve(state, place, now, { limit, windowMs }, answer) {
    const counted = state.admissions.filter(({ freeAt }) => freeAt > now).sort((a, b) => a.freeAt - b.freeAt);
    const certain = counted.filter(({ freeAt, latestSince }) => latestSince < freeAt);
    const freeAt = now + windowMs;
    if (!answer.admitted) {
      const times = counted.map((each) => each.freeAt);
      const isSure = certain.length === counted.length;
      const isCorrect =
        counted.length >= limit &&
        answer.remaining === 0 &&
        (isSure
          ? answer.retryAt === times[times.length - limit] && answer.resetAt === times.at(-1)
          : times.includes(answer.retryAt ?? 0) && times.includes(answer.resetAt));
      return isCorrect ? [state] : [];
    }
    const resets = [...counted.map((each) => each.freeAt), freeAt];
    const isCorrect =
      certain.length < limit &&
      answer.remaining <= limit - certain.length - 1 &&
      answer.remaining >= Math.max(0, limit - counted.length - 1) &&
      answer.resetAt >= Math.max(freeAt, ...certain.map((each) => each.freeAt)) &&
      resets.includes(answer.resetAt);
    const earlier = state.admissions.map((each) => ({ ...each, latestSince: Math.max(each.latestSince, now) }));
    return isCorrect
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
  /** All times are in microseconds. */
  readonly fullAt: bigint;
  readonly pace: bigint;
  readonly latest: bigint;
  /** The latest admission before the limit last changed. */
  readonly before: bigint;
  readonly places: readonly Place[];
}

/**
 * `burst` admissions at once, then one every T = window / limit, rounded up to the microsecond. A new limit is applied as of the
 * latest admission; tokens taken at or before that time cannot be released. A released token is refunded in full if no token was
 * taken after it; otherwise the refund is reduced by the time until the latest one.
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

function agree(answer: Answer, expected: Answer): boolean {
  return (
    answer.admitted === expected.admitted &&
    answer.remaining === expected.remaining &&
    answer.resetAt === expected.resetAt &&
    answer.retryAt === expected.retryAt
  );
}

function least(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}

function most(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}

/** For non-negative numbers. */
function ceilDivide(a: bigint, b: bigint): bigint {
  return (a + b - 1n) / b;
}
