/**
 * The Lambda handler. It builds everything once per container, then turns each Function URL event into a response. The decisions
 * are in issue-session.ts.
 */
import { env } from 'node:process';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SSMClient } from '@aws-sdk/client-ssm';
import { ConfigurationError, readConfiguration } from '../../contract/configuration.ts';
import { DYNAMODB_ATTEMPTS, DYNAMODB_TIMEOUT_MS, SSM_ATTEMPTS, SSM_TIMEOUT_MS } from '../../contract/times.ts';
import { parsePolicies } from '../../limiter/index.ts';
import { type Answer, answer } from '../answers/answers.ts';
import type { Verdict } from '../answers/verdict.ts';
import { timeoutOptions } from '../aws-timeouts.ts';
import { loadSessionConfig } from '../openai/session-config.ts';
import { log } from '../telemetry.ts';
import type { Trace } from '../trace.ts';
import { issueSession } from './issue-session.ts';
import { createIssuer, type Issuer, warmUp } from './issuer.ts';
import { languageOf, readRequest } from './request.ts';

interface Container {
  readonly issuer: Issuer;
  readonly allowedOrigins: readonly string[];
}

const container = build();
if (!(container instanceof ConfigurationError)) {
  await warmUp(container.issuer);
}
let coldStart = true;

export async function handler(event: unknown, context?: { readonly awsRequestId?: string }): Promise<Answer> {
  const startedAt = Date.now();
  const trace: Trace = {};
  const verdict = await judge(event, trace);
  const endedAt = Date.now();
  const response = answer(verdict, languageOf(event), endedAt);
  log({
    verdict,
    status: response.statusCode,
    trace,
    startedAt,
    endedAt,
    requestId: context?.awsRequestId ?? '',
    coldStart,
    functionName: env['AWS_LAMBDA_FUNCTION_NAME'] ?? '',
  });
  coldStart = false;
  return response;
}

/** Never throws: an unexpected error becomes `internal`, with the stack trace in the log. */
async function judge(event: unknown, trace: Trace): Promise<Verdict> {
  try {
    if (container instanceof ConfigurationError) {
      // A preflight still succeeds. Otherwise a page of another origin could not read the error, and would see a lost connection.
      const isPreflight = readRequest(event, []).code === 'preflight';
      return isPreflight ? { code: 'preflight' } : { code: 'misconfigured', reason: container.message };
    }
    const reading = readRequest(event, container.allowedOrigins);
    return reading.code === 'request' ? await issueSession(reading.request, container.issuer, trace) : reading;
  } catch (error) {
    return { code: 'internal', reason: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

/** An invalid configuration must not end the process, because Lambda would restart it again and again. It becomes a response. */
function build(): Container | ConfigurationError {
  try {
    const configuration = readConfiguration(env, parsePolicies);
    const session = loadSessionConfig(configuration.sessionConfig, new URL('session.json', import.meta.url));
    const issuer = createIssuer({
      configuration,
      session,
      dynamodb: new DynamoDBClient(timeoutOptions(DYNAMODB_TIMEOUT_MS, DYNAMODB_ATTEMPTS)),
      ssm: new SSMClient(timeoutOptions(SSM_TIMEOUT_MS, SSM_ATTEMPTS)),
    });
    return { issuer, allowedOrigins: configuration.allowedOrigins };
  } catch (error) {
    if (error instanceof ConfigurationError) {
      return error;
    }
    throw error;
  }
}
