/** The incident at a glance: the counter that caused it, and ours, over the same hours. */
import { LIMIT } from './contenders.ts';
import type { ContenderResult, IncidentReport } from './incident-report.ts';
import { type LinePanel, lineChart } from './svg-lines.ts';

const SECONDS_PER_HOUR = 3_600;

/** @param report of hours, with add-then-compare and the fixed window first */
export function drawIncident({ results, windows, askedEverySeconds }: IncidentReport): string {
  const [counterExample, ours] = results;
  if (counterExample === undefined || ours === undefined) {
    throw new TypeError('The picture needs add-then-compare and the fixed window.');
  }
  const end = windows * SECONDS_PER_HOUR;
  return lineChart({
    title: `A page is refused, and asks again every ${askedEverySeconds} seconds`,
    subtitle: `It may have ${LIMIT} an hour. What the server has counted:`,
    x: { end, spans: Array.from({ length: windows }, (_, index) => `hour ${index + 1}`) },
    panels: [
      {
        ...panel(counterExample),
        title: 'Add, then compare:',
        note: 'refusals count, so it never opens again',
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
        note: 'it opens every hour',
        tone: 'good',
        height: 100,
        top: LIMIT * 1.2,
        callout: { text: `never above ${ours.highestCounter}`, x: end / 2, y: LIMIT * 0.4 },
      },
    ],
  });
}

function panel({ counter, admittedPerWindow }: ContenderResult): Pick<LinePanel, 'points' | 'mark' | 'cells'> {
  return {
    points: counter,
    mark: { y: LIMIT, label: `limit ${LIMIT}` },
    cells: admittedPerWindow.map((admitted) => ({
      text: `${admitted} let in`,
      tone: admitted === 0 ? 'bad' : 'good',
    })),
  };
}
