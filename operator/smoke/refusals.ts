/**
 * Requests that must be refused, and which component must refuse them. The function itself would refuse each of them before it
 * calls the limiter. So none of them uses a key, even if a protection in front of the function is missing.
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
import { described, isRefusedByAws, problemCode, type Reply, type Site, type SiteRequest } from './site.ts';

/** An invalid key, because it is too short. The function checks it after path, method, origin and body. */
export const UNSERVABLE = { [IDEMPOTENCY_KEY_HEADER]: 'smoke' };

const A_BODY = 'x';
const SHA256_OF_A_BODY = '2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881';

const SHOW_AND_FIX_AUTH = [
  `aws lambda get-function-url-config --function-name "$(${stackOutput('FunctionName')})" --query AuthType`,
  'npm run deploy',
];

/** AWS documents this for a body that is not empty: the signature covers the hash, and Lambda compares it with the body. */
export async function checkBodyHash(site: Site): Promise<Finding> {
  const reply = await site.ask({
    method: 'POST',
    path: SESSION_PATH,
    headers: { [BODY_HASH_HEADER]: EMPTY_BODY_SHA256 },
    body: A_BODY,
  });
  if (isRefusedByAws(reply)) {
    return pass('A body that does not match its hash is refused before the function runs.');
  }
  // Reported without the problem code: a function that always answers misconfigured must not receive this request either.
  return fail(`AWS did not refuse a body that does not match its hash: the response is ${described(reply)}.`, {
    meaning: 'The function runs for requests with an invalid signature. Its URL may be open to everybody.',
    mend: 'The Function URL must have the auth type AWS_IAM, and the distribution must have origin access control. The first command shows the auth type; a deployment sets both.',
    commands: SHOW_AND_FIX_AUTH,
  });
}

/** AWS does not document this for an empty body. Both results are harmless, so the check only reports what happens. */
export async function checkEmptyBodyHash(site: Site): Promise<Finding> {
  const post = async (hash: Readonly<Record<string, string>>) =>
    await site.ask({ method: 'POST', path: SESSION_PATH, headers: { ...UNSERVABLE, ...hash } });
  const missing = await post({});
  const mismatch = await post({ [BODY_HASH_HEADER]: SHA256_OF_A_BODY });
  if (isRefusedByAws(missing) && isRefusedByAws(mismatch)) {
    return pass(
      'An empty POST without the hash of its body, or with another hash, is refused before the function runs.',
    );
  }
  return note(
    `For information: an empty POST without the hash of its body ${outcome(missing)}, and with another hash ${outcome(mismatch)}. ` +
      'AWS documents this only for bodies that are not empty. It is not a risk: the page always sends the matching hash.',
  );
}

function outcome(reply: Reply): string {
  if (isRefusedByAws(reply)) {
    return 'is refused by AWS';
  }
  return problemCode(reply) === undefined ? `gets ${described(reply)}` : 'reaches the function';
}

/** @param functionUrl undefined if it is not known */
export async function checkFunctionUrl(site: Site, functionUrl: URL | undefined): Promise<Finding> {
  if (functionUrl === undefined) {
    return note(
      'Not checked: pass the Function URL with --function-url. On AWS, this command prints it:',
      stackOutput('FunctionUrl'),
    );
  }
  const reply = await site.ask({
    method: 'POST',
    path: new URL(SESSION_PATH, functionUrl).href,
    headers: { ...UNSERVABLE, [BODY_HASH_HEADER]: EMPTY_BODY_SHA256 },
  });
  if (isRefusedByAws(reply)) {
    return pass('The Function URL refuses a request that does not come through the edge.');
  }
  return fail(`The Function URL does not refuse a direct request: the response is ${described(reply)}.`, {
    meaning:
      'If the function ran, an attacker who finds this URL can bypass the edge, forge any address, and get keys for each forged address.',
    mend: 'If the URL is correct, its auth type must be AWS_IAM. The first command shows the auth type; a deployment sets it.',
    commands: SHOW_AND_FIX_AUTH,
  });
}

interface Expected {
  readonly request: SiteRequest;
  readonly code: ProblemCode;
  readonly headers: Readonly<Record<string, string>>;
}

/** Responses to mistyped requests. An error page rule of the distribution would turn exactly these into HTML. */
const ERRORS: readonly Expected[] = [
  {
    request: { method: 'GET', path: SESSION_PATH },
    code: 'method_not_allowed',
    headers: { allow: ALLOWED_METHODS.join(', ') },
  },
  { request: { method: 'GET', path: `${SESSION_PATH}/smoke` }, code: 'not_found', headers: {} },
];

export async function checkErrorBodies(site: Site): Promise<Finding> {
  for (const { request, code, headers } of ERRORS) {
    const reply = await site.ask(request);
    const { status } = PROBLEMS[code];
    const isExpected =
      reply.kind === 'answer' &&
      reply.status === status &&
      problemCode(reply) === code &&
      Object.entries(headers).every(([name, value]) => reply.headers.get(name) === value);
    if (!isExpected) {
      const wanted = [`${status} (${code})`, ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`)];
      return fail(
        `The response to ${request.method} ${request.path} should be ${wanted.join(', ')}, but it is ${described(reply)}.`,
        {
          meaning:
            'The page decides by the code in an error whether to retry. If errors are replaced, the page treats a refusal as a lost connection.',
          mend: 'The distribution must have no error page rule (a custom error response with a page), and a behavior for /session* that allows all methods. Remove manual changes, or deploy again:',
          commands: ['npm run deploy'],
        },
        problemCode(reply),
      );
    }
  }
  return pass('Errors arrive unchanged: GET /session is 405, /session/smoke is 404, both problem+json.');
}
