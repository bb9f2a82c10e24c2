/** A flood at the edge for a day: what CloudFront charges as it is, and what AWS WAF charges where it blocks all of it. */
import { markdownTable } from '../harness/markdown.ts';
import { dollars, dollarsFor } from './million.ts';
import { DAY_S } from './worst-day.ts';

/** Dollars for a million requests that it looks at. [aws.amazon.com/waf/pricing] */
const WAF_PER_MILLION = 0.6;
const FLOODS = [1_000, 10_000] as const;

export function renderEdge(): string {
  const rows = FLOODS.map((perSecond) => {
    const requests = perSecond * DAY_S;
    const waf = (requests / 1_000_000) * WAF_PER_MILLION;
    return [`${perSecond.toLocaleString('en')}/s`, dollars(dollarsFor('CloudFront', requests)), dollars(waf)];
  });
  return markdownTable([['all day', 'CloudFront, as deployed', 'with WAF, which blocks all of it'], ...rows]);
}
