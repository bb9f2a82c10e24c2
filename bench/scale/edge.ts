/** The cost of a flood for a day: of CloudFront as deployed, and of AWS WAF if it blocks every request. */
import { markdownTable } from '../harness/markdown.ts';
import { dollars, dollarsFor } from './million.ts';
import { DAY_S } from './worst-day.ts';

/** Dollars for a million inspected requests. [aws.amazon.com/waf/pricing] */
const WAF_PER_MILLION = 0.6;
const FLOODS = [1_000, 10_000] as const;

export function renderEdge(): string {
  const rows = FLOODS.map((perSecond) => {
    const requests = perSecond * DAY_S;
    const waf = (requests / 1_000_000) * WAF_PER_MILLION;
    return [`${perSecond.toLocaleString('en')}/s`, dollars(dollarsFor('CloudFront', requests)), dollars(waf)];
  });
  return markdownTable([['flood for a day', 'CloudFront, as deployed', 'WAF, if it blocks every request'], ...rows]);
}
