/**
 * The HTML report on a retry storm of four kinds of clients. `npx node bench/retry-logs/storm-report.ts FILE` writes the page that
 * docs/analyzer.png shows.
 */
import { writeFileSync } from 'node:fs';
import { argv } from 'node:process';
import { createFleet } from '../../analyzer/fleet.ts';
import { formatHtml } from '../../analyzer/report/format-html.ts';
import type { FleetReport } from '../../analyzer/report/report.ts';
import { seeded } from '../harness/seeded.ts';
import { STORM_AT, simulateStorm, toBatch } from './storm-log.ts';

export function reportStorm(): FleetReport {
  const random = seeded(1);
  const events = [
    simulateStorm({ strategy: 'page', clients: 120, random }),
    simulateStorm({ strategy: 'none', clients: 80, random, nameOf: (client) => `198.51.100.${client}` }),
    simulateStorm({ strategy: 'full', clients: 60, random, nameOf: (client) => `203.0.113.${client}` }),
    simulateStorm({ strategy: 'page', clients: 10, random, nameOf: (client) => `2001:db8:1:2${client}::1` }),
  ].flat();
  events.sort((one, other) => one.at - other.at);
  const fleet = createFleet({ maxClients: 1_000, threshold: 5, latenessMs: 10_000, now: () => STORM_AT + 3_600_000 });
  fleet.add(toBatch(events));
  return fleet.report();
}

if (import.meta.main) {
  writeFileSync(argv[2] ?? 'storm.html', formatHtml(reportStorm()));
}
