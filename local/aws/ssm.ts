/**
 * Stand-in for Parameter Store of AWS Systems Manager. It has exactly one parameter, a SecureString: the OpenAI key. The SDK and
 * the AWS command line read it as on AWS, and can rotate it:
 *
 *     aws ssm put-parameter --overwrite --name NAME --value sk-… --endpoint-url ENDPOINT
 */

import { randomBytes, randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { GetParameterRequest, PutParameterRequest } from '@aws-sdk/client-ssm';
import { type Answer, listen, readBody, send } from '../http/http-server.ts';
import { awsError, awsOutput, readAwsRequest } from './aws-json.ts';
import { LOCAL_ACCOUNT } from './identity.ts';

export interface Ssm {
  /** For AWS_ENDPOINT_URL_SSM. */
  readonly endpoint: string;
  /** Sets how GetParameter fails from now on: for `times` requests, or without it until the next `fail`. */
  fail(mode: SsmFailure | 'ok', times?: number): void;
  /** The number of signed GetParameter requests, including those that failed. */
  getParameterCalls(): number;
  /** Closes at once, even if requests are waiting. */
  close(): Promise<void>;
}

export interface SsmOptions {
  readonly name: string;
  readonly value: string;
  /** @default 0, which takes a free port */
  readonly port?: number;
  /** Epoch milliseconds. */
  readonly now?: () => number;
}

const FAILURES = {
  throttled: awsError('ThrottlingException', 'Rate exceeded'),
  access_denied: awsError('AccessDeniedException', notAuthorized('ssm:GetParameter')),
  invalid_key_id: awsError('InvalidKeyId', `arn:aws:kms:us-east-1:${LOCAL_ACCOUNT}:key/retired is disabled.`),
  server_error: awsError('InternalServerError', 'An error occurred on the server side.', 500),
  hang: 'no answer',
} as const satisfies Record<string, Answer | 'no answer'>;

export type SsmFailure = keyof typeof FAILURES;

const BODY_LIMIT_BYTES = 100_000;
/** In bytes, for the standard tier, which is free. */
const LONGEST_VALUE = 4096;

export async function startSsm({ name, value, port = 0, now = Date.now }: SsmOptions): Promise<Ssm> {
  let stored = version(1, value);
  let failure: SsmFailure | 'ok' = 'ok';
  let failuresLeft = 0;
  let calls = 0;

  function version(number: number, plaintext: string) {
    // All ciphertexts have the same length, so that they reveal nothing about the value.
    return { number, plaintext, ciphertext: randomBytes(150).toString('base64'), modifiedSeconds: now() / 1000 };
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readBody(request, BODY_LIMIT_BYTES);
    const call = readAwsRequest(request.headers, String(body), 'ssm');
    const answer = 'refusal' in call ? call.refusal : operate(call.target, call.input);
    if (answer !== 'no answer') {
      response.setHeader('x-amzn-requestid', randomUUID());
      send(response, answer);
    }
  }

  function operate(target: string, input: Readonly<Record<string, unknown>>): Answer | 'no answer' {
    switch (target) {
      case 'AmazonSSM.GetParameter':
        return getParameter(input);
      case 'AmazonSSM.PutParameter':
        return putParameter(input);
      default:
        return awsError('UnknownOperationException');
    }
  }

  function getParameter({ Name, WithDecryption }: Partial<GetParameterRequest>): Answer | 'no answer' {
    calls += 1;
    if (failure !== 'ok' && failuresLeft > 0) {
      failuresLeft -= 1;
      return FAILURES[failure];
    }
    if (Name !== name) {
      // AWS sends no message either.
      return awsError('ParameterNotFound');
    }
    return awsOutput({
      Parameter: {
        ARN: `arn:aws:ssm:us-east-1:${LOCAL_ACCOUNT}:parameter/${name.replace(/^\//, '')}`,
        DataType: 'text',
        LastModifiedDate: stored.modifiedSeconds,
        Name: name,
        Type: 'SecureString',
        Value: WithDecryption === true ? stored.plaintext : stored.ciphertext,
        Version: stored.number,
      },
    });
  }

  function putParameter({ Name, Value, Type = 'SecureString', Overwrite }: Partial<PutParameterRequest>): Answer {
    if (Name !== name) {
      return awsError('AccessDeniedException', notAuthorized('ssm:PutParameter'));
    }
    if (Overwrite !== true) {
      return awsError(
        'ParameterAlreadyExists',
        'The parameter already exists. To overwrite it, set Overwrite to true.',
      );
    }
    if (Type !== 'SecureString') {
      return awsError('HierarchyTypeMismatchException', `A SecureString cannot become a ${Type}.`);
    }
    if (typeof Value !== 'string' || Value === '' || Buffer.byteLength(Value) > LONGEST_VALUE) {
      return awsError('ValidationException', `Value at 'value' must be a string of 1 to ${LONGEST_VALUE} bytes`);
    }
    stored = version(stored.number + 1, Value);
    return awsOutput({ Tier: 'Standard', Version: stored.number });
  }

  const { origin, close } = await listen(serve, port);
  return {
    endpoint: origin,
    fail(mode, times = Number.POSITIVE_INFINITY) {
      failure = mode;
      failuresLeft = times;
    },
    getParameterCalls: () => calls,
    close,
  };
}

function notAuthorized(action: string): string {
  return `User: arn:aws:sts::${LOCAL_ACCOUNT}:assumed-role/issuer/local is not authorized to perform: ${action}`;
}
