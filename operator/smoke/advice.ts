/**
 * What it means if a page's POST gets no key, and how to fix it: by the problem code, or by the form of a response that does
 * not come from the function. If the contract adds a code, this file does not compile until it has advice for it.
 */
import { type OutputName, STACK_NAME } from '../../contract/outputs.ts';
import type { ProblemCode } from '../../contract/problems.ts';
import type { Advice } from '../output/finding.ts';
import { type Answer, problemCode, type Reply } from './site.ts';

const DEPLOY = 'npm run deploy';

/** A command that prints one output of the stack, to use inside another command. */
export function stackOutput(name: OutputName): string {
  return `aws cloudformation describe-stacks --stack-name ${STACK_NAME} --query "Stacks[0].Outputs[?OutputKey=='${name}'].OutputValue" --output text`;
}

const AWS_LOGS = `aws logs tail "$(${stackOutput('LogGroupName')})" --since 15m`;

/** Prompts for the key, which keeps it out of the shell's history. `read -rs` works in bash and in zsh. */
const PUT_KEY = `printf 'OpenAI key: ' && read -rs KEY && aws ssm put-parameter --overwrite --type SecureString --name "$(${stackOutput('KeyParameterName')})" --value "$KEY"`;
const RESUME = 'npm run issuer -- resume';

/** @param localLog the log file of a local stack; undefined on AWS */
export function adviceForNoKey(reply: Reply, localLog: string | undefined): Advice {
  const logs = localLog === undefined ? AWS_LOGS : `tail -n 5 ${localLog}`;
  if (reply.kind === 'silence') {
    return {
      meaning: 'Visitors who start a call wait, and then read that the demo cannot be reached.',
      mend: 'Check in the log whether the function ran, and for how long:',
      commands: [logs],
    };
  }
  const code = problemCode(reply);
  return code === undefined ? adviceByShape(reply, logs) : adviceByCode(code, reply, logs, localLog === undefined);
}

function adviceByCode(code: ProblemCode, answer: Answer, logs: string, isOnAws: boolean): Advice {
  const onAws = (command: string) => (isOnAws ? [command] : []);
  const wait = waitText(answer.headers.get('retry-after'));
  const altered: Advice = {
    meaning: 'The request was valid when it was sent, but something between here and the function changed it.',
    mend: 'Compare the distribution with lib/edge/edge.ts. If it was changed by hand, deploy again:',
    commands: [DEPLOY],
  };
  const advice: Record<ProblemCode, Advice> = {
    rate_limited: {
      meaning:
        'Nothing is broken. You, and everybody who shares your address, have used all keys of that address for now.',
      mend: `Run this check again ${wait} or from another network, or raise clientLimits in cdk.json and deploy.`,
    },
    budget_exhausted: {
      meaning: 'Nothing is broken, but all visitors are refused: the keys for all visitors together are used up.',
      mend: `Wait: keys are available again ${wait}. Or raise globalLimits in cdk.json and deploy. If this many calls are unexpected, read the log first:`,
      commands: [logs],
    },
    paused: {
      meaning: 'The issuer is paused by its kill switch: all visitors are refused, on purpose.',
      mend: 'Find out who paused it and why. To issue keys again:',
      commands: onAws(RESUME),
    },
    blocked: {
      meaning: 'Your own address is blocked. Other visitors are not affected.',
      mend: 'Run this check from another network, or unblock your address.',
    },
    origin_not_allowed: {
      meaning:
        "The function cannot detect that the request comes from its own page, so it refuses every visitor's browser.",
      mend: "The origin request policy must forward Sec-Fetch-Site (FORWARDED_HEADERS in contract/endpoint.ts). As a workaround, add this site's own origin to allowedOrigins in cdk.json. Then deploy:",
      commands: [DEPLOY],
    },
    viewer_unknown: {
      meaning: "The function does not receive the caller's address, so it refuses everybody.",
      mend: 'The origin request policy must forward CloudFront-Viewer-Address (FORWARDED_HEADERS in contract/endpoint.ts). Then deploy:',
      commands: [DEPLOY],
    },
    not_found: altered,
    method_not_allowed: altered,
    body_not_allowed: altered,
    idempotency_key_invalid: altered,
    replay_in_progress: altered,
    upstream_refused: {
      meaning:
        'OpenAI rejects our key or our session settings, or the account has an unpaid bill. No visitor gets a key.',
      mend: "The log shows OpenAI's status. 401: store a valid key with the put-parameter command. 429: check billing and limits of the project at platform.openai.com. Any other status: fix session.json and deploy.",
      commands: [logs, ...onAws(PUT_KEY)],
    },
    upstream_unavailable: {
      meaning: 'OpenAI is slow or failing, or the key could not be read from SSM. This is often temporary.',
      mend: 'Run this check again in a minute. If it still fails, see status.openai.com and the log:',
      commands: [logs],
    },
    limiter_unavailable: {
      meaning:
        'DynamoDB does not answer or throttles requests. Until it answers, no keys are issued, so no money is spent.',
      mend: 'Run this check again in a minute. If it still fails and the log says that requests are throttled, raise tableCapacity in cdk.json.',
      commands: [logs],
    },
    misconfigured: {
      meaning:
        'A variable is invalid, the table or the parameter with the OpenAI key is missing, or access to it is denied. No visitor gets a key.',
      mend: 'The log says which, and how to fix it. After a first deployment, the key is usually missing: the put-parameter command stores it.',
      commands: [logs, ...onAws(PUT_KEY)],
    },
    internal: {
      meaning: 'The function failed with an unexpected error. No visitor gets a key.',
      mend: 'The log has the error with its stack trace:',
      commands: [logs],
    },
  };
  return advice[code];
}

/** For a response from Lambda, CloudFront or the page's bucket rather than from our function. */
function adviceByShape({ status, mediaType }: Answer, logs: string): Advice {
  if (status === 429) {
    return {
      meaning:
        'Lambda rejects requests at its concurrency cap: there are too many at once, or the cap was set to 0 to stop the function.',
      mend: 'Run this check again. If it still fails, look at the cap. Rejected requests are not in the log.',
      commands: [
        `aws lambda get-function-concurrency --function-name "$(${stackOutput('FunctionName')})"`,
        'aws lambda get-account-settings',
      ],
    };
  }
  if (status === 403 && mediaType === 'application/json') {
    return {
      meaning:
        'Lambda refuses the requests of CloudFront before the function runs: the signature or a permission is missing.',
      mend: 'The Function URL needs origin access control and both invoke permissions for this distribution. Right after a deployment, wait five minutes and run this check again. If it still fails, deploy again:',
      commands: [DEPLOY],
    };
  }
  if (status >= 500) {
    return {
      meaning: 'The response comes from CloudFront or Lambda: the function crashed at its start, or took too long.',
      mend: 'The log shows whether the function started:',
      commands: [logs],
    };
  }
  return {
    meaning: 'POST /session does not reach the function: something else answers at that path.',
    mend: 'Check the URL with the first command. If it is correct, the distribution needs a behavior for /session* that allows POST, and no error page rule. Deploy again:',
    commands: [stackOutput('SessionUrl'), DEPLOY],
  };
}

/** Rounded up: a retry at that time must not be too early. */
function waitText(retryAfter: string | null): string {
  if (retryAfter === null || !/^\d{1,9}$/.test(retryAfter)) {
    return 'later';
  }
  const seconds = Number(retryAfter);
  return seconds < 120 ? `in ${seconds} seconds` : `in ${Math.ceil(seconds / 60)} minutes`;
}
