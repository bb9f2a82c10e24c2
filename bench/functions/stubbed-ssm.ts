/** Stands in for `@aws-sdk/client-ssm` where the issuer's own work is measured. */
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
