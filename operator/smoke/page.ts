/** Checks that the page is served, only over HTTPS, and with its security headers. */
import { pageHeaders, SECURITY_HEADERS } from '../../contract/security-headers.ts';
import { type Finding, fail, note, pass } from '../output/finding.ts';
import { stackOutput } from './advice.ts';
import { type Answer, described, problemCode, type Site, shown } from './site.ts';

const WANTED_HEADERS = [...Object.keys(SECURITY_HEADERS), ...Object.keys(pageHeaders('https://api.openai.com/v1'))];

export function judgePage(answer: Answer): Finding {
  const { status, mediaType, text } = answer;
  if (status === 200 && mediaType === 'text/html' && /<html/i.test(text)) {
    return pass('The page is served at / as HTML.');
  }
  if (problemCode(answer) === 'not_found') {
    return note('This site has no page: the function answers at /. This is expected with "page": false.');
  }
  return fail(`There is no page at /: the response is ${described(answer)}.`, {
    meaning: 'Visitors see an error instead of the demo.',
    mend: 'Check the URL with the first command. If it is correct, deploy again, which also copies the page:',
    commands: [stackOutput('PageUrl'), 'npm run deploy'],
  });
}

export async function checkHttps(site: Site): Promise<Finding> {
  if (site.isLocal) {
    return note('Not checked: a local stack has no HTTPS.');
  }
  const unencrypted = `http://${site.url.hostname}/`;
  const reply = await site.ask({ method: 'GET', path: unencrypted });
  if (reply.kind === 'silence') {
    return pass(`The page is served over HTTPS, and ${unencrypted} does not answer.`);
  }
  const location = reply.headers.get('location') ?? '';
  const isRedirected =
    [301, 302, 307, 308].includes(reply.status) && URL.parse(location, unencrypted)?.origin === site.url.origin;
  return isRedirected
    ? pass('The page is served over HTTPS, and http:// redirects to it.')
    : fail(`${unencrypted} does not redirect to https: the response is ${described(reply)} ${shown(location)}.`, {
        meaning:
          'Without HTTPS, browsers give a page no access to the microphone, and any network on the way can change the page.',
        mend: "Set the viewer protocol policy of the page's behavior to redirect-to-https, as lib/edge/page.ts does, and deploy:",
        commands: ['npm run deploy'],
      });
}

export function judgeSecurityHeaders({ headers }: Answer): Finding {
  const missing = WANTED_HEADERS.filter((name) => !headers.has(name));
  if (missing.length === 0) {
    return pass(`The page has ${WANTED_HEADERS.join(', ')}.`);
  }
  return fail(`The page lacks ${missing.join(', ')}.`, {
    meaning:
      'Another site could embed this page in a frame and trick visitors into starting a call, and an injected script could send keys to an attacker.',
    mend: "The page's behavior has no response headers policy. If the page and the distribution are your own, add these headers there. Otherwise, deploy again:",
    commands: ['npm run deploy'],
  });
}
