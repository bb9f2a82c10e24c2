/**
 * Scripted AWS responses. The SDK's client is the real one, with its own serialisation and error parsing; only the network is
 * replaced.
 */

/** A response, or a failure of the connection. The last one of a script is repeated for all further requests. */
export type AwsAnswer =
  | { readonly status: number; readonly body: unknown; readonly type?: string }
  | { readonly fails: Error };

export interface ScriptedAws {
  /** The configuration for the constructor of any SDK client. */
  readonly config: ReturnType<typeof clientConfig>;
  /** The bodies of all requests so far. */
  readonly requests: unknown[];
}

export function scriptedAws(...script: readonly [AwsAnswer, ...AwsAnswer[]]): ScriptedAws {
  const requests: unknown[] = [];

  function handle(request: { readonly body?: Uint8Array }) {
    const answer = script[Math.min(requests.length, script.length - 1)] ?? script[0];
    requests.push(JSON.parse(new TextDecoder().decode(request.body)));
    if ('fails' in answer) {
      return Promise.reject(answer.fails);
    }
    const headers = { 'content-type': 'application/x-amz-json-1.1', 'x-amzn-errortype': answer.type ?? '' };
    return Promise.resolve({
      response: { statusCode: answer.status, headers, body: Buffer.from(JSON.stringify(answer.body)) },
    });
  }

  return { config: clientConfig(handle), requests };
}

/** @returns an error response in AWS's format */
export function awsError(status: number, type: string, message = 'said by AWS'): AwsAnswer {
  return { status, type, body: { __type: type, message } };
}

function clientConfig<Handle>(handle: Handle) {
  return {
    region: 'us-east-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
    maxAttempts: 1,
    requestHandler: { handle, updateHttpClientConfig: () => undefined, httpHandlerConfigs: () => ({}) },
  };
}
