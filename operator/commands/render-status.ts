/** Renders a status for people: is it paused, is it being abused, is it failing? Bars and sparklines only in a terminal. */
import type { LimitState } from '../../limiter/index.ts';
import type { Activity, BusyViewer } from '../activity/activity.ts';
import { bar, count, type Look, moment, paint, plural, span, sparkline } from '../output/terminal-text.ts';
import type { Disagreement } from '../stack/concurrency.ts';
import type { StatusReport } from './status.ts';

const LABEL_WIDTH = 11;
const ACTIVITY_LABEL = 'Last 24 h';
const DAY_MS = 86_400_000;
/** The function does not run for these, so its log has no line. */
const NOT_INCLUDED =
  "Not included: requests rejected by Lambda's concurrency cap. They are not logged; see Throttles on the dashboard.";

export function renderStatus(report: StatusReport, look: Look): string {
  const { name, url, at, budget, activity } = report;
  const heading = paint(look, 'bold', `${name}${url === undefined || name.includes(url) ? '' : `, ${url}`}`);
  return [
    `${heading}  ${paint(look, 'dim', moment(at))}`,
    '',
    ...switchLines(report, look),
    ...budget.map((limit, index) => row(index === 0 ? 'Budget' : '', budgetLine(limit, at, look))),
    '',
    ...(typeof activity === 'string' ? [row(ACTIVITY_LABEL, activity)] : activityLines(activity, look)),
  ].join('\n');
}

function switchLines({ switch: killSwitch, at, concurrency, disagreement }: StatusReport, look: Look): string[] {
  return [
    ...stateLines(killSwitch, at, look),
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

function stateLines(killSwitch: StatusReport['switch'], at: number, look: Look): string[] {
  if (!killSwitch.paused) {
    return [row('Switch', paint(look, 'green', 'not paused: keys are issued'))];
  }
  const { since, by, message, hard } = killSwitch;
  const author = by === undefined ? '' : ` by ${by}`;
  const when = since === undefined ? '' : ` since ${moment(since * 1_000)} (${span(at - since * 1_000)})`;
  const messages = Object.entries(message).filter(([, text]) => text !== undefined);
  return [
    row('Switch', paint(look, 'red', `PAUSED${hard ? ' hard' : ''}${author}${when}`)),
    ...messages.map(([language, text]) => row('', `${language}: ${text}`)),
  ];
}

function budgetLine({ limit, remaining, windowMs, resetAt }: LimitState, at: number, look: Look): string {
  const used = limit - remaining;
  const share = used / limit;
  const period = windowMs === DAY_MS ? 'today' : `in ${span(windowMs)}`;
  const figures = `${count(used)} of ${count(limit)} keys used ${period}; resets in ${span(Math.max(0, resetAt - at))}`;
  const colour = share >= 1 ? 'red' : 'yellow';
  const text = share >= 0.8 ? paint(look, colour, share >= 1 ? `${figures} (used up)` : figures) : figures;
  return look.pictures ? `${bar(share)}  ${text}` : text;
}

function activityLines(activity: Activity, look: Look): string[] {
  const { keys, requests, keysPerHour, refusals, refusalsPerHour, failures, busiest } = activity;
  const line = (numbers: readonly number[]) => (look.pictures ? `${sparkline(numbers)}  ` : '');
  const refused = Object.values(refusals).reduce((sum, each) => sum + each, 0);
  const failed = Object.values(failures).reduce((sum, each) => sum + each, 0);
  return [
    row(ACTIVITY_LABEL, `${plural(requests, 'request')}, by hour`),
    row('Keys', `${line(keysPerHour)}${count(keys)}`),
    row('Refused', `${line(refusalsPerHour)}${count(refused)}`),
    ...byCode(refusals, refused, look),
    row('', paint(look, 'dim', NOT_INCLUDED)),
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

function row(label: string, text: string): string {
  return `  ${label.padEnd(LABEL_WIDTH)}${text}`;
}
