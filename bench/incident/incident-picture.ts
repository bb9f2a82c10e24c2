/** The incident at a glance: the counter that caused it, and ours, over the same hours. */

import { type LinePanel, lineChart } from '../pictures/svg-lines.ts';
import { LIMIT } from './contenders.ts';
import type { ContenderResult, IncidentReport } from './incident-report.ts';

const SECONDS_PER_HOUR = 3_600;
/** With more hours than this, a cell has room only for a number. */
const MOST_HOURS_IN_WORDS = 5;

/** @param report of hours, with add-then-compare and the fixed window first */
export function drawIncident({ results, windows, askedEverySeconds }: IncidentReport): string {
  const [counterExample, ours] = results;
  if (counterExample === undefined || ours === undefined) {
    throw new TypeError('The picture needs add-then-compare and the fixed window.');
  }
  const end = windows * SECONDS_PER_HOUR;
  const hours = Array.from({ length: windows }, (_, index) => index + 1);
  return lineChart({
    title: `A page that retries every ${askedEverySeconds} seconds`,
    subtitle: `The limit is ${LIMIT} an hour. This is what the server counts:`,
    x: { end, spans: hours.map((hour) => (windows > MOST_HOURS_IN_WORDS ? String(hour) : `hour ${hour}`)) },
    panels: [
      {
        ...panel(counterExample),
        title: 'Add, then compare:',
        note: 'each refusal counts, so it never opens again',
        tone: 'bad',
        height: 190,
        top: counterExample.highestCounter,
        callout: {
          text: `counts to ${counterExample.highestCounter.toLocaleString('en')}`,
          x: end * 0.84,
          y: counterExample.highestCounter * 0.88,
        },
      },
      {
        ...panel(ours),
        title: 'Count only below the limit:',
        note: `stays at ${ours.highestCounter}, opens every hour`,
        tone: 'good',
        height: 100,
        top: LIMIT * 1.2,
      },
    ],
  });
}

function panel({ counter, admittedPerWindow }: ContenderResult): Pick<LinePanel, 'points' | 'mark' | 'cells'> {
  return {
    points: counter,
    mark: { y: LIMIT, label: `limit ${LIMIT}` },
    cells: admittedPerWindow.map((admitted, _, { length }) => ({
      text: length > MOST_HOURS_IN_WORDS ? String(admitted) : `${admitted} let in`,
      tone: admitted === 0 ? 'bad' : 'good',
    })),
  };
}
