import { describe, expect, it } from 'vitest';
import { createFleet } from '../../analyzer/fleet.ts';
import type { FleetOptions } from '../../analyzer/fleet-options.ts';
import { formatTable } from '../../analyzer/report/format-table.ts';
import type { FleetReport } from '../../analyzer/report/report.ts';
import { seededRandom } from '../support/random.ts';
import { batch, type Row, START } from './statistics/batches.ts';

function report(rows: readonly Row[], options: FleetOptions = {}): FleetReport {
  const fleet = createFleet({ maxClients: 100, threshold: 5, latenessMs: 10_000, now: () => START, ...options });
  fleet.add(batch(rows));
  return fleet.report();
}

function client(rows: readonly Row[], options?: FleetOptions) {
  const [first] = report(rows, options).analyzed_clients;
  return first;
}

/** Retries of one client at regular intervals. */
function retries(count: number, everyMs: number, name = 'a'): Row[] {
  return Array.from({ length: count }, (_, index) => [index * everyMs, name, 'retry', everyMs]);
}

describe('core fields', () => {
  it('have the expected values for the sample', () => {
    const { analyzed_clients, ...rest } = report([
      ...retries(5, 1_000, '192.0.2.10'),
      [0, '192.0.2.20', 'retry', 1_200],
      [0, '192.0.2.20', 'retry', 2_450],
    ]);
    expect(rest).toMatchObject({ evaluated_at: new Date(START).toISOString(), threshold_requests_per_min: 5 });
    expect(JSON.parse(JSON.stringify(analyzed_clients))).toMatchObject([
      {
        client_ip: '192.0.2.10',
        total_requests: 5,
        avg_retry_interval_ms: 1_000,
        has_jitter: false,
        is_rate_limited: true,
        risk_level: 'CRITICAL',
      },
      {
        client_ip: '192.0.2.20',
        total_requests: 2,
        avg_retry_interval_ms: 1_825,
        has_jitter: true,
        is_rate_limited: false,
        risk_level: 'LOW',
      },
    ]);
  });

  it('are accurate if long intervals differ only a little', () => {
    const long = 1e9;
    const spread = [0, 1, 2, 3].map((index): Row => [index, 'a', 'retry', long + index]);
    expect(client(spread)?.avg_retry_interval_ms).toBe(long + 1.5);
    expect(client(spread)?.has_jitter).toBe(false);
  });

  it('round an average exactly between two hundredths up, for any intervals', () => {
    const random = seededRandom(3);
    for (let list = 0; list < 50; list += 1) {
      const intervals = Array.from({ length: 16 }, () => 16 * Math.floor(random() * 4_000));
      const mean = intervals.reduce((sum, interval) => sum + interval, 2) / 16;
      const rows = intervals.map((interval, index): Row => [index, 'a', 'retry', interval + (index === 7 ? 2 : 0)]);
      expect(mean % 1).toBe(0.125);
      expect(client(rows)?.avg_retry_interval_ms).toBe(Math.floor(mean) + 0.13);
    }
  });

  it('are finite even if the sum of the intervals overflows', () => {
    const rows = [0, 1].map((index): Row => [index, 'a', 'retry', 1e308]);
    expect(client(rows)).toMatchObject({ avg_retry_interval_ms: 1e308, has_jitter: false });
  });

  it('ignore derived intervals', () => {
    const rows = Array.from({ length: 8 }, (_, index): Row => [index * 3_000 + 1, 'a', 'retry']);
    expect(client(rows)).toMatchObject({
      avg_retry_interval_ms: 0,
      has_jitter: true,
      intervals_source: 'derived',
      pattern: { name: 'fixed', intervals: 7 },
    });
  });

  it('include events that are too late or have no timestamp', () => {
    const fleet = createFleet({ maxClients: 10, threshold: 5, latenessMs: 0 });
    fleet.add(batch([[60_000, 'a', 'retry', 10]]));
    fleet.report();
    fleet.add(
      batch([
        [0, 'a', 'retry', 30],
        [undefined, 'a', 'retry', 50],
      ]),
    );
    const { analyzed_clients, left_out } = fleet.report();
    expect([...analyzed_clients]).toMatchObject([{ total_requests: 3, avg_retry_interval_ms: 30 }]);
    expect(left_out).toMatchObject({ events_too_late: 1, events_without_time: 1 });
  });
});

describe('the rest of the report', () => {
  it('uses reported intervals instead of derived ones', () => {
    const rows: Row[] = [
      [0, 'a', 'retry'],
      [700, 'a', 'retry'],
      ...retries(6, 3_000).map(([at = 0, ...rest]): Row => [at + 5_000, ...rest]),
    ];
    expect(client(rows)).toMatchObject({
      intervals_source: 'reported',
      pattern: { name: 'fixed', intervals: 6, periods_ms: [3_000] },
    });
  });

  it('does not judge short gaps in a log with whole seconds', () => {
    const rows = Array.from({ length: 8 }, (_, index): Row => [index * 2_000, 'a', 'retry']);
    expect(client(rows)).toMatchObject({
      pattern: { name: 'unclear' },
      verdict: expect.stringContaining('whole seconds'),
    });
  });

  it('finds growing waits in any order of the log', () => {
    const rows = [500, 1_000, 2_000, 4_000, 8_000].map((wait): Row => [2 * wait, 'a', 'retry', wait]);
    expect(client(rows.toReversed())?.pattern.name).toBe('growing_without_jitter');
  });

  it('computes the peak in a sliding minute, not over the whole log', () => {
    const rows = [
      ...retries(6, 10_000),
      ...retries(6, 10_000).map(([at = 0, ...rest]): Row => [at + 600_000, ...rest]),
    ];
    expect(client(rows)).toMatchObject({ total_requests: 12, peak_requests_per_min: 6 });
    // 20 s before and 20 s after the start of a clock minute belong to one peak.
    expect(
      client([
        ...retries(4, 5_000).map(([at = 0, ...rest]): Row => [at + 40_000, ...rest]),
        ...retries(4, 5_000).map(([at = 0, ...rest]): Row => [at + 60_000, ...rest]),
      ])?.peak_requests_per_min,
    ).toBe(8);
  });

  it('mentions connections that close at once', () => {
    const rows = [0, 1, 2, 3].flatMap((n): Row[] => [
      [n * 3_000, 'a', 'connect'],
      [n * 3_000 + 200, 'a', 'disconnect'],
    ]);
    expect(client(rows)).toMatchObject({
      short_sessions: 4,
      verdict: expect.stringContaining('4 of its 4 connections closed within 2 s'),
    });
  });

  it('counts retries per connection', () => {
    const rows: Row[] = [...retries(22, 1_000), [30_000, 'a', 'connect'], [40_000, 'a', 'connect']];
    expect(client(rows)).toMatchObject({
      retries: 22,
      retries_per_connect: 11,
      verdict: expect.stringContaining('11 retries per connection'),
    });
  });

  it('groups IPv6 addresses by household, in every spelling', () => {
    const names = [
      '2001:db8:0:1::1',
      '2001:DB8:0000:1:0:0:0:2',
      '2001:db8:0:99::1',
      '2001:db8:0:100::1',
      '192.0.2.1',
      '::ffff:192.0.2.1',
      'pseudonym',
    ];
    const { fleet } = report(names.flatMap((name) => retries(3, 1_000, name)));
    expect(fleet.ipv6_prefixes).toEqual([
      { prefix: '2001:db8::/56', clients: 3, total_requests: 9, clients_without_jitter: 3 },
      { prefix: '2001:db8:0:100::/56', clients: 1, total_requests: 3, clients_without_jitter: 1 },
    ]);
  });

  it('counts clients beyond the limit only for the fleet, and reports them as left out', () => {
    const { analyzed_clients, fleet, left_out } = report([...retries(2, 1_000, 'a'), ...retries(3, 1_000, 'b')], {
      maxClients: 1,
    });
    expect([...analyzed_clients].map(({ client_ip }) => client_ip)).toEqual(['a']);
    expect([fleet.events, left_out.events_of_further_clients]).toEqual([5, 3]);
  });

  it('lists the worst clients first, and only a few of each pattern', () => {
    const { fleet } = report(
      [...Array(9).keys()].flatMap((n) => retries(5 + n, 1_000, `fixed ${n}`)).concat([[0, 'quiet', 'connect']]),
    );
    expect(fleet.worst_clients.map(({ client_ip }) => client_ip)).toEqual([
      'fixed 8',
      'fixed 7',
      'fixed 6',
      'fixed 5',
      'fixed 4',
      'fixed 3',
      'quiet',
    ]);
    expect(fleet.client_timelines[0]?.events.reduce((sum, count) => sum + count)).toBe(13);
  });

  it('limits the number of bars in a timeline, however long the log is', () => {
    const { fleet } = report([0, 1, 1e6, 1e9, 1e11].map((at): Row => [at, 'a', 'retry']));
    expect(fleet.timeline.events.length).toBeLessThanOrEqual(480);
    expect(fleet.timeline.events.reduce((sum, count) => sum + count)).toBe(5);
  });

  it('puts later events in order even after an interim report', () => {
    const fleet = createFleet({ maxClients: 10, threshold: 5, latenessMs: 10_000 });
    fleet.add(
      batch([
        [0, 'a', 'retry', 500],
        [8_000, 'a', 'retry', 2_000],
      ]),
    );
    expect(fleet.report({ isLast: false }).fleet.retries).toBe(2);
    fleet.report({ isLast: false });
    fleet.add(
      batch([
        [4_000, 'a', 'retry', 1_000],
        [12_000, 'a', 'retry', 4_000],
        [21_000, 'a', 'retry', 8_000],
      ]),
    );
    const { analyzed_clients, left_out } = fleet.report();
    expect([...analyzed_clients][0]?.pattern.name).toBe('growing_without_jitter');
    expect([left_out.events_too_late, [...analyzed_clients][0]?.total_requests]).toEqual([0, 5]);
  });

  it('finds jitter at a spread of exactly 0.05, despite floating-point errors', () => {
    const random = seededRandom(5);
    for (let times = 0; times < 500; times += 1) {
      const step = 1 + Math.floor(random() * 30_000);
      const pairs = 1 + Math.floor(random() * 20);
      const intervals = Array.from({ length: 2 * pairs }, (_, index) => step * (index % 2 === 0 ? 19 : 21));
      intervals.sort(() => random() - 0.5);
      const [client] = report(intervals.map((interval) => [0, 'a', 'retry', interval])).analyzed_clients;
      expect(client, `intervals ${intervals}`).toMatchObject({ has_jitter: true });
    }
  });

  it('does not mistake the start or the end of a log for a wave', () => {
    const clients = Array.from({ length: 3_000 }, (_, index) => index);
    const rows = clients.flatMap((client): Row[] =>
      [1, 2, 3, 4, 5].map((second) => [second * 1_000 + client / 3, `client-${client}`, 'retry', 1_000]),
    );
    const { synchronisation } = report(rows.sort(([one = 0], [other = 0]) => one - other)).fleet;
    expect(synchronisation.verdict).toBe('spread');
    expect(synchronisation.worst_minute_dispersion).toBeLessThan(1);
  });

  it('does not decide whether clients are in step if events have no timestamps', () => {
    const rows = Array.from({ length: 300 }, (_, index): Row => [undefined, `client-${index % 10}`, 'retry', 1_000]);
    expect(report(rows).fleet.synchronisation.verdict).toBe('unknown');
    expect(formatTable(report(rows))).toContain('No event has a timestamp');
  });

  it.each<[string, (index: number) => number, string, string]>([
    [
      'longer than the maximum',
      () => 200_000_000,
      'unclear',
      '46 hours or longer. The analyzer does not distinguish intervals that long.',
    ],
    [
      'longer than the maximum and growing',
      (index) => 200_000_000 * 2 ** index,
      'unclear',
      'does not distinguish intervals that long',
    ],
    ['just below the maximum', () => 40 * 3_600_000, 'fixed', 'without jitter'],
    ['shorter than the minimum', () => 0.2, 'at_once', 'immediately'],
  ])('judges intervals that are %s as far as possible, and shows all of them', (_, intervalAt, name, words) => {
    const rows = Array.from({ length: 8 }, (__, index): Row => [index, 'a', 'retry', intervalAt(index)]);
    const { analyzed_clients, fleet } = report(rows);
    const [client] = analyzed_clients;
    expect(client).toMatchObject({ pattern: { name }, verdict: expect.stringContaining(words) });
    expect(fleet.interval_histogram.reduce((sum, { count }) => sum + count, 0)).toBe(8);
  });

  it('counts a peak of any size', () => {
    const rows = Array.from({ length: 70_000 }, (): Row => [0, 'a', 'retry']);
    expect([...report(rows).analyzed_clients][0]?.peak_requests_per_min).toBe(70_000);
  });

  it('does not approve an address for which only gaps are known', () => {
    const random = seededRandom(5);
    const late = () => 2_000 * random();
    const ticks = [40_000, 70_000].flatMap((period) => Array.from({ length: 20 }, (_, tick) => tick * period + late()));
    const rows = ticks.sort((one, other) => one - other).map((at): Row => [at, 'a', 'retry']);
    const [client] = report(rows).analyzed_clients;
    expect(client?.verdict).toContain('or several clients share the address');
  });

  it('counts each event once, even if an interim report came before it was in order', () => {
    const fleet = createFleet({ maxClients: 10, threshold: 5, latenessMs: 10_000 });
    const totals = (isLast: boolean) => {
      const report = fleet.report({ isLast });
      return [report.fleet.retries, [...report.analyzed_clients][0]?.total_requests];
    };
    fleet.add(
      batch([
        [0, 'a', 'retry', 1_000],
        [15_000, 'a', 'retry', 1_000],
        [20_000, 'a', 'retry', 1_000],
      ]),
    );
    expect(totals(false)).toEqual([3, 3]);
    fleet.add(batch([[26_000, 'a', 'retry', 1_000]]));
    expect(totals(false)).toEqual([4, 4]);
    expect(totals(true)).toEqual([4, 4]);
  });

  it('draws derived intervals if the log reports none', () => {
    const { fleet } = report([
      [0, 'a', 'retry'],
      [1_000, 'a', 'retry'],
      [3_000, 'a', 'retry'],
    ]);
    expect(fleet.interval_histogram_source).toBe('derived');
    expect(fleet.interval_histogram.reduce((sum, { count }) => sum + count, 0)).toBe(2);
    expect(report([[0, 'a', 'retry', 500]]).fleet.interval_histogram_source).toBe('reported');
    expect(report([[0, 'a', 'retry']]).fleet.interval_histogram_source).toBe('none');
  });

  it('says that waits are too recent to be put in order', () => {
    const fleet = createFleet({ maxClients: 10, threshold: 5, latenessMs: 10_000 });
    fleet.add(batch([[0, 'a', 'retry', 500]]));
    const verdictOf = (options?: { readonly isLast: boolean }) =>
      [...fleet.report(options).analyzed_clients].map(({ verdict }) => verdict);
    expect(verdictOf({ isLast: false })).toEqual([expect.stringContaining('too recent')]);
    expect(verdictOf()).toEqual([expect.stringContaining('One interval is too few to show a pattern')]);
  });

  it('treats an infinite timestamp as missing', () => {
    const { left_out } = report([
      [Number.POSITIVE_INFINITY, 'a', 'retry'],
      [0, 'a', 'retry'],
    ]);
    expect(left_out.events_without_time).toBe(1);
  });

  it('accepts an empty log', () => {
    expect(report([])).toMatchObject({ fleet: { events: 0, synchronisation: { verdict: 'unknown' } } });
  });
});

describe('an option', () => {
  it.each<[FleetOptions, string]>([
    [{ maxClients: 0 }, 'maxClients is 0, but must be a whole number from 1 to 16777216'],
    [{ maxClients: Number.NaN }, 'maxClients is NaN'],
    [{ maxClients: 1.5 }, 'maxClients is 1.5'],
    [{ threshold: 0 }, 'threshold is 0, but must be a number greater than 0'],
    [{ threshold: Number.NaN }, 'threshold is NaN'],
    [JSON.parse('{"threshold":"5"}'), 'threshold is "5", but must be a number'],
    [{ latenessMs: -1 }, 'latenessMs is -1, but must be a number that is 0 or greater'],
    [{ ipv6Prefix: 129 }, 'ipv6Prefix is 129'],
  ])('is rejected if it is invalid: %j', (options, complaint) => {
    expect(() => createFleet(options)).toThrow(complaint);
  });

  it('has the same default as on the command line', () => {
    const report = createFleet().report();
    expect(report.threshold_requests_per_min).toBe(5);
    expect(report.left_out).toMatchObject({ max_clients: 100_000, lateness_ms: 10_000 });
  });
});
