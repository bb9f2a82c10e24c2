/**
 * How much the proofs do: a share of it in `npm test`, all of it in `npm run test:long`.
 */
import { env } from 'node:process';

export const isLong = env['PROOFS'] === 'long';

/** For a test's name and its loop alike, so that what a run has shown can be read in its report. */
export function shortOrLong(short: number, long: number): number {
  return isLong ? long : short;
}
