/**
 * The errors of Lambda's operation Invoke: the header names the type, the body has the rest. Wordings and spellings (`Message`
 * for a function that does not exist, `message` for others) are those that AWS sent to others' tests, where such are public.
 * https://docs.aws.amazon.com/lambda/latest/api/API_Invoke.html#API_Invoke_Errors
 */
import type { Answer } from '../../http/http-server.ts';
import { LOCAL_ACCOUNT } from '../identity.ts';

export const UNKNOWN_OPERATION = lambdaError(404, 'UnknownOperationException', {});

export const SIGNATURE_FAULTS = {
  missing: lambdaError(403, 'MissingAuthenticationTokenException', { message: 'Missing Authentication Token' }),
  malformed: lambdaError(403, 'IncompleteSignatureException', {
    message: 'The request signature does not conform to AWS standards.',
  }),
};

/** The reserved concurrency is in use, or 0. */
export const TOO_MANY_IN_PROGRESS = tooManyRequests('ReservedFunctionConcurrentInvocationLimitExceeded');
export const TOO_MANY_CALLS = tooManyRequests('CallerRateLimitExceeded');

export const SERVER_ERROR = lambdaError(500, 'ServiceException', {
  Type: 'Service',
  Message: 'The Lambda service encountered an internal error.',
});

export function functionNotFound(arnPrefix: string, name: string): Answer {
  const version = name.includes(':') ? '' : ':$LATEST';
  return lambdaError(404, 'ResourceNotFoundException', {
    Type: 'User',
    Message: `Function not found: ${arnPrefix}${name}${version}`,
  });
}

export function accessDenied(arn: string): Answer {
  return lambdaError(403, 'AccessDeniedException', {
    Message: `User: arn:aws:sts::${LOCAL_ACCOUNT}:assumed-role/issuer/local is not authorized to perform: lambda:InvokeFunction on resource: ${arn} because no identity-based policy allows the lambda:InvokeFunction action`,
  });
}

export function invalidInvocationType(given: string): Answer {
  return lambdaError(400, 'InvalidParameterValueException', {
    Type: 'User',
    message: `Value '${given}' at 'invocationType' failed to satisfy constraint: Member must satisfy enum value set: [Event, RequestResponse, DryRun]`,
  });
}

export function invalidJson(reason: string): Answer {
  return lambdaError(400, 'InvalidRequestContentException', {
    Type: 'User',
    message: `Could not parse request body into json: Could not parse payload into json: ${reason}`,
  });
}

/**
 * AWS sends this type (seen by several callers, 2017 to 2026; in the list of common errors), not the RequestTooLargeException of
 * the operation's own list.
 * @param bytes undefined if it is larger than any payload can be
 */
export function payloadTooLarge(bytes: number | undefined, invocationType: string, limitBytes: number): Answer {
  const message =
    bytes === undefined
      ? `Request must be smaller than ${limitBytes} bytes for the InvokeFunction operation`
      : `${bytes} byte payload is too large for the ${invocationType} invocation type (limit ${limitBytes} bytes)`;
  return lambdaError(413, 'RequestEntityTooLargeException', { Type: 'User', message });
}

function tooManyRequests(reason: string): Answer {
  return lambdaError(429, 'TooManyRequestsException', { Reason: reason, Type: 'User', message: 'Rate Exceeded.' });
}

function lambdaError(status: number, type: string, fields: Readonly<Record<string, string>>): Answer {
  return {
    status,
    headers: { 'content-type': 'application/json', 'x-amzn-errortype': type },
    body: JSON.stringify(fields),
  };
}
