/** Finds the clients that retry without jitter, in connection logs of any size: what `analyze-retries` does, for programs. */

export type { Analysis, AnalyzeOptions, Log, LogReport, ProgressOfLog } from './analyze.ts';
export { analyze } from './analyze.ts';
export type { CoreAssessment, Observed, RiskLevel } from './core-rule.ts';
export { assess, DEFAULT_THRESHOLD, RISK_LEVELS } from './core-rule.ts';
export type { EventBatch, EventType } from './event.ts';
export { EVENT_TYPES } from './event.ts';
export type { Fleet } from './fleet.ts';
export { createFleet } from './fleet.ts';
export type { FleetOptions } from './fleet-options.ts';
export { formatHtml } from './format-html.ts';
export { formatJson } from './format-json.ts';
export { formatTable } from './format-table.ts';
export { InputError } from './input-error.ts';
export type { Problem } from './problem.ts';
export type { ClientReport, FleetReport } from './report.ts';
