/**
 * Replaces `@aws-sdk/client-dynamodb` to measure the issuer's own work. Every command returns a fixed response at once. While
 * `globalThis.refusing` is true, every condition fails.
 */
class Command {
  readonly input: Input;
  readonly middlewareStack = { addRelativeTo: () => undefined };

  constructor(input: Input) {
    this.input = input;
  }
}

interface Input {
  readonly Key?: { readonly pk: { readonly S: string } };
}

export class GetItemCommand extends Command {}
export class BatchGetItemCommand extends Command {}
export class PutItemCommand extends Command {}
export class UpdateItemCommand extends Command {}
export class DeleteItemCommand extends Command {}

export class ConditionalCheckFailedException extends Error {
  override readonly name = 'ConditionalCheckFailedException';
  readonly $metadata = { attempts: 1 };
  readonly Item = { cnt: { N: '10' } };
}

const ANSWER = { ConsumedCapacity: { CapacityUnits: 1 }, $metadata: {} };
const SALT = { B: new Uint8Array(32) };

export class DynamoDBClient {
  send(command: Command): Promise<object> {
    if (command instanceof GetItemCommand) {
      return Promise.resolve(command.input.Key?.pk.S === 'salt' ? { ...ANSWER, Item: { salt: SALT } } : ANSWER);
    }
    if (command instanceof BatchGetItemCommand) {
      return Promise.resolve({ ...ANSWER, Responses: {}, UnprocessedKeys: {} });
    }
    return Reflect.get(globalThis, 'refusing') === true
      ? Promise.reject(new ConditionalCheckFailedException())
      : Promise.resolve({ ...ANSWER, Attributes: { cnt: { N: '1' } } });
  }
}
