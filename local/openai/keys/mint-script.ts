/**
 * The scripts for key requests to the OpenAI stand-in, and their format on the control route. A setting that does not belong to
 * the mode is an error.
 */

import { parseJsonObject } from '../../http/json-object.ts';
import { MODES, type Mode } from './mint-failures.ts';

/** How requests are answered from now on. An invalid request is refused in any case. */
export type Script = {
  /** For this number of requests, then `ok` again. Without it, until the next script. */
  readonly times?: number;
  /** Sent with every response: `retry-after`, `retry-after-ms`, `x-ratelimit-reset-requests`, … */
  readonly headers?: Readonly<Record<string, string>>;
} & (
  | { readonly mode: 'server_error'; readonly status?: 500 | 501 | 502 | 503 | 504 }
  | { readonly mode: 'slow'; readonly delayMs?: number }
  | { readonly mode: Exclude<Mode, 'server_error' | 'slow'> }
);

interface Setting {
  /** Completes the sentence `"times" must be …`. */
  readonly rule: string;
  readonly allows: (value: unknown) => boolean;
  readonly onlyFor?: Mode;
}

const SETTINGS: ReadonlyMap<string, Setting> = new Map<string, Setting>([
  ['times', { rule: 'a whole number from 1', allows: wholeNumber(1, Number.MAX_SAFE_INTEGER) }],
  ['headers', { rule: 'an object of header names and their texts', allows: areHeaders }],
  ['status', { rule: 'a whole number from 500 to 504', allows: wholeNumber(500, 504), onlyFor: 'server_error' }],
  ['delayMs', { rule: 'a whole number from 0 to 600000', allows: wholeNumber(0, 600_000), onlyFor: 'slow' }],
]);

/** @returns the script, or an error message that lists the modes */
export function parseScript(json: string): { readonly script: Script } | { readonly complaint: string } {
  const body = parseJsonObject(json) ?? {};
  const complaint = complaintAbout(body);
  return complaint === undefined
    ? { script: body as Script }
    : { complaint: `${complaint} The modes are ${Object.keys(MODES).join(', ')}.` };
}

function complaintAbout({ mode, ...settings }: Record<string, unknown>): string | undefined {
  if (typeof mode !== 'string' || !Object.hasOwn(MODES, mode)) {
    return 'The body must be a JSON object whose "mode" is one of the modes, such as {"mode":"hang"}.';
  }
  for (const [name, value] of Object.entries(settings)) {
    const setting = SETTINGS.get(name);
    if (setting === undefined || (setting.onlyFor ?? mode) !== mode) {
      return `"${name}" is not a setting of the mode ${mode}.`;
    }
    if (!setting.allows(value)) {
      return `"${name}" must be ${setting.rule}.`;
    }
  }
  return undefined;
}

function wholeNumber(least: number, most: number) {
  return (value: unknown) => Number.isInteger(value) && Number(value) >= least && Number(value) <= most;
}

function areHeaders(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) {
    return false;
  }
  try {
    new Headers(value as Record<string, string>);
    return Object.values(value).every((text) => typeof text === 'string');
  } catch {
    return false;
  }
}
