/** DynamoDB Local for a benchmark, and clients that count the requests they send. */
import { DynamoDB, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { startDynamoDb } from '../../local/aws/dynamodb.ts';
import { LOCAL_CREDENTIALS, LOCAL_REGION } from '../../local/aws/identity.ts';
import { stopped } from './stopping.ts';

/** More than the number of concurrent requests of any part, so that no request waits for a connection. */
const CONNECTIONS = 80;

export interface LocalDynamoDb extends AsyncDisposable {
  readonly endpoint: string;
  readonly client: () => CountingClient;
}

export interface CountingClient {
  readonly client: DynamoDB;
  /** @returns the number of requests since the last call */
  readonly takeRequests: () => number;
}

/** @throws Error without Java 17 or later, because the speed of another engine says nothing about DynamoDB */
export async function startLocalDynamoDb(): Promise<LocalDynamoDb> {
  const { engine, endpoint, close } = await startDynamoDb();
  if (engine === 'dynalite') {
    await close();
    throw new Error('This part needs DynamoDB Local. Install Java 17 or later.');
  }
  // A pending request to it then fails, which ends the code that waits for it.
  stopped.addEventListener('abort', close);
  const clients: DynamoDBClient[] = [];
  return {
    endpoint,
    client() {
      const client = new DynamoDB({
        endpoint,
        region: LOCAL_REGION,
        credentials: LOCAL_CREDENTIALS,
        requestHandler: new NodeHttpHandler({ httpAgent: { maxSockets: CONNECTIONS } }),
      });
      clients.push(client);
      let requests = 0;
      client.middlewareStack.add(
        (next) => (args) => {
          requests += 1;
          return next(args);
        },
        // Inside the retry middleware, so that retries count.
        { step: 'finalizeRequest', priority: 'low' },
      );
      const takeRequests = () => {
        const taken = requests;
        requests = 0;
        return taken;
      };
      return { client, takeRequests };
    },
    async [Symbol.asyncDispose]() {
      for (const client of clients) {
        client.destroy();
      }
      stopped.removeEventListener('abort', close);
      await close();
    },
  };
}
