/**
 * The check after a deploy: asks a running site as a browser, a cheat and a passer-by would, and says in words what it
 * found. It costs two keys, four at most, and asks for no more if the first is refused. Start here.
 */
import { BROWSER_TIMEOUT_MS } from '../../contract/times.ts';
import { type Finding, fail, note } from '../output/finding.ts';
import { findLocalStack } from '../stack/local-stack.ts';
import { stackOutput } from './advice.ts';
import { judgeNoStore, judgeNotCached } from './caching.ts';
import { checkAllowedOrigin, checkForeignOrigin } from './cors.ts';
import { type CountingFindings, checkCounting } from './counting.ts';
import { askForKey, judgeKey } from './key.ts';
import { checkHttps, judgePage, judgeSecurityHeaders } from './page.ts';
import { judgeRateLimitHeaders } from './rate-limit.ts';
import { checkBodyHash, checkEmptyBodyHash, checkErrorBodies, checkFunctionUrl } from './refusals.ts';
import { createSite, holdsKey, isLoopback, type Reply, type Site } from './site.ts';

export interface SmokeOptions {
  /** Its origin, without a path. */
  readonly url: URL;
  /** @default that of the local stack, if `url` is one */
  readonly functionUrl?: URL | undefined;
  /** An origin of ALLOWED_ORIGINS to try. */
  readonly origin?: string | undefined;
  /** For each request. @default as long as a browser waits */
  readonly timeoutMs?: number | undefined;
  readonly fetch?: typeof fetch;
  readonly now?: () => number;
  /** Hears of each check as soon as it is made. */
  readonly onCheck?: (check: Check) => void;
}

export type CheckName =
  | 'page'
  | 'https'
  | 'security-headers'
  | 'key'
  | 'counting'
  | 'forged-address'
  | 'body-hash'
  | 'empty-body-hash'
  | 'function-url'
  | 'foreign-origin'
  | 'allowed-origin'
  | 'error-bodies'
  | 'rate-limit-headers'
  | 'no-store'
  | 'not-cached';

export type Check = { readonly name: CheckName } & Finding;

export interface SmokeReport {
  readonly url: string;
  /** Nothing failed. Notes do not count. */
  readonly passed: boolean;
  readonly keysUsed: number;
  readonly checks: readonly Check[];
}

/** A function that answers so to one request answers so to others: that is one failure, not seven. */
const COMMON_CAUSES: readonly (string | undefined)[] = ['misconfigured', 'internal'];

export async function runSmoke(options: SmokeOptions): Promise<SmokeReport> {
  const { url, origin, timeoutMs = BROWSER_TIMEOUT_MS, fetch = globalThis.fetch, now = Date.now, onCheck } = options;
  const local = isLoopback(url) ? await findLocalStack(url.port) : undefined;
  const functionUrl = options.functionUrl ?? (local && URL.parse(local.function)) ?? undefined;
  const site = createSite({ url, fetch, timeoutMs, now });
  const checks: Check[] = [];
  let cause: string | undefined;

  function add(name: CheckName, finding: Finding): void {
    const isSameCause = finding.result === 'fail' && finding.code !== undefined && finding.code === cause;
    const check = { name, ...(isSameCause ? note(`Not known: this too was answered with ${cause}.`) : finding) };
    checks.push(check);
    onCheck?.(check);
  }
  const report = (): SmokeReport => ({
    url: url.origin,
    passed: checks.every(({ result }) => result !== 'fail'),
    keysUsed: site.keysUsed(),
    checks,
  });

  const page = await site.ask({ method: 'GET', path: '/' });
  if (page.kind === 'silence') {
    add('page', unreachable(site, page.reason));
    return report();
  }
  const pageFinding = judgePage(page);
  add('page', pageFinding);
  add('https', await checkHttps(site));
  add(
    'security-headers',
    pageFinding.result === 'fail'
      ? note('Not checked: there is no page that could carry them.')
      : judgeSecurityHeaders(page),
  );

  const reply = await askForKey(site);
  const key = judgeKey(reply, local?.log);
  add('key', key);
  cause = key.result === 'fail' && COMMON_CAUSES.includes(key.code) ? key.code : undefined;
  const { counting, forgedAddress } = await countingAfter(reply, site);
  add('counting', counting);
  add('forged-address', forgedAddress);

  add('body-hash', await checkBodyHash(site));
  add('empty-body-hash', await checkEmptyBodyHash(site));
  add('function-url', await checkFunctionUrl(site, functionUrl));
  add('foreign-origin', await checkForeignOrigin(site));
  add('allowed-origin', await checkAllowedOrigin(site, origin));
  add('error-bodies', await checkErrorBodies(site));

  const answers = site.apiAnswers();
  add('rate-limit-headers', judgeRateLimitHeaders(answers));
  add('no-store', judgeNoStore(answers));
  add('not-cached', judgeNotCached(answers));
  return report();
}

async function countingAfter(reply: Reply, site: Site): Promise<CountingFindings> {
  if (reply.kind === 'answer' && holdsKey(reply)) {
    return await checkCounting(site, reply);
  }
  const unchecked = note('Not checked: no key came, so no more were asked for.');
  return { counting: unchecked, forgedAddress: unchecked };
}

function unreachable({ url, isLocal }: Site, reason: string): Finding {
  return fail(`Nothing answers at ${url.origin}: ${reason}. Nothing else was checked.`, {
    meaning: isLocal ? 'No local stack runs on this port.' : 'Visitors cannot reach the site, or it is another URL.',
    mend: isLocal
      ? 'Start it, and see in its first line where it is:'
      : 'This prints the right URL. A new distribution takes a few minutes until its name is known everywhere.',
    commands: [isLocal ? 'npm start' : stackOutput('PageUrl')],
  });
}
