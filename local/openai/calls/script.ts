/** The scripts for calls to the OpenAI stand-in, and their format on the control route. */

import { parseJsonObject } from '../../http/json-object.ts';

/** How calls are answered from now on. A call with an invalid key is refused with 401 in any case. */
export type CallScript = {
  /** For this number of calls, then `ok` again. Without it, until the next script. */
  readonly times?: number;
} & (
  | { readonly mode: 'ok' }
  /** Opens, then breaks the connection, by default at once. Over WebRTC, the browser sees its data channel close. */
  | { readonly mode: 'drop'; readonly afterMs?: number }
  /** Opens, then sends nothing more, like a pulled cable. Chromium reports `disconnected` 7 s later. */
  | { readonly mode: 'vanish'; readonly afterMs?: number }
  /** Opens, sends `session_expired` and closes. */
  | { readonly mode: 'expire'; readonly afterMs?: number }
  /** Answers with an HTTP status. @default 503 */
  | { readonly mode: 'refuse'; readonly status?: number }
  /** Opens, but sends nothing: `session.created` never arrives. */
  | { readonly mode: 'stall' }
);

/** The actions of the control route. Each applies to all open calls. */
export const CALL_ACTIONS = ['drop', 'vanish', 'expire'] as const;
export type CallAction = (typeof CALL_ACTIONS)[number];

const TIMES = { least: 1, most: Number.MAX_SAFE_INTEGER };
const AFTER_MS = { least: 0, most: 600_000 };
const SETTINGS: Readonly<Record<CallScript['mode'], Readonly<Record<string, { least: number; most: number }>>>> = {
  ok: { times: TIMES },
  drop: { times: TIMES, afterMs: AFTER_MS },
  vanish: { times: TIMES, afterMs: AFTER_MS },
  expire: { times: TIMES, afterMs: AFTER_MS },
  refuse: { times: TIMES, status: { least: 400, most: 599 } },
  stall: { times: TIMES },
};

/** @returns the script, or an error message */
export function parseCallScript(json: string): { readonly script: CallScript } | { readonly complaint: string } {
  const { mode, ...settings } = parseJsonObject(json) ?? {};
  if (typeof mode !== 'string' || !Object.hasOwn(SETTINGS, mode)) {
    return { complaint: `"mode" must be one of ${Object.keys(SETTINGS).join(', ')}.` };
  }
  const known = SETTINGS[mode as CallScript['mode']];
  for (const [name, value] of Object.entries(settings)) {
    const range = Object.hasOwn(known, name) ? known[name] : undefined;
    if (range === undefined) {
      return { complaint: `"${name}" is not a setting of the mode ${mode}.` };
    }
    if (!Number.isInteger(value) || Number(value) < range.least || Number(value) > range.most) {
      return { complaint: `"${name}" must be a whole number from ${range.least} to ${range.most}.` };
    }
  }
  return { script: { mode, ...settings } as CallScript };
}

/** @returns the action in `{"action":"drop"}` */
export function parseCallAction(json: string): CallAction | undefined {
  const action = parseJsonObject(json)?.['action'];
  return CALL_ACTIONS.find((known) => known === action);
}
