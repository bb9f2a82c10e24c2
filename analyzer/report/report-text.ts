/** What table and page say about the fleet, in the same sentences. */

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
    `${plural(events, 'event')}, ${plural(retries, 'retry', 'retries')} of ${plural(clients, 'client')}${span}.`,
    `${count(clients_by_risk.CRITICAL)} CRITICAL, ${count(clients_by_risk.HIGH)} HIGH, ${count(clients_by_risk.MEDIUM)} MEDIUM, ${count(clients_by_risk.LOW)} LOW (threshold ${threshold}).`,
    `Without jitter ${plural(faulty, 'client')}: ${count(fixed)} with equal waits, ${count(growing_without_jitter)} with growing ones, ${count(several_fixed)} that are several behind one address, ${count(at_once)} that hardly wait. ${count(weak_jitter)} with too little jitter.`,
  ].join(' ');
}

export function aboutSynchronisation({ synchronisation: figures, retries, from }: FleetView): string {
  const { verdict, intervals, share_in_ten_bins, dispersion, worst_minute_dispersion } = figures;
  const basis = `${(100 * share_in_ten_bins).toFixed(1)} % of ${plural(intervals, 'interval')} lie in ten bins of 10 ms (any jitter: 4 to 7 %); retries per 100 ms have variance/mean ${dispersion}, in the worst minute ${worst_minute_dispersion} (a random stream: 1)`;
  if (retries === 0 && intervals === 0) {
    return 'The log has no retries, so that there is nothing to tell whether the fleet retries in step.';
  }
  if (from === undefined) {
    return 'No event has a time, so that nobody can tell whether the fleet retries in step.';
  }
  switch (verdict) {
    case 'in_step':
      return `The fleet retries in step: ${basis}.`;
    case 'spread':
      return `The fleet does not retry in step: ${basis}.`;
    case 'unknown':
      return intervals === 0
        ? aboutArrivals(figures)
        : `Too few intervals to tell whether the fleet retries in step: ${basis}.`;
  }
}

/** All that there is to tell a fleet by, in a log without intervals. */
function aboutArrivals({ dispersion, worst_minute_dispersion }: Synchronisation): string {
  const waves = Math.max(dispersion, worst_minute_dispersion) >= IN_STEP_DISPERSION ? 'come' : 'do not come';
  return `The log reports no intervals, and its retries ${waves} in waves: per 100 ms they have variance/mean ${dispersion}, in the worst minute ${worst_minute_dispersion} (a random stream: 1; from ${IN_STEP_DISPERSION} on, a wave).`;
}

/** A sentence for each kind of event that some figures do without. */
export function aboutBadEvents(left: LeftOut): string[] {
  const { events_of_further_clients, events_without_time, events_too_late } = left;
  const sentences: [number, string][] = [
    [
      events_of_further_clients,
      `came of clients beyond the first ${count(left.max_clients)}: the fleet's figures hold them, no client's do.`,
    ],
    [events_without_time, 'had no time: they count in totals, and in nothing over time.'],
    [
      events_too_late,
      `came too late to be put in order (${duration(left.lateness_ms)} are allowed${left.lateness_was_cut_short ? ', and a smaller throng' : ''}): they count in totals, and in nothing that depends on order.`,
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

/** A name is whatever the log holds; escape sequences in it would be a terminal's orders, and a NUL is none of HTML's characters. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, '\u{fffd}');
}

/** @param most characters, the ellipsis included */
export function shortened(name: string, most: number): string {
  return name.length <= most ? name : `${name.slice(0, most - 1)}…`;
}
