/** What the alarms and the function that obeys them (lambda/guard/handler.ts) agree on: its environment. */

export const GUARD_VARIABLES = {
  TABLE_NAME: 'the table with the kill switch',
  PAUSING_ALARMS: 'the names of the alarms that pause the issuer, separated by commas',
} as const;

export type GuardVariable = keyof typeof GUARD_VARIABLES;
