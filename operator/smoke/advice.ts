/**
 * What it means when a page's POST gets no key, and how to mend it: by the problem's code, or by the shape of an answer
 * that is not the function's. A code that the contract adds does not compile until it has its advice here.
 */
import { type OutputName, STACK_NAME } from '../../contract/outputs.ts';
import type { ProblemCode } from '../../contract/problems.ts';
import type { Advice } from '../output/finding.ts';
import { type Answer, problemCode, type Reply } from './site.ts';

const DEPLOY = 'npm run deploy';

/** Prints one output of the stack, for use in another command. */
export function stackOutput(name: OutputName): string {
  return `aws cloudformation describe-stacks --stack-name ${STACK_NAME} --query "Stacks[0].Outputs[?OutputKey=='${name}'].OutputValue" --output text`;
}

const AWS_LOGS = `aws logs tail "$(${stackOutput('LogGroupName')})" --since 15m`;

/** Asks for the key, so that it is in no shell's history. In these words bash and zsh agree. */
const PUT_KEY = `printf 'OpenAI key: ' && read -rs KEY && aws ssm put-parameter --overwrite --type SecureString --name "$(${stackOutput('KeyParameterName')})" --value "$KEY"`;
const RESUME = 'npm run issuer -- resume';

/** @param localLog the log file of a local stack; undefined on AWS */
export function adviceForNoKey(reply: Reply, localLog: string | undefined): Advice {
  const logs = localLog === undefined ? AWS_LOGS : `tail -n 5 ${localLog}`;
  if (reply.kind === 'silence') {
    return {
      meaning: 'Visitors who press "call" wait, and hear that the demo cannot be reached.',
      mend: 'See whether the function ran at all, and how long it took.',
      commands: [logs],
    };
  }
  const code = problemCode(reply);
  return code === undefined ? adviceByShape(reply, logs) : adviceByCode(code, reply, logs, localLog === undefined);
}

function adviceByCode(code: ProblemCode, answer: Answer, logs: string, isOnAws: boolean): Advice {
  const onAws = (command: string) => (isOnAws ? [command] : []);
  const wait = waitInWords(answer.headers.get('retry-after'));
  const altered: Advice = {
    meaning: 'A right request was sent, and the function saw a wrong one: something in between changes it.',
    mend: 'Compare the distribution with lib/edge/edge.ts, and deploy again if somebody changed it by hand.',
    commands: [DEPLOY],
  };
  const advice: Record<ProblemCode, Advice> = {
    rate_limited: {
      meaning: 'Nothing is broken: whoever shares your address, you included, has had all its keys for now.',
      mend: `Run this again ${wait}, or from another network, or raise clientLimits in cdk.json and deploy.`,
    },
    budget_exhausted: {
      meaning: 'Nothing is broken, but all visitors are refused: the keys for everybody together are used up.',
      mend: `Wait (it opens again ${wait}), or raise globalLimits in cdk.json and deploy. If nobody expected so many calls, read the log first.`,
      commands: [logs],
    },
    paused: {
      meaning: 'The kill switch is on: all visitors are refused, on purpose.',
      mend: 'Find out who paused it and why. Then let it hand out keys again:',
      commands: onAws(RESUME),
    },
    blocked: {
      meaning: 'Your own address is blocked. Other visitors are not touched by that.',
      mend: 'Run this from another network, or unblock your address.',
    },
    origin_not_allowed: {
      meaning: "The function does not see that the page is its own, so every visitor's browser is refused.",
      mend: "The origin request policy must forward Sec-Fetch-Site (FORWARDED_HEADERS in contract/endpoint.ts). Until it does, put this site's own origin into allowedOrigins in cdk.json.",
      commands: [DEPLOY],
    },
    viewer_unknown: {
      meaning: 'The function is not told who calls, so it refuses everybody.',
      mend: 'The origin request policy must name CloudFront-Viewer-Address (FORWARDED_HEADERS in contract/endpoint.ts).',
      commands: [DEPLOY],
    },
    not_found: altered,
    method_not_allowed: altered,
    body_not_allowed: altered,
    idempotency_key_invalid: altered,
    replay_in_progress: altered,
    upstream_refused: {
      meaning: "OpenAI rejects our key, our session settings or the account's bill. No visitor gets a key.",
      mend: "The log has OpenAI's status. 401: store a right key, as the command with put-parameter does. 429: see billing and limits of the project at platform.openai.com. Else: mend session.json and deploy.",
      commands: [logs, ...onAws(PUT_KEY)],
    },
    upstream_unavailable: {
      meaning: 'OpenAI is slow or failing, or the key could not be read from SSM just now. Often it passes.',
      mend: 'Run this again in a minute. If it stays, see status.openai.com, and the log:',
      commands: [logs],
    },
    limiter_unavailable: {
      meaning: 'DynamoDB does not answer or is throttling. No key is given out meanwhile, which is the safe side.',
      mend: 'Run this again in a minute. If it stays, the log says whether it is throttled: then raise tableCapacity in cdk.json.',
      commands: [logs],
    },
    misconfigured: {
      meaning:
        'A variable is wrong, the table or the parameter with the OpenAI key is missing, or access to it is denied. No visitor gets a key.',
      mend: 'The log says which, and how to mend it. After a first deploy it is mostly the key: the command with put-parameter stores it.',
      commands: [logs, ...onAws(PUT_KEY)],
    },
    internal: {
      meaning: 'The function met something that nobody expected. No visitor gets a key.',
      mend: 'The log has the error with its stack:',
      commands: [logs],
    },
  };
  return advice[code];
}

/** Not from our function: from Lambda, CloudFront or the page's bucket. */
function adviceByShape({ status, mediaType }: Answer, logs: string): Advice {
  if (status === 429) {
    return {
      meaning:
        'Lambda refuses at its concurrency cap: too many requests at once, or the cap was set to 0 to stop everything.',
      mend: 'Run this again. If it stays, look at the cap; nothing of it is in the log.',
      commands: [
        `aws lambda get-function-concurrency --function-name "$(${stackOutput('FunctionName')})"`,
        'aws lambda get-account-settings',
      ],
    };
  }
  if (status === 403 && mediaType === 'application/json') {
    return {
      meaning:
        'Lambda refuses what CloudFront sends, before the function runs: the signature or a permission is missing.',
      mend: 'The Function URL needs origin access control and both invoke permissions for this distribution. Right after a deploy, wait five minutes first. Then deploy again:',
      commands: [DEPLOY],
    };
  }
  if (status >= 500) {
    return {
      meaning:
        'CloudFront or Lambda failed, and not the code of the function: it crashed at its start, or took too long.',
      mend: 'The log shows whether it started:',
      commands: [logs],
    };
  }
  return {
    meaning: 'POST /session does not reach the function: something else answers there.',
    mend: 'Is it the right URL? The distribution needs a behavior for /session* that allows POST, and no error page rule.',
    commands: [stackOutput('SessionUrl'), DEPLOY],
  };
}

/** Rounded up, so that who comes back when told is not too early. */
function waitInWords(retryAfter: string | null): string {
  if (retryAfter === null || !/^\d{1,9}$/.test(retryAfter)) {
    return 'later';
  }
  const seconds = Number(retryAfter);
  return seconds < 120 ? `in ${seconds} seconds` : `in ${Math.ceil(seconds / 60)} minutes`;
}
