/**
 * The size of the proofs: a part of the cases in `npm test`, all of them in `npm run test:long`.
 */
import { env } from 'node:process';

export const isLong = env['PROOFS'] === 'long';

/** Use it both in the name of a test and in its loop, so that the report shows how many cases were run. */
export function shortOrLong(short: number, long: number): number {
  return isLong ? long : short;
}
