/** What the OpenAI stand-in can be told about calls, and the grammar of it on the control route. */

import { parseJsonObject } from '../../http/json-object.ts';

/** How calls are answered from now on. One whose key is wrong is refused with 401 whatever this says. */
export type CallScript = {
  /** For so many calls, and then `ok` again; absent: until told otherwise. */
  readonly times?: number;
} & (
  | { readonly mode: 'ok' }
  /** Opens, and the line breaks: by default at once. Over WebRTC the browser sees its data channel close. */
  | { readonly mode: 'drop'; readonly afterMs?: number }
  /** Opens, and falls silent without a word, as a pulled cable does. Chromium says `disconnected` 7 s later. */
  | { readonly mode: 'vanish'; readonly afterMs?: number }
  /** Opens, says `session_expired` and closes. */
  | { readonly mode: 'expire'; readonly afterMs?: number }
  /** An HTTP status instead of an answer. @default 503 */
  | { readonly mode: 'refuse'; readonly status?: number }
  /** Opens, and says nothing: `session.created` never comes. */
  | { readonly mode: 'stall' }
);

/** For all calls that are open now. */
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

/** @returns the script, or what is wrong with it as a sentence */
export function parseCallScript(json: string): { readonly script: CallScript } | { readonly complaint: string } {
  const { mode, ...settings } = parseJsonObject(json) ?? {};
  if (typeof mode !== 'string' || !Object.hasOwn(SETTINGS, mode)) {
    return { complaint: `"mode" must be one of ${Object.keys(SETTINGS).join(', ')}.` };
  }
  const known = SETTINGS[mode as CallScript['mode']];
  for (const [name, value] of Object.entries(settings)) {
    const range = Object.hasOwn(known, name) ? known[name] : undefined;
    if (range === undefined) {
      return { complaint: `"${name}" means nothing to the mode ${mode}.` };
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
