/** The scopes of the limits: each visitor separately, and all visitors together. */
import type { Configuration } from '../../contract/configuration.ts';
import type { Policy, Scope } from '../../limiter/index.ts';

/** The scopes' names in the RateLimit headers and in the table's keys. */
export const CLIENT_SCOPE = 'client';
export const GLOBAL_SCOPE = 'global';

type Limits = Pick<Configuration<readonly Policy[]>, 'clientLimits' | 'globalLimits'>;

export function clientScope({ clientLimits }: Limits): Scope {
  return { name: CLIENT_SCOPE, policies: clientLimits, counts: 'each' };
}

export function globalScope({ globalLimits }: Limits): Scope {
  return { name: GLOBAL_SCOPE, policies: globalLimits, counts: 'all' };
}
