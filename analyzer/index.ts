/**
 * The programming interface of `analyze-retries`: find the clients that retry without jitter, in connection logs of any size.
 *
 * @module ephemeral-key-issuer/analyzer
 */

export type { AnalyzeOptions, Log, ProgressOfLog } from './analyze.ts';
export { analyze } from './analyze.ts';
export type { Fleet } from './fleet.ts';
export { createFleet } from './fleet.ts';
export type { FleetOptions } from './fleet-options.ts';
export { InputError } from './input/input-error.ts';
export type { EventBatch, EventType } from './parsing/event.ts';
export { EVENT_TYPES } from './parsing/event.ts';
export type { Problem } from './parsing/problem.ts';
export type { CoreAssessment, Observed, RiskLevel } from './patterns/core-rule.ts';
export { assess, DEFAULT_THRESHOLD, RISK_LEVELS } from './patterns/core-rule.ts';
export type { Pattern } from './patterns/retry-pattern.ts';
export { formatHtml } from './report/format-html.ts';
export { formatJson } from './report/format-json.ts';
export { formatTable, type TableOptions } from './report/format-table.ts';
export type {
  Analysis,
  ClientReport,
  ClientReports,
  ClientTimeline,
  FleetReport,
  FleetView,
  LeftOut,
  LogReport,
  PrefixReport,
  Timeline,
} from './report/report.ts';
export type { IntervalBar } from './statistics/interval-histogram.ts';
export type { Synchronisation } from './statistics/synchronisation.ts';
