/** Finds the clients that retry without jitter, in connection logs of any size: what `analyze-retries` does, for programs. */

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
export { formatHtml } from './report/format-html.ts';
export { formatJson } from './report/format-json.ts';
export { formatTable } from './report/format-table.ts';
export type { Analysis, ClientReport, FleetReport, LogReport } from './report/report.ts';
