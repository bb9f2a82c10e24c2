/** The page: that it is there, that nobody gets it in the clear, and that the edge sends its security headers. */
import { pageHeaders, SECURITY_HEADERS } from '../../contract/security-headers.ts';
import { type Finding, fail, note, pass } from '../output/finding.ts';
import { stackOutput } from './advice.ts';
import { type Answer, described, problemCode, type Site, shown } from './site.ts';

const WANTED_HEADERS = [...Object.keys(SECURITY_HEADERS), ...Object.keys(pageHeaders('https://api.openai.com/v1'))];

export function judgePage(answer: Answer): Finding {
  const { status, mediaType, text } = answer;
  if (status === 200 && mediaType === 'text/html' && /<html/i.test(text)) {
    return pass('The page answers at / with HTML.');
  }
  if (problemCode(answer) === 'not_found') {
    return note('No page is served here: / is answered by the function. That is so with "page": false.');
  }
  return fail(`At / there is no page: the answer is ${described(answer)}.`, {
    meaning: 'Visitors see an error instead of the demo.',
    mend: 'Is it the right URL? This prints it. If it is right, deploy again: that also copies the page.',
    commands: [stackOutput('PageUrl'), 'npm run deploy'],
  });
}

export async function checkHttps(site: Site): Promise<Finding> {
  if (site.isLocal) {
    return note('Not checked on this machine: a local stack has no HTTPS.');
  }
  const inTheClear = `http://${site.url.hostname}/`;
  const reply = await site.ask({ method: 'GET', path: inTheClear });
  if (reply.kind === 'silence') {
    return pass(`The page comes over HTTPS, and nothing answers at ${inTheClear}.`);
  }
  const location = reply.headers.get('location') ?? '';
  const isRedirected =
    [301, 302, 307, 308].includes(reply.status) && URL.parse(location, inTheClear)?.origin === site.url.origin;
  return isRedirected
    ? pass('The page comes over HTTPS, and http:// is redirected there.')
    : fail(`${inTheClear} does not redirect to https: the answer is ${described(reply)} ${shown(location)}.`, {
        meaning: 'Browsers give a page no microphone without HTTPS, and a network in between can change the page.',
        mend: "Set the page behavior's viewer protocol policy to redirect-to-https, as lib/edge/page.ts does.",
        commands: ['npm run deploy'],
      });
}

export function judgeSecurityHeaders({ headers }: Answer): Finding {
  const missing = WANTED_HEADERS.filter((name) => !headers.has(name));
  if (missing.length === 0) {
    return pass(`The page carries ${WANTED_HEADERS.join(', ')}.`);
  }
  return fail(`The page lacks ${missing.join(', ')}.`, {
    meaning:
      'Another site could lay this page into a frame and have visitors press "call" there, and a script that got in could send keys away.',
    mend: 'The page behavior lost its response headers policy. With a page and a distribution of your own, add these headers there; else:',
    commands: ['npm run deploy'],
  });
}
