/** The failures' format on the control route. A setting that does not belong to the mode is an error. */
import { parseJsonObject } from '../../http/json-object.ts';
import type { Failure } from './failures.ts';

interface Setting {
  /** Completes the sentence `"times" must be …`. */
  readonly rule: string;
  readonly allows: (value: unknown) => boolean;
}

type Settings = Readonly<Record<string, Setting>>;

const SCOPE = {
  times: wholeNumber(1, Number.MAX_SAFE_INTEGER),
  function: { rule: 'the name of a function', allows: (value) => typeof value === 'string' },
} satisfies Settings;
/** Longer than an event can stay in the queue, so that one can also come too late. */
const DELAY_MS = wholeNumber(0, 30_000_000);

const SETTINGS: Readonly<Record<Failure['mode'], Settings>> = {
  ok: {},
  throttled: SCOPE,
  access_denied: SCOPE,
  server_error: SCOPE,
  disconnect: SCOPE,
  lost_answer: SCOPE,
  duplicate: { ...SCOPE, copies: wholeNumber(2, 100), delayMs: DELAY_MS },
  lose: SCOPE,
  delay: { ...SCOPE, delayMs: DELAY_MS },
  crash: { ...SCOPE, afterMs: wholeNumber(0, 900_000) },
};

/** @returns the failure, or an error message */
export function parseFailure(json: string): { readonly failure: Failure } | { readonly complaint: string } {
  const { mode, ...settings } = parseJsonObject(json) ?? {};
  if (typeof mode !== 'string' || !Object.hasOwn(SETTINGS, mode)) {
    return { complaint: `"mode" must be one of ${Object.keys(SETTINGS).join(', ')}.` };
  }
  const known = new Map(Object.entries(SETTINGS[mode as Failure['mode']]));
  for (const [name, value] of Object.entries(settings)) {
    const setting = known.get(name);
    if (setting === undefined) {
      return { complaint: `"${name}" is not a setting of the mode ${mode}.` };
    }
    if (!setting.allows(value)) {
      return { complaint: `"${name}" must be ${setting.rule}.` };
    }
  }
  return mode === 'delay' && settings['delayMs'] === undefined
    ? { complaint: 'The mode delay needs "delayMs".' }
    : { failure: { mode, ...settings } as Failure };
}

function wholeNumber(least: number, most: number): Setting {
  return {
    rule: `a whole number from ${least} to ${most}`,
    allows: (value) => Number.isInteger(value) && Number(value) >= least && Number(value) <= most,
  };
}
