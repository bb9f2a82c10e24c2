/**
 * Lambda's operation Invoke, as SDKs call it (AWS REST JSON):
 *
 *     POST /2015-03-31/functions/NAME/invocations    X-Amz-Invocation-Type: Event | RequestResponse | DryRun
 *
 * NAME can also be an ARN, with or without the version `$LATEST`, which is the only one here.
 * https://docs.aws.amazon.com/lambda/latest/api/API_Invoke.html
 */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Answer, readBody, send } from '../../http/http-server.ts';
import type { Attempt } from './async-queue.ts';
import type { DeployedFunction, IncomingEvent } from './deployed-function.ts';
import type { Failures, InvokeFailure } from './failures.ts';
import type { Hearing } from './heard.ts';
import { accessDenied, SERVER_ERROR, TOO_MANY_CALLS, TOO_MANY_IN_PROGRESS } from './invoke-errors.ts';
import { type Call, LARGEST_PAYLOAD, readCall, readPayload } from './invoke-request.ts';

export interface InvokeApi {
  readonly functions: ReadonlyMap<string, DeployedFunction>;
  readonly failures: Failures;
  readonly hearing: Hearing;
}

/** @param name the function's name or ARN */
export async function serveInvoke(
  request: IncomingMessage,
  response: ServerResponse,
  name: string,
  { functions, failures, hearing }: InvokeApi,
): Promise<void> {
  const requestId = randomUUID();
  response.setHeader('x-amzn-requestid', requestId);
  const body = await readBody(request, LARGEST_PAYLOAD);
  const call = readCall(name, request.headers, functions);
  if ('refusal' in call) {
    return send(response, call.refusal);
  }

  hearing.noteRequest();
  const failure = failures.nextInvoke(call.target.name)?.mode;
  const scripted = scriptedAnswer(failure, call.target);
  if (scripted !== undefined) {
    return scripted === 'disconnect' ? void response.destroy() : send(response, scripted);
  }

  const read = readPayload(body, call.invocationType);
  if ('refusal' in read) {
    return send(response, read.refusal);
  }
  const answer = await invoke(call, { requestId, payload: read.payload, payloadBytes: body?.length ?? 0 });
  if (failure === 'lost_answer') {
    response.destroy();
  } else {
    send(response, answer);
  }
}

/** What is sent in place of handling the request. */
function scriptedAnswer(
  failure: InvokeFailure['mode'] | undefined,
  { arn }: DeployedFunction,
): Answer | 'disconnect' | undefined {
  switch (failure) {
    case 'throttled':
      return TOO_MANY_CALLS;
    case 'access_denied':
      return accessDenied(arn);
    case 'server_error':
      return SERVER_ERROR;
    case 'disconnect':
      return 'disconnect';
    case 'lost_answer':
    case undefined:
      return;
  }
}

async function invoke({ target, invocationType }: Call, event: IncomingEvent): Promise<Answer> {
  switch (invocationType) {
    case 'DryRun':
      return { status: 204 };
    case 'Event':
      target.accept(event);
      return { status: 202 };
    case 'RequestResponse':
      return resultAnswer(await target.invoke(event));
  }
}

/** The response to a caller that waited for the result. A function error is not an error of the request. */
function resultAnswer(attempt: Attempt): Answer {
  const headers = { 'content-type': 'application/json', 'x-amz-executed-version': '$LATEST' };
  switch (attempt.kind) {
    case 'succeeded':
      return { status: 200, headers, body: JSON.stringify(attempt.result ?? null) };
    case 'failed': {
      const body = JSON.stringify(attempt.error);
      return { status: 200, headers: { ...headers, 'x-amz-function-error': 'Unhandled' }, body };
    }
    case 'throttled':
    case 'switched_off':
      return TOO_MANY_IN_PROGRESS;
  }
}
