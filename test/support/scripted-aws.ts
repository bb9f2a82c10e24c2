/**
 * AWS as a script of answers. The SDK's client is the real one, with its serialisation and its reading of errors; only
 * what would go over the wire is given here.
 */

/** One answer, or a failure of the connection. The last one is given again to whoever asks more often. */
export type AwsAnswer =
  | { readonly status: number; readonly body: unknown; readonly type?: string }
  | { readonly fails: Error };

export interface ScriptedAws {
  /** For the constructor of any client of the SDK's. */
  readonly config: ReturnType<typeof clientConfig>;
  /** What was asked: the bodies of all requests so far. */
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

/** An error as AWS sends it. */
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
