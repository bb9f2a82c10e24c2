/**
 * What must be refused, and by whom. Each request here is one that the function itself would refuse before it asks the
 * limiter, so that none of them costs a key, even where a guard in front of the function is missing.
 */
import {
  ALLOWED_METHODS,
  BODY_HASH_HEADER,
  EMPTY_BODY_SHA256,
  IDEMPOTENCY_KEY_HEADER,
  SESSION_PATH,
} from '../../contract/endpoint.ts';
import { PROBLEMS, type ProblemCode } from '../../contract/problems.ts';
import { type Finding, fail, note, pass } from '../output/finding.ts';
import { stackOutput } from './advice.ts';
import { type Asking, described, isRefusedByAws, problemCode, type Reply, type Site } from './site.ts';

/** Too short: the function looks at it after path, method, origin and body. */
export const UNSERVABLE = { [IDEMPOTENCY_KEY_HEADER]: 'smoke' };

const A_BODY = 'x';
const SHA256_OF_A_BODY = '2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881';

const SHOW_AND_MEND_AUTH = [
  `aws lambda get-function-url-config --function-name "$(${stackOutput('FunctionName')})" --query AuthType`,
  'npm run deploy',
];

/** For a body that is not empty, AWS documents what happens: the signature covers the hash, and Lambda compares. */
export async function checkBodyHash(site: Site): Promise<Finding> {
  const reply = await site.ask({
    method: 'POST',
    path: SESSION_PATH,
    headers: { [BODY_HASH_HEADER]: EMPTY_BODY_SHA256 },
    body: A_BODY,
  });
  if (isRefusedByAws(reply)) {
    return pass('A body that is not what its hash says is refused before the function runs.');
  }
  // Without the code: even a function that answers misconfigured to everything has no business answering this.
  return fail(`A body that is not what its hash says was not refused by AWS: the answer is ${described(reply)}.`, {
    meaning: 'The function runs for requests whose signature does not hold: perhaps its URL is open to everybody.',
    mend: 'The Function URL must have the auth type AWS_IAM, and the distribution origin access control. The first command shows the type; a deploy sets both.',
    commands: SHOW_AND_MEND_AUTH,
  });
}

/** For an empty body AWS documents nothing, and either way is harmless: as seen. */
export async function checkEmptyBodyHash(site: Site): Promise<Finding> {
  const ask = async (hash: Readonly<Record<string, string>>) =>
    await site.ask({ method: 'POST', path: SESSION_PATH, headers: { ...UNSERVABLE, ...hash } });
  const missing = await ask({});
  const wrong = await ask({ [BODY_HASH_HEADER]: SHA256_OF_A_BODY });
  if (isRefusedByAws(missing) && isRefusedByAws(wrong)) {
    return pass(
      'An empty POST without the hash of its body, or with another one, is refused before the function runs.',
    );
  }
  return note(
    `As seen: an empty POST without the hash of its body ${fate(missing)}, with another one ${fate(wrong)}. ` +
      'AWS documents only bodies that are not empty. Nothing is at risk; the page always sends the right hash.',
  );
}

function fate(reply: Reply): string {
  if (isRefusedByAws(reply)) {
    return 'is refused by AWS';
  }
  return problemCode(reply) === undefined ? `gets ${described(reply)}` : 'reaches the function';
}

/** @param functionUrl undefined: not known */
export async function checkFunctionUrl(site: Site, functionUrl: URL | undefined): Promise<Finding> {
  if (functionUrl === undefined) {
    return note(
      'Not checked: give its address with --function-url. On AWS this prints it:',
      stackOutput('FunctionUrl'),
    );
  }
  const reply = await site.ask({
    method: 'POST',
    path: new URL(SESSION_PATH, functionUrl).href,
    headers: { ...UNSERVABLE, [BODY_HASH_HEADER]: EMPTY_BODY_SHA256 },
  });
  if (isRefusedByAws(reply)) {
    return pass('The Function URL refuses a call that does not come through the edge.');
  }
  return fail(`The Function URL does not refuse a direct call: the answer is ${described(reply)}.`, {
    meaning:
      'If the function ran: whoever finds this address goes around the edge, says of himself where he calls from, and gets a key for each address that he invents.',
    mend: 'If it is the right address, its auth type must be AWS_IAM. The first command shows it; a deploy sets it.',
    commands: SHOW_AND_MEND_AUTH,
  });
}

interface Expected {
  readonly asking: Asking;
  readonly code: ProblemCode;
  readonly headers: Readonly<Record<string, string>>;
}

/** What a mistyped request hears. A distribution's error page rule would turn exactly these into HTML. */
const ERRORS: readonly Expected[] = [
  {
    asking: { method: 'GET', path: SESSION_PATH },
    code: 'method_not_allowed',
    headers: { allow: ALLOWED_METHODS.join(', ') },
  },
  { asking: { method: 'GET', path: `${SESSION_PATH}/smoke` }, code: 'not_found', headers: {} },
];

export async function checkErrorBodies(site: Site): Promise<Finding> {
  for (const { asking, code, headers } of ERRORS) {
    const reply = await site.ask(asking);
    const { status } = PROBLEMS[code];
    const isRight =
      reply.kind === 'answer' &&
      reply.status === status &&
      problemCode(reply) === code &&
      Object.entries(headers).every(([name, value]) => reply.headers.get(name) === value);
    if (!isRight) {
      const wanted = [`${status} (${code})`, ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`)];
      return fail(
        `${asking.method} ${asking.path} should be answered with ${wanted.join(', ')}, and the answer is ${described(reply)}.`,
        {
          meaning:
            'The page decides by the code in an error whether to try again. Where errors are replaced, it takes a refusal for a lost connection.',
          mend: 'The distribution must have no error page rule (custom error response with a page), and a behavior for /session* that allows all methods. Remove what was added by hand, or deploy again:',
          commands: ['npm run deploy'],
        },
        problemCode(reply),
      );
    }
  }
  return pass("Errors arrive as the function's own: GET /session is 405, /session/smoke is 404, both problem+json.");
}
