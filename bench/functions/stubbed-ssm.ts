/** Replaces `@aws-sdk/client-ssm` to measure the issuer's own work. */
export class GetParameterCommand {
  readonly input: unknown;

  constructor(input: unknown) {
    this.input = input;
  }
}

export class SSMClient {
  send(): Promise<object> {
    return Promise.resolve({ Parameter: { Value: 'sk-stubbed' } });
  }
}
