/**
 * A scripted AWS account: the test defines the response to each operation by name. The clients are the real ones, with their own
 * serialisation and error parsing. Requests to DynamoDB go to the DynamoDB of the test run, so items are really stored.
 */
import { NodeHttpHandler } from '@smithy/node-http-handler';
import type { ClientConfig } from '../../operator/stack/deployment.ts';
import { dynamodb } from './table.ts';

export type Answer =
  | { readonly status?: number; readonly body: object }
  /** CloudFormation responds in XML. */
  | { readonly status?: number; readonly xml: string }
  | { readonly error: string; readonly message?: string; readonly status?: number }
  | { readonly fails: Error };

/** Responses by operation, such as `GetFunctionConcurrency`. All other operations fail with AccessDeniedException. */
export type Script = Readonly<Record<string, (input: Readonly<Record<string, unknown>>, hostname: string) => Answer>>;

export interface ScriptedAccount {
  readonly client: ClientConfig;
  /** The names of the operations so far, except those of DynamoDB. */
  readonly operations: string[];
}

interface Request {
  method: string;
  protocol: string;
  hostname: string;
  port?: number;
  path: string;
  headers: Record<string, string>;
  body?: unknown;
}

const LAMBDA: readonly (readonly [string, RegExp, string])[] = [
  ['GET', /\/functions\/[^/]+\/configuration$/, 'GetFunctionConfiguration'],
  ['GET', /\/functions\/[^/]+\/concurrency$/, 'GetFunctionConcurrency'],
  ['PUT', /\/functions\/[^/]+\/concurrency$/, 'PutFunctionConcurrency'],
  ['DELETE', /\/functions\/[^/]+\/concurrency$/, 'DeleteFunctionConcurrency'],
  ['GET', /\/account-settings\/?$/, 'GetAccountSettings'],
];

export function scriptedAccount(script: Script): ScriptedAccount {
  const operations: string[] = [];
  const toDynamoDb = new NodeHttpHandler();

  function handle(request: Request, options: object) {
    if (request.headers['x-amz-target']?.startsWith('DynamoDB_')) {
      const { protocol, hostname, port } = new URL(dynamodb.endpoint);
      Object.assign(request, { protocol, hostname, port: Number(port) });
      return toDynamoDb.handle(request as never, options);
    }
    const operation = operationOf(request);
    operations.push(operation);
    const answer = script[operation]?.(inputOf(request), request.hostname) ?? { error: 'AccessDeniedException' };
    return 'fails' in answer
      ? Promise.reject(answer.fails)
      : Promise.resolve({ response: responseFor(answer, request) });
  }

  const client = {
    region: 'eu-central-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
    maxAttempts: 1,
    requestHandler: { handle, updateHttpClientConfig: () => undefined, httpHandlerConfigs: () => ({}) },
  };
  return { client: client as unknown as ClientConfig, operations };
}

function operationOf({ method, path, headers, body }: Request): string {
  const target = headers['x-amz-target']?.split('.').at(-1);
  const action = new URLSearchParams(textOf(body)).get('Action');
  const lambda = LAMBDA.find(([verb, pattern]) => verb === method && pattern.test(path))?.[2];
  return target ?? lambda ?? action ?? `${method} ${path}`;
}

function inputOf({ headers, body }: Request): Record<string, unknown> {
  const text = textOf(body);
  const isForm = headers['content-type']?.includes('x-www-form-urlencoded') === true;
  return isForm ? Object.fromEntries(new URLSearchParams(text)) : JSON.parse(text || '{}');
}

function textOf(body: unknown): string {
  return body instanceof Uint8Array ? new TextDecoder().decode(body) : String(body ?? '');
}

function responseFor(answer: Exclude<Answer, { fails: Error }>, { hostname }: Request) {
  if ('xml' in answer) {
    return response(answer.status ?? 200, answer.xml, { 'content-type': 'text/xml' });
  }
  if ('body' in answer) {
    return response(answer.status ?? 200, JSON.stringify(answer.body), {});
  }
  const { error, message = 'said by AWS', status = 400 } = answer;
  return hostname.startsWith('cloudformation')
    ? response(
        status,
        `<ErrorResponse><Error><Code>${error}</Code><Message>${message}</Message></Error></ErrorResponse>`,
        {},
      )
    : response(status, JSON.stringify({ __type: error, message }), { 'x-amzn-errortype': error });
}

function response(statusCode: number, body: string, headers: Record<string, string>) {
  return { statusCode, headers: { 'content-type': 'application/json', ...headers }, body: Buffer.from(body) };
}

/** @returns CloudFormation's response with these outputs of a stack */
export function describedStack(outputs: Readonly<Record<string, string>>): Answer {
  const members = Object.entries(outputs).map(
    ([name, value]) => `<member><OutputKey>${name}</OutputKey><OutputValue>${value}</OutputValue></member>`,
  );
  return {
    xml: `<DescribeStacksResponse><DescribeStacksResult><Stacks><member><StackName>s</StackName><StackStatus>CREATE_COMPLETE</StackStatus><Outputs>${members.join('')}</Outputs></member></Stacks></DescribeStacksResult></DescribeStacksResponse>`,
  };
}
