/**
 * The incident, replayed in virtual time: a page mistakes every refusal for a lost connection and retries every three
 * seconds. The result says what a limiter did with it, window by window.
 */

/** One request to a limiter. */
export type Ask = (now: number) => Promise<{ readonly admitted: boolean; readonly counter: number }>;

export interface IncidentOptions {
  readonly ask: Ask;
  /** Epoch milliseconds at which the first call is made: the start of a window. */
  readonly startsAt: number;
  readonly windowMs: number;
  readonly windows: number;
  /** @default 3000, as the page did */
  readonly everyMs?: number;
}

export interface IncidentStep {
  readonly at: number;
  readonly admitted: boolean;
  readonly counter: number;
}

/** From a refusal to the next admission, or to the end of the replay if there was none. */
export interface Wait {
  readonly ms: number;
  readonly ended: boolean;
}

export interface Incident {
  readonly steps: readonly IncidentStep[];
  readonly admittedPerWindow: readonly number[];
  readonly highestCounter: number;
  readonly longestWait: Wait;
}

/** How long the page waits between two calls. */
export const EVERY_MS = 3_000;

export async function replayIncident(options: IncidentOptions): Promise<Incident> {
  const { ask, startsAt, windowMs, windows, everyMs = EVERY_MS } = options;
  const endsAt = startsAt + windows * windowMs;
  const steps: IncidentStep[] = [];
  const admittedPerWindow = new Array<number>(windows).fill(0);
  for (let at = startsAt; at < endsAt; at += everyMs) {
    const { admitted, counter } = await ask(at);
    steps.push({ at, admitted, counter });
    const window = Math.floor((at - startsAt) / windowMs);
    admittedPerWindow[window] = (admittedPerWindow[window] ?? 0) + (admitted ? 1 : 0);
  }
  return {
    steps,
    admittedPerWindow,
    highestCounter: Math.max(...steps.map(({ counter }) => counter)),
    longestWait: longestWait(steps, endsAt),
  };
}

function longestWait(steps: readonly IncidentStep[], endsAt: number): Wait {
  let longest: Wait = { ms: 0, ended: true };
  let since: number | undefined;
  for (const { at, admitted } of steps) {
    if (!admitted) {
      since ??= at;
    } else if (since !== undefined) {
      longest = at - since > longest.ms ? { ms: at - since, ended: true } : longest;
      since = undefined;
    }
  }
  return since !== undefined && endsAt - since > longest.ms ? { ms: endsAt - since, ended: false } : longest;
}
