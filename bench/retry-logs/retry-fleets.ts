/**
 * Simulates clients of known behaviour and the intervals that a log would show, to check the analyzer's verdicts.
 * Repeatable: the same random numbers give the same clients.
 */

type Random = () => number;

export const BEHAVIOURS = [
  'fixed',
  'exponential',
  'weak',
  'equal',
  'full',
  'two fixed',
  'linear',
  'fixed and full',
] as const;
export type Behaviour = (typeof BEHAVIOURS)[number];

/** How clocks and networks change an interval. */
export const NOISES = {
  exact: (ms: number) => ms,
  'up to 5 ms late': (ms: number, random: Random) => ms + 5 * random(),
  '+-2 %': (ms: number, random: Random) => ms * (0.98 + 0.04 * random()),
  'sd 1.5 %': (ms: number, random: Random) => ms * (1 + 0.015 * normal(random)),
} as const;
export type Noise = keyof typeof NOISES;

export interface Wait {
  readonly ms: number;
  /** Whether the client connected just before the wait. */
  readonly isAfterConnect: boolean;
}

/** Milliseconds. Range of the base wait from which a behaviour's waits and jitter windows are computed. */
const SHORTEST_BASE = 200;
const LONGEST_BASE = 5_000;

/** @returns the waits of one address, as they appear in the log */
export function waitsOf(behaviour: Behaviour, count: number, noise: Noise, random: Random): Wait[] {
  const next = clientsOf(behaviour, random);
  return Array.from({ length: count }, () => {
    const { ms, isAfterConnect } = next();
    return { ms: Math.max(0, NOISES[noise](ms, random)), isAfterConnect };
  });
}

function clientsOf(behaviour: Behaviour, random: Random): () => Wait {
  switch (behaviour) {
    case 'two fixed':
      return twoFixed(random);
    case 'linear':
      return linear(random);
    case 'fixed and full':
      return fixedAndFull(random);
    default:
      return oneClient(behaviour, random);
  }
}

type OneClient = Exclude<Behaviour, 'two fixed' | 'linear' | 'fixed and full'>;

function oneClient(behaviour: OneClient, random: Random): () => Wait {
  const base = between(SHORTEST_BASE, LONGEST_BASE, random);
  const grows = behaviour === 'exponential' || (behaviour !== 'fixed' && random() < 0.5);
  // Growth varies between clients: by a factor of 1.5 or 2, capped after 3 to 8 steps, and reset by an occasional
  // success or never.
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

function jitter(behaviour: OneClient, random: Random): number {
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

/** Adds 0.5 to 3 first waits each time; with or without a cap; reset by an occasional success or never. */
function linear(random: Random): () => Wait {
  const base = between(SHORTEST_BASE, LONGEST_BASE, random);
  const addend = between(0.5, 3, random);
  const most = random() < 0.5 ? Number.POSITIVE_INFINITY : 4 + Math.floor(6 * random());
  const success = random() < 0.5 ? 0 : 0.15;
  let step = -1;
  return () => {
    const isAfterConnect = step >= 1 && random() < success;
    step = isAfterConnect ? 0 : step + 1;
    return { ms: base * (1 + addend * Math.min(step, most)), isAfterConnect };
  };
}

/** Two clients with fixed waits behind one address. */
function twoFixed(random: Random): () => Wait {
  const [one, other] = [between(SHORTEST_BASE, LONGEST_BASE, random), 1.2 + 3 * random()];
  return inTurn([() => one, () => one * other], random);
}

/** A client with a fixed wait and a client with full jitter behind one address. Both retry equally often on average. */
function fixedAndFull(random: Random): () => Wait {
  const base = between(SHORTEST_BASE, LONGEST_BASE, random);
  return inTurn([() => base, () => 2 * base * random()], random);
}

/** Merges the waits of two clients that retry independently, in order of time. */
function inTurn([first, second]: readonly [() => number, () => number], random: Random): () => Wait {
  const [one, other] = [first(), second()];
  const waits = [one, other];
  const at = waits.map((wait) => wait * random());
  return () => {
    const who = (at[0] ?? 0) <= (at[1] ?? 0) ? 0 : 1;
    const ms = waits[who] ?? 0;
    waits[who] = (who === 0 ? first : second)();
    at[who] = (at[who] ?? 0) + (waits[who] ?? 0);
    return { ms, isAfterConnect: false };
  };
}

/** Uniformly distributed on a logarithmic scale. */
function between(least: number, most: number, random: Random): number {
  return least * (most / least) ** random();
}

/** Standard normal distribution (Box-Muller). The logarithm is never that of 0. */
function normal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}
