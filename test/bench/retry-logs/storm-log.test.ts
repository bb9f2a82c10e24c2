import { describe, expect, it } from 'vitest';
import { createFleet } from '../../../analyzer/fleet.ts';
import type { FleetView } from '../../../analyzer/report/report.ts';
import { seeded } from '../../../bench/harness/seeded.ts';
import {
  STORM_AT,
  type StormEvent,
  type StormStrategy,
  simulateStorm,
  toBatch,
  toCoreElement,
  toIssuerLine,
} from '../../../bench/retry-logs/storm-log.ts';
import { reportStorm } from '../../../bench/retry-logs/storm-report.ts';

function analyse(events: readonly StormEvent[]) {
  const fleet = createFleet({ maxClients: 1_000, threshold: 5, latenessMs: 10_000 });
  fleet.add(toBatch(events));
  return fleet.report();
}

function storm(strategy: StormStrategy): StormEvent[] {
  return simulateStorm({ strategy, clients: 300, random: seeded(1) });
}

function withoutJitter({ clients_by_pattern }: FleetView): number {
  const { fixed, growing_without_jitter, several_fixed } = clients_by_pattern;
  return fixed + growing_without_jitter + several_fixed;
}

describe('a storm of 300 clients', () => {
  it.each([
    ['page', 'fixed', 'in_step'],
    ['none', 'growing_without_jitter', 'in_step'],
    ['equal', 'equal_jitter', 'spread'],
    ['full', 'full_jitter', 'spread'],
  ] as const)('with the strategy "%s" has the pattern %s and the verdict %s', (strategy, pattern, verdict) => {
    const { fleet } = analyse(storm(strategy));
    expect(fleet.clients_by_pattern[pattern]).toBeGreaterThanOrEqual(270);
    expect(withoutJitter(fleet)).toBe(verdict === 'in_step' ? 300 : 0);
    expect(fleet.synchronisation.verdict).toBe(verdict);
  });

  it.each([
    ['page', 300],
    ['full', 0],
  ] as const)(
    'with the strategy "%s" is recognized from gaps alone: %d clients without jitter',
    (strategy, expected) => {
      const withoutWaits = storm(strategy).map(({ at, client, type }) => ({ at, client, type }));
      const { analyzed_clients, fleet } = analyse(withoutWaits);
      expect(withoutJitter(fleet)).toBe(expected);
      expect([...analyzed_clients].every(({ intervals_source }) => intervals_source === 'derived')).toBe(true);
    },
  );

  it('has the same result if its log is shuffled within ten seconds', () => {
    const random = seeded(2);
    const shuffled = storm('none')
      .map((event) => ({ event, arrivesAt: event.at + 9_900 * random() }))
      .sort((one, other) => one.arrivesAt - other.arrivesAt)
      .map(({ event }) => event);
    const { fleet, left_out } = analyse(shuffled);
    expect(left_out.events_too_late).toBe(0);
    expect(fleet.clients_by_pattern.growing_without_jitter).toBe(300);
  });

  it('has a verdict in words for each kind of client', () => {
    const { fleet } = reportStorm();
    expect(fleet.clients_by_pattern).toMatchObject({ fixed: 130, growing_without_jitter: 80 });
    const verdicts = new Map(fleet.worst_clients.map(({ pattern, verdict }) => [pattern.name, verdict]));
    expect(verdicts.get('fixed')).toContain('about every 3,000 ms without jitter');
    expect(verdicts.get('growing_without_jitter')).toContain('grow by a factor of 2 without jitter');
    expect(verdicts.get('full_jitter')).toContain('nothing to change in its waits');
  });
});

describe('the log of a storm', () => {
  const retry: StormEvent = { at: STORM_AT + 3_000.4, client: '192.0.2.0', type: 'retry', waitedMs: 2_999.7 };

  it('can be written in the core schema', () => {
    expect(toCoreElement(retry)).toEqual({
      timestamp: '2026-01-01T12:00:03.000Z',
      client_ip: '192.0.2.0',
      event_type: 'retry',
      retry_interval_ms: 3_000,
    });
  });

  it('can be written in the issuer’s format', () => {
    expect(toIssuerLine(retry)).toMatchObject({ event: 'session', code: 'limiter_unavailable', viewer: '192.0.2.0' });
    expect(toIssuerLine({ ...retry, type: 'connect' })).toMatchObject({ code: 'issued' });
    expect(toIssuerLine({ ...retry, type: 'disconnect' })).toBeUndefined();
  });
});
