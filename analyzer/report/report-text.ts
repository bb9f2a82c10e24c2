/** The sentences about the fleet that the table and the HTML page share. */

import { JITTER_OF, PATTERNS } from '../patterns/retry-pattern.ts';
import type { Synchronisation } from '../statistics/synchronisation.ts';
import { IN_STEP_DISPERSION } from '../statistics/synchronisation.ts';
import type { FleetView, LeftOut } from './report.ts';

export function aboutFleet(
  { events, retries, from, to, clients_by_risk, clients_by_pattern }: FleetView,
  threshold: number,
) {
  const clients = Object.values(clients_by_risk).reduce((sum, one) => sum + one, 0);
  const { at_once, fixed, growing_without_jitter, several_fixed, weak_jitter } = clients_by_pattern;
  const withoutJitter = PATTERNS.filter((name) => JITTER_OF[name] === 'no');
  const faulty = withoutJitter.reduce((sum, name) => sum + clients_by_pattern[name], 0);
  const span = from === undefined || to === undefined ? '' : ` within ${duration(to - from)}`;
  return [
    `${plural(events, 'event')} (${plural(retries, 'retry', 'retries')}) from ${plural(clients, 'client')}${span}.`,
    `Risk levels: ${count(clients_by_risk.CRITICAL)} CRITICAL, ${count(clients_by_risk.HIGH)} HIGH, ${count(clients_by_risk.MEDIUM)} MEDIUM, ${count(clients_by_risk.LOW)} LOW (threshold ${threshold}).`,
    `${plural(faulty, 'client')} without jitter: ${count(fixed)} with fixed waits, ${count(growing_without_jitter)} with growing waits, ${count(several_fixed)} with several fixed waits (several clients behind one address), ${count(at_once)} retrying immediately. ${plural(weak_jitter, 'client')} with too little jitter.`,
  ].join(' ');
}

export function aboutSynchronisation({ synchronisation: figures, retries, from }: FleetView): string {
  const { verdict, intervals, share_in_ten_bins, dispersion, worst_minute_dispersion } = figures;
  const basis = `${(100 * share_in_ten_bins).toFixed(1)} % of ${plural(intervals, 'interval')} are in only ten bins of 10 ms (with any jitter: 4 to 7 %), and the variance/mean of retries per 100 ms is ${dispersion}, in the worst minute ${worst_minute_dispersion} (random arrivals: 1)`;
  if (retries === 0 && intervals === 0) {
    return 'The log has no retries, so it cannot show whether the clients retry in step.';
  }
  if (from === undefined) {
    return 'No event has a timestamp, so the log cannot show whether the clients retry in step.';
  }
  switch (verdict) {
    case 'in_step':
      return `The clients retry in step: ${basis}.`;
    case 'spread':
      return `The clients do not retry in step: ${basis}.`;
    case 'unknown':
      return intervals === 0
        ? aboutArrivals(figures)
        : `There are too few intervals to decide whether the clients retry in step: ${basis}.`;
  }
}

/** For a log without intervals, which shows only when retries arrive. */
function aboutArrivals({ dispersion, worst_minute_dispersion }: Synchronisation): string {
  const waves = Math.max(dispersion, worst_minute_dispersion) >= IN_STEP_DISPERSION ? 'come' : 'do not come';
  return `The log reports no intervals. Its retries ${waves} in waves: the variance/mean of retries per 100 ms is ${dispersion}, in the worst minute ${worst_minute_dispersion} (random arrivals: 1; waves: ${IN_STEP_DISPERSION} or more).`;
}

/** One sentence for each kind of event that some figures do not include. */
export function aboutBadEvents(left: LeftOut): string[] {
  const { events_of_further_clients, events_without_time, events_too_late } = left;
  const sentences: [number, string][] = [
    [
      events_of_further_clients,
      `came from clients beyond the first ${count(left.max_clients)}: included in the figures for all clients together, but in no figure for a single client.`,
    ],
    [events_without_time, 'had no timestamp: included in totals, but not in figures over time.'],
    [
      events_too_late,
      `arrived too late to be put in order (${duration(left.lateness_ms)} are allowed${left.lateness_was_cut_short ? ', or less if the buffer is full' : ''}): included in totals, but not in figures that depend on order.`,
    ],
  ];
  return sentences.flatMap(([events, what]) => (events === 0 ? [] : [`${plural(events, 'event')} ${what}`]));
}

export function duration(milliseconds: number): string {
  const seconds = milliseconds / 1_000;
  if (seconds < 120) {
    return `${Math.round(seconds * 10) / 10} s`;
  }
  const minutes = seconds / 60;
  if (minutes < 120) {
    return `${Math.round(minutes)} min`;
  }
  const hours = minutes / 60;
  return hours < 48 ? `${Math.round(hours * 10) / 10} h` : `${Math.round(hours / 2.4) / 10} days`;
}

const GROUPED = new Intl.NumberFormat('en');

export function count(value: number): string {
  return GROUPED.format(value);
}

export function plural(value: number, one: string, many = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : many}`;
}

/**
 * Replaces control characters. A log may contain anything: a terminal would execute escape sequences, and HTML does not
 * allow NUL.
 */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, '\u{fffd}');
}

/** @param most number of characters, including the ellipsis */
export function shortened(name: string, most: number): string {
  return name.length <= most ? name : `${name.slice(0, most - 1)}…`;
}
