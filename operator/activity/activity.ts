/**
 * What happened in the last 24 hours, from the function's log lines: read with Logs Insights on AWS, or from the log file of
 * a local stack. Both sources give rows that count requests by code and hour, and by code and viewer.
 */
import { PROBLEMS } from '../../contract/problems.ts';

export const HOURS = 24;
export const HOUR_MS = 3_600_000;

/** Requests that ended with the same code, in one hour or from one viewer. */
export interface Row {
  readonly code: string;
  readonly count: number;
}

export interface HourRow extends Row {
  /** Start of the hour, in epoch milliseconds. */
  readonly hour: number;
}

export interface ViewerRow extends Row {
  readonly viewer: string;
}

export interface LogRows {
  readonly byHour: readonly HourRow[];
  readonly byViewer: readonly ViewerRow[];
}

export interface BusyViewer {
  /** A pseudonym. */
  readonly viewer: string;
  readonly requests: number;
  readonly keys: number;
}

export interface Activity {
  readonly hours: number;
  readonly keys: number;
  readonly requests: number;
  /** Requests that the issuer refused on purpose, by code, most frequent first. */
  readonly refusals: Readonly<Record<string, number>>;
  /** Requests that ended with an error, by code, most frequent first. */
  readonly failures: Readonly<Record<string, number>>;
  /** One number per hour, the current hour last. */
  readonly keysPerHour: readonly number[];
  readonly refusalsPerHour: readonly number[];
  readonly busiest: readonly BusyViewer[];
}

/** The codes whose status is a server error: nobody decided to refuse these requests. */
const FAILURES: ReadonlySet<string> = new Set(
  Object.entries(PROBLEMS).flatMap(([code, { status }]) => (status >= 500 ? [code] : [])),
);
const MAX_BUSIEST = 5;

/** @returns the start of the first hour that is shown, in epoch milliseconds */
export function firstHour(now: number): number {
  return (Math.floor(now / HOUR_MS) - HOURS + 1) * HOUR_MS;
}

export function activityIn({ byHour, byViewer }: LogRows, now: number): Activity {
  const of = (kind: Kind) => byHour.filter(({ code }) => kindOf(code) === kind);
  return {
    hours: HOURS,
    keys: total(of('key')),
    requests: total(byHour),
    refusals: byCode(of('refusal')),
    failures: byCode(of('failure')),
    keysPerHour: perHour(of('key'), now),
    refusalsPerHour: perHour(of('refusal'), now),
    busiest: busiest(byViewer),
  };
}

type Kind = 'key' | 'refusal' | 'failure' | 'preflight';

function kindOf(code: string): Kind {
  if (code === 'issued') {
    return 'key';
  }
  if (code === 'preflight') {
    return code;
  }
  return FAILURES.has(code) ? 'failure' : 'refusal';
}

function total(rows: readonly Row[]): number {
  return rows.reduce((sum, { count }) => sum + count, 0);
}

function byCode(rows: readonly Row[]): Record<string, number> {
  const codes = new Map<string, number>();
  for (const { code, count } of rows) {
    codes.set(code, (codes.get(code) ?? 0) + count);
  }
  return Object.fromEntries([...codes].sort(([, a], [, b]) => b - a));
}

function perHour(rows: readonly HourRow[], now: number): number[] {
  const hours = new Array<number>(HOURS).fill(0);
  for (const { hour, count } of rows) {
    const index = Math.floor((hour - firstHour(now)) / HOUR_MS);
    if (index >= 0 && index < HOURS) {
      hours[index] = (hours[index] ?? 0) + count;
    }
  }
  return hours;
}

function busiest(rows: readonly ViewerRow[]): BusyViewer[] {
  const viewers = new Map<string, BusyViewer>();
  for (const { viewer, code, count } of rows) {
    const { requests, keys } = viewers.get(viewer) ?? { requests: 0, keys: 0 };
    viewers.set(viewer, { viewer, requests: requests + count, keys: keys + (code === 'issued' ? count : 0) });
  }
  return [...viewers.values()].sort((a, b) => b.requests - a.requests).slice(0, MAX_BUSIEST);
}
