/** The environment variables of the function that alarms invoke (lambda/guard/handler.ts). */

export const GUARD_VARIABLES = {
  TABLE_NAME: 'the table with the kill switch',
  PAUSING_ALARMS: 'the names of the alarms that pause the issuer, separated by commas',
} as const;

export type GuardVariable = keyof typeof GUARD_VARIABLES;
