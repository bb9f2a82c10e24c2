/** Whom the limits count: each visitor by itself, and everybody together. The function reserves in them; operators look. */
import type { Configuration } from '../../contract/configuration.ts';
import type { Policy, Scope } from '../../limiter/index.ts';

/** The scopes' names, as the RateLimit headers and the table's keys spell them. */
export const CLIENT_SCOPE = 'client';
export const GLOBAL_SCOPE = 'global';

type Limits = Pick<Configuration<readonly Policy[]>, 'clientLimits' | 'globalLimits'>;

export function clientScope({ clientLimits }: Limits): Scope {
  return { name: CLIENT_SCOPE, policies: clientLimits, counts: 'each' };
}

export function globalScope({ globalLimits }: Limits): Scope {
  return { name: GLOBAL_SCOPE, policies: globalLimits, counts: 'all' };
}
