/**
 * Random schedules of calls: reservations and releases, how the clock moves between rounds, and when the limit changes. Half of the
 * schedules set clocks back, and half change the limit.
 */
import fc from 'fast-check';
import type { Scope } from '../../../limiter/policy/decision.ts';
import type { Policy } from '../../../limiter/policy/policy.ts';

export interface Schedule<Limit extends Policy> {
  readonly seed: number;
  readonly counts: Scope['counts'];
  readonly rounds: readonly Round<Limit>[];
}

export interface Round<Limit> {
  readonly limit: Limit;
  readonly calls: readonly Call[];
}

export type Call =
  | { readonly kind: 'reserve'; readonly now: number }
  /** Releases one of the previous admissions, which may already have been released. */
  | { readonly kind: 'release'; readonly which: number };

export interface ScheduleOptions<Limit> {
  /** A limit with a window of the given length, in milliseconds. */
  readonly limit: (windowMs: number) => fc.Arbitrary<Limit>;
  /** Maximum number of concurrent calls. */
  readonly atOnce: number;
  readonly rounds: number;
}

const START = Date.UTC(2026, 0, 1, 12);

/** How far the clock moves before a round, in thousandths of a window. */
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
  /** The error of this caller's clock, in milliseconds. */
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
              /** Most rounds keep the limit of the previous round. */
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
