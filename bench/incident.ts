/**
 * The incident, replayed in virtual time: a page that takes every refusal for a lost connection and asks again every
 * three seconds. What a limiter makes of it is told window by window.
 */

/** A limiter, asked once. */
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

export interface Incident {
  readonly steps: readonly IncidentStep[];
  readonly admittedPerWindow: readonly number[];
  readonly highestCounter: number;
}

export async function replayIncident(options: IncidentOptions): Promise<Incident> {
  const { ask, startsAt, windowMs, windows, everyMs = 3_000 } = options;
  const steps: IncidentStep[] = [];
  const admittedPerWindow = new Array<number>(windows).fill(0);
  for (let at = startsAt; at < startsAt + windows * windowMs; at += everyMs) {
    const { admitted, counter } = await ask(at);
    steps.push({ at, admitted, counter });
    const window = Math.floor((at - startsAt) / windowMs);
    admittedPerWindow[window] = (admittedPerWindow[window] ?? 0) + (admitted ? 1 : 0);
  }
  return { steps, admittedPerWindow, highestCounter: Math.max(...steps.map(({ counter }) => counter)) };
}
