/** The services that a function needs: DynamoDB Local, an SSM parameter, and an OpenAI stand-in that responds at once. */

import { createTable } from '../../local/aws/dynamodb.ts';
import { LOCAL_CREDENTIALS, LOCAL_REGION } from '../../local/aws/identity.ts';
import { startSsm } from '../../local/aws/ssm.ts';
import { listen, readBody, send } from '../../local/http/http-server.ts';
import { startLocalDynamoDb } from './local-dynamodb.ts';

const PARAMETER = '/bench/openai-api-key';
const TABLE = 'bench';
const BODY_LIMIT_BYTES = 100_000;

export interface Surroundings extends AsyncDisposable {
  /** The environment variables of a function. */
  readonly environment: Readonly<Record<string, string>>;
}

export async function startSurroundings(): Promise<Surroundings> {
  await using started = new AsyncDisposableStack();
  const dynamodb = started.use(await startLocalDynamoDb());
  await createTable(dynamodb.client().client, TABLE);
  const ssm = started.adopt(await startSsm({ name: PARAMETER, value: 'sk-bench' }), ({ close }) => close());
  const openai = started.adopt(await startInstantOpenAi(), ({ close }) => close());
  const all = started.move();
  return {
    environment: {
      ...functionEnvironment(),
      OPENAI_BASE_URL: `${openai.origin}/v1`,
      AWS_ENDPOINT_URL_DYNAMODB: dynamodb.endpoint,
      AWS_ENDPOINT_URL_SSM: ssm.endpoint,
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

/** The limits are so high that no call is refused. */
export function functionEnvironment() {
  return {
    AWS_ACCESS_KEY_ID: LOCAL_CREDENTIALS.accessKeyId,
    AWS_SECRET_ACCESS_KEY: LOCAL_CREDENTIALS.secretAccessKey,
    AWS_REGION: LOCAL_REGION,
    TABLE_NAME: TABLE,
    OPENAI_KEY_PARAMETER: PARAMETER,
    GLOBAL_LIMITS: '1000000/1d',
  };
}

export function keyAnswer(): string {
  return JSON.stringify({
    value: 'ek_bench',
    expires_at: Math.ceil(Date.now() / 1_000) + 3_600,
    session: { type: 'realtime', model: 'gpt-realtime-2.1-mini' },
  });
}

async function startInstantOpenAi() {
  const reply = { status: 200, headers: { 'content-type': 'application/json' }, body: keyAnswer() };
  return await listen(async (request, response) => {
    await readBody(request, BODY_LIMIT_BYTES);
    send(response, reply);
  });
}
