/**
 * Clients of known behaviour, and the intervals that a log would show of them: the truth that verdicts are held against.
 * Repeatable: the same random numbers give the same fleet.
 */

type Random = () => number;

export const BEHAVIOURS = ['fixed', 'exponential', 'weak', 'equal', 'full', 'two fixed'] as const;
export type Behaviour = (typeof BEHAVIOURS)[number];

/** What clocks and networks do to an interval. */
export const NOISES = {
  exact: (ms: number) => ms,
  'up to 5 ms late': (ms: number, random: Random) => ms + 5 * random(),
  '+-2 %': (ms: number, random: Random) => ms * (0.98 + 0.04 * random()),
  'sd 1.5 %': (ms: number, random: Random) => ms * (1 + 0.015 * normal(random)),
} as const;
export type Noise = keyof typeof NOISES;

export interface Wait {
  readonly ms: number;
  /** A connection stood before it. */
  readonly isAfterConnect: boolean;
}

/** Milliseconds: what the windows of jitter and the waits of the others come from. */
const SHORTEST_BASE = 200;
const LONGEST_BASE = 5_000;

/** @returns the waits of one address, as its log has them */
export function waitsOf(behaviour: Behaviour, count: number, noise: Noise, random: Random): Wait[] {
  const next = behaviour === 'two fixed' ? twoFixed(random) : oneClient(behaviour, random);
  return Array.from({ length: count }, () => {
    const { ms, isAfterConnect } = next();
    return { ms: Math.max(0, NOISES[noise](ms, random)), isAfterConnect };
  });
}

function oneClient(behaviour: Exclude<Behaviour, 'two fixed'>, random: Random): () => Wait {
  const base = between(SHORTEST_BASE, LONGEST_BASE, random);
  const grows = behaviour === 'exponential' || (behaviour !== 'fixed' && random() < 0.5);
  // Growth itself varies as clients do: by 1.5 or 2, capped after 3 to 8 steps, ended by a success now and then or never.
  const factor = random() < 0.3 ? 1.5 : 2;
  const cap = base * factor ** (3 + Math.floor(6 * random()));
  const success = random() < 0.5 ? 0 : 0.15;
  let step = -1;
  return () => {
    const isAfterConnect = step >= 1 && random() < success;
    step = isAfterConnect ? 0 : step + 1;
    const window = grows ? Math.min(cap, base * factor ** Math.min(step, 99)) : base;
    return { ms: window * jitter(behaviour, random), isAfterConnect };
  };
}

function jitter(behaviour: Exclude<Behaviour, 'two fixed'>, random: Random): number {
  switch (behaviour) {
    case 'fixed':
    case 'exponential':
      return 1;
    case 'weak':
      return 1 - random() / 4;
    case 'equal':
      return 1 - random() / 2;
    case 'full':
      return random();
  }
}

/** Each tries at its own pace; the log has them in order of time. */
function twoFixed(random: Random): () => Wait {
  const [one, other] = [between(SHORTEST_BASE, LONGEST_BASE, random), 1.2 + 3 * random()];
  const waits = [one, one * other];
  const at = waits.map((wait) => wait * random());
  return () => {
    const [first = 0, second = 0] = at;
    const who = first <= second ? 0 : 1;
    const ms = waits[who] ?? 0;
    at[who] = (at[who] ?? 0) + ms;
    return { ms, isAfterConnect: false };
  };
}

/** Evenly on a logarithmic scale. */
function between(least: number, most: number, random: Random): number {
  return least * (most / least) ** random();
}

/** Box-Muller, never the logarithm of 0. */
function normal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}
