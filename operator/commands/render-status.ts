/** Renders a status for people: is it paused, is it being abused, is it failing? Bars and sparklines only in a terminal. */
import type { Activity, BusyViewer } from '../activity/activity.ts';
import { messageLines } from '../output/message-lines.ts';
import { bar, count, type Look, moment, paint, plural, span, sparkline } from '../output/terminal-text.ts';
import type { Disagreement } from '../stack/disagreement.ts';
import type { Budget, StatusReport } from './status.ts';

const LABEL_WIDTH = 11;
const ACTIVITY_LABEL = 'Last 24 h';
const DAY_MS = 86_400_000;
/** The function does not run for these, so its log has no line. */
const NOT_INCLUDED = {
  aws: "Not included: requests rejected by Lambda's concurrency cap. They are not logged; see Throttles in CloudWatch.",
  local: 'Not included: requests rejected by the concurrency cap. They are not logged.',
};

export function renderStatus(report: StatusReport, look: Look): string {
  const { name, url, at, budget, activity, concurrency } = report;
  const notIncluded = NOT_INCLUDED[concurrency === undefined ? 'local' : 'aws'];
  const heading = paint(look, 'bold', `${name}${url === undefined || name.includes(url) ? '' : `, ${url}`}`);
  return [
    `${heading}  ${paint(look, 'dim', moment(at))}`,
    '',
    ...switchLines(report, look),
    ...(typeof budget === 'string'
      ? [row('Budget', paint(look, 'red', budget))]
      : budget.map((limit, index) => row(index === 0 ? 'Budget' : '', budgetLine(limit, at, look)))),
    '',
    ...(typeof activity === 'string' ? [row(ACTIVITY_LABEL, activity)] : activityLines(activity, notIncluded, look)),
  ].join('\n');
}

function switchLines(report: StatusReport, look: Look): string[] {
  const { switch: killSwitch, concurrency, disagreement } = report;
  return [
    ...stateLines(report, look),
    ...(concurrency !== undefined && 'unknown' in concurrency
      ? [
          row(
            '',
            `${killSwitch.hard ? 'Recorded as a hard pause' : 'Not recorded as a hard pause'}. ${concurrency.unknown}`,
          ),
        ]
      : []),
    ...(disagreement === undefined ? [] : disagreementLines(disagreement, look)),
  ];
}

/** Commands stay on one line, so that they can be copied. */
function disagreementLines({ says, mend, commands }: Disagreement, look: Look): string[] {
  return [
    row('Problem', paint(look, 'red', says)),
    row('', mend),
    ...commands.map((command) => row('', `  ${command}`)),
  ];
}

function stateLines({ switch: killSwitch, at, disagreement, budget }: StatusReport, look: Look): string[] {
  if (!killSwitch.paused) {
    const isWorking = disagreement === undefined && typeof budget !== 'string';
    return [row('Switch', isWorking ? paint(look, 'green', 'not paused: keys are issued') : 'not paused')];
  }
  const { since, by, message, hard } = killSwitch;
  const author = by === undefined ? '' : ` by ${by}`;
  const when = since === undefined ? '' : ` since ${moment(since * 1_000)} (${span(at - since * 1_000)})`;
  return [
    row('Switch', paint(look, 'red', `PAUSED${hard ? ' hard' : ''}${author}${when}`)),
    ...messageLines(message).map((line) => row('', line)),
  ];
}

function budgetLine(budget: Budget, at: number, look: Look): string {
  const share = (budget.capacity - budget.remaining) / budget.capacity;
  const figures = budgetText(budget, at);
  const colour = share >= 1 ? 'red' : 'yellow';
  const text = share >= 0.8 ? paint(look, colour, share >= 1 ? `${figures} (used up)` : figures) : figures;
  return look.pictures ? `${bar(share)}  ${text}` : text;
}

/** Each algorithm counts another period: the current window, the time before now, or the time since the bucket was full. */
function budgetText({ algorithm, capacity, remaining, limit, windowMs, resetAt }: Budget, at: number): string {
  const used = `${count(capacity - remaining)} of ${count(capacity)} keys used`;
  const left = span(Math.max(0, resetAt - at));
  const period = windowMs === DAY_MS ? '24 hours' : span(windowMs).replace(/^1 /, '');
  switch (algorithm) {
    case 'fixed':
      return `${used} ${windowMs === DAY_MS ? 'today' : `in the current window of ${span(windowMs)}`}; resets in ${left}`;
    case 'sliding':
      return `${used} in the last ${period}${remaining === capacity ? '' : `; all available again in ${left}`}`;
    case 'bucket':
      return `${used}; refills with ${plural(limit, 'key')} every ${period}${remaining === capacity ? '' : `, full in ${left}`}`;
  }
}

function activityLines(activity: Activity, notIncluded: string, look: Look): string[] {
  const { keys, requests, keysPerHour, refusals, refusalsPerHour, failures, busiest } = activity;
  const line = (numbers: readonly number[]) => (look.pictures ? `${sparkline(numbers)}  ` : '');
  const refused = Object.values(refusals).reduce((sum, each) => sum + each, 0);
  const failed = Object.values(failures).reduce((sum, each) => sum + each, 0);
  return [
    row(ACTIVITY_LABEL, `${plural(requests, 'request')}, by hour`),
    row('Keys', `${line(keysPerHour)}${count(keys)}`),
    row('Refused', `${line(refusalsPerHour)}${count(refused)}`),
    ...byCode(refusals, refused, look),
    row('', paint(look, 'dim', notIncluded)),
    row('Failed', paint(look, failed === 0 ? 'green' : 'red', failed === 0 ? 'none' : count(failed))),
    ...byCode(failures, failed, look),
    ...(busiest.length === 0 ? [] : ['', row('Busiest', 'viewers, by pseudonym')]),
    ...busiest.map((viewer) => row('', viewerLine(viewer, busiest[0]?.requests ?? 1, look))),
  ];
}

function byCode(codes: Readonly<Record<string, number>>, all: number, look: Look): string[] {
  return Object.entries(codes).map(([code, number]) =>
    row('', `${look.pictures ? `${bar(number / all)}  ` : ''}${code} ${count(number)}`),
  );
}

function viewerLine({ viewer, requests, keys }: BusyViewer, most: number, look: Look): string {
  const figures = `${viewer}  ${plural(requests, 'request')}, ${plural(keys, 'key')}`;
  return look.pictures ? `${bar(requests / most)}  ${figures}` : figures;
}

/** Further lines of the text begin below its first one. */
function row(label: string, text: string): string {
  return `  ${label.padEnd(LABEL_WIDTH)}${text.replaceAll('\n', `\n${' '.repeat(LABEL_WIDTH + 2)}`)}`;
}
