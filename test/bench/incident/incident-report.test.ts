import { beforeAll, describe, expect, it } from 'vitest';
import { type IncidentReport, simulateIncident } from '../../../bench/incident/incident-report.ts';
import { freshTable } from '../../support/table.ts';

/** Three windows of two minutes: forty calls to each. */
const CALLS = 120;

const told: [name: string, asked: number, of: number][] = [];
let report: IncidentReport;
beforeAll(async () => {
  const table = await freshTable();
  const onAsk = (...step: (typeof told)[number]) => told.push(step);
  report = await simulateIncident({ table, engine: 'any', windows: 3, window: '2m', onAsk });
});

function resultOf(name: string) {
  const result = report.results.find((each) => each.name === name);
  if (result === undefined) {
    throw new Error(`${name} did not take part.`);
  }
  return result;
}

describe('the incident in figures', () => {
  it('add, then compare: ten are let in, and never another', () => {
    expect(resultOf('add, then compare')).toEqual({
      name: 'add, then compare',
      admittedPerWindow: [10, 0, 0],
      highestCounter: CALLS,
      // Its deletions stand for DynamoDB's TTL and are no writes.
      writes: CALLS,
      longestWait: { seconds: 330, ended: false },
      counter: [
        [0, 1],
        [357, CALLS],
      ],
    });
  });

  it('fixed: opens with each window, at one write a call', () => {
    expect(resultOf('10/2m')).toEqual({
      name: '10/2m',
      admittedPerWindow: [10, 10, 10],
      highestCounter: 10,
      writes: CALLS,
      longestWait: { seconds: 90, ended: true },
      counter: [0, 120, 240].flatMap((start) => [
        [start, 1],
        [start + 27, 10],
        [start + 117, 10],
      ]),
    });
  });

  it('sliding: as many, at two writes for an admission at most', () => {
    const { admittedPerWindow, highestCounter, longestWait, writes } = resultOf('sliding 10/2m');

    expect({ admittedPerWindow, highestCounter, longestWait }).toEqual({
      admittedPerWindow: [10, 10, 10],
      highestCounter: 10,
      longestWait: { seconds: 90, ended: true },
    });
    expect(writes).toBeGreaterThanOrEqual(CALLS);
    expect(writes).toBeLessThanOrEqual(CALLS + 30);
  });

  it('bucket: its burst on top in the first window, and a short wait', () => {
    expect(resultOf('bucket 10/2m burst 3')).toEqual({
      name: 'bucket 10/2m burst 3',
      admittedPerWindow: [12, 10, 10],
      highestCounter: 3,
      // Every admission but the first finds the bucket less than full.
      writes: CALLS + 31,
      longestWait: { seconds: 9, ended: true },
      counter: [
        [0, 1],
        [6, 3],
        [357, 3],
      ],
    });
  });

  it('tells of every call', () => {
    expect(told).toHaveLength(4 * CALLS);
    expect(told.at(-1)).toEqual(['bucket 10/2m burst 3', CALLS, CALLS]);
  });
});
