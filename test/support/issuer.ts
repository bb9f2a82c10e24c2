/**
 * An issuer on a real table. The test controls everything else: time, SSM, OpenAI and randomness.
 */
import type { SSMClient } from '@aws-sdk/client-ssm';
import { readConfiguration } from '../../contract/configuration.ts';
import { createIssuer, type Issuer } from '../../lambda/session/issuer.ts';
import { parsePolicies, type Table } from '../../limiter/index.ts';
import { systemClock } from '../../resilience/index.ts';

export interface TestIssuerOptions {
  readonly table: Table;
  readonly environment?: Readonly<Record<string, string>>;
  /** Returns the value of the SSM parameter. */
  readonly parameter?: () => Promise<string>;
  readonly fetch: typeof fetch;
  /** Epoch milliseconds. */
  readonly now?: () => number;
}

export function testIssuer(options: TestIssuerOptions): Issuer {
  const { table, environment, fetch, now = Date.now, parameter = () => Promise.resolve('sk-test') } = options;
  const send = async () => ({ Parameter: { Value: await parameter() } });
  return createIssuer({
    configuration: readConfiguration(
      { TABLE_NAME: table.name, OPENAI_KEY_PARAMETER: '/key', ...environment },
      parsePolicies,
    ),
    session: { type: 'realtime', model: 'a-model' },
    dynamodb: table.client,
    ssm: { send } as unknown as SSMClient,
    fetch,
    clock: { ...systemClock, now },
    random: () => 0,
  });
}
