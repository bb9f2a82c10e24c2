/**
 * The check after a deployment: sends a running site the requests of a browser, of an attacker and of another site's page, and
 * reports the results. It uses two keys, at most four. If the first request gets no key, it requests no others. Start reading
 * here.
 */
import { BROWSER_TIMEOUT_MS } from '../../contract/times.ts';
import { type Advice, type Finding, fail, note } from '../output/finding.ts';
import { findLocalStack } from '../stack/local-stack.ts';
import { stackOutput } from './advice.ts';
import { judgeNoStore, judgeNotCached } from './caching.ts';
import { checkAllowedOrigin, checkForeignOrigin } from './cors.ts';
import { type CountingFindings, checkCounting } from './counting.ts';
import { judgeKey, requestKey } from './key.ts';
import { checkHttps, judgePage, judgeSecurityHeaders } from './page.ts';
import { judgeRateLimitHeaders } from './rate-limit.ts';
import { checkBodyHash, checkEmptyBodyHash, checkErrorBodies, checkFunctionUrl } from './refusals.ts';
import { createSite, holdsKey, isLoopback, type Reply, type Silence, type Site } from './site.ts';

export interface SmokeOptions {
  /** The origin of the site, without a path. */
  readonly url: URL;
  /** @default the one of the local stack, if `url` is a local stack */
  readonly functionUrl?: URL | undefined;
  /** One of ALLOWED_ORIGINS, to check CORS. */
  readonly origin?: string | undefined;
  /** For each request. @default the page's own timeout */
  readonly timeoutMs?: number | undefined;
  readonly fetch?: typeof fetch;
  readonly now?: () => number;
  /** Called after each check. */
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
  /** True if no check failed. Notes do not count. */
  readonly passed: boolean;
  readonly keysUsed: number;
  readonly checks: readonly Check[];
}

/** If the function answers one request with these, it answers others in the same way: one failure, not seven. */
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
    const check = { name, ...(isSameCause ? note(`Unknown: this response was ${cause} too.`) : finding) };
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
    add('page', unreachable(site, page));
    return report();
  }
  const pageFinding = judgePage(page);
  add('page', pageFinding);
  add('https', await checkHttps(site));
  add(
    'security-headers',
    pageFinding.result === 'fail' ? note('Not checked: there is no page.') : judgeSecurityHeaders(page),
  );

  const reply = await requestKey(site);
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
  const unchecked = note('Not checked: the first request got no key, so no more keys were requested.');
  return { counting: unchecked, forgedAddress: unchecked };
}

function unreachable({ url, isLocal }: Site, { reason, failed }: Silence): Finding {
  const advice = isLocal ? ADVICE.local : ADVICE[failed ?? 'other'];
  return fail(`No response from ${url.origin}: ${reason}. Nothing else was checked.`, advice);
}

const ADVICE: Readonly<Record<'local' | 'dns' | 'tls' | 'other', Advice>> = {
  local: {
    meaning: 'No local stack is running on this port.',
    mend: 'Start it. Its first line shows its URL:',
    commands: ['npm start'],
  },
  dns: {
    meaning: 'The name does not resolve, so visitors cannot reach the site, or the URL is incorrect.',
    mend: 'Check the URL with the first command. A custom domain needs a DNS record: the second command prints it, or nothing if the deployment created it. A new name takes a few minutes to resolve everywhere.',
    commands: [stackOutput('PageUrl'), stackOutput('DnsRecord')],
  },
  tls: {
    meaning: 'The server at this name has no valid certificate for it, so browsers show a warning instead of the page.',
    mend: 'If the name is new, deploy with domainName and certificateArn in cdk.json; the first command checks them. If it is deployed, the DNS record leads elsewhere: the last command prints where it must lead.',
    commands: ['npm run issuer -- doctor', 'npm run deploy', stackOutput('DnsRecord')],
  },
  other: {
    meaning: 'Visitors cannot reach the site, or the URL is incorrect.',
    mend: 'Check the URL with this command. The name of a new distribution takes a few minutes to resolve everywhere.',
    commands: [stackOutput('PageUrl')],
  },
};
