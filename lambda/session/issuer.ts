/** What a container builds once and every request uses. Clock and fetch are options, so that tests can replace them. */
import type { SSMClient } from '@aws-sdk/client-ssm';
import type { Configuration, SessionConfig } from '../../contract/configuration.ts';
import { INIT_UNTIL_MS } from '../../contract/times.ts';
import { createLimiter, type Limiter, type Policy, type Table } from '../../limiter/index.ts';
import { type Clock, systemClock } from '../../resilience/index.ts';
import { createFailOpen, type FailOpen } from '../gate/fail-open.ts';
import { type Gate, readGate } from '../gate/gate.ts';
import { readSwitch } from '../gate/kill-switch.ts';
import { type ApiKey, createApiKey } from '../openai/api-key.ts';
import { createMint, type Mint } from '../openai/mint.ts';
import { readOrCreateSalt } from '../visitor/salt.ts';
import { clientScope, globalScope } from '../visitor/scopes.ts';
import type { ViewerId } from '../visitor/viewer.ts';
import { lockReplay, type Replay, type ReplayKey, type ReplayLock, replayIn } from './replay.ts';

/** The result of one read: the kill switch, the viewer's block, and the stored answer if the request is a repeat. */
export interface SessionGate extends Gate {
  readonly replay: Replay;
}

export interface Issuer {
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly ipv6Prefix: number;
  /** @throws StoreUnavailableError or StoreMisconfiguredError; the next call retries */
  readonly salt: () => Promise<Uint8Array>;
  /** @throws StoreUnavailableError or StoreMisconfiguredError */
  readonly readGate: (viewer: ViewerId, replayKey: ReplayKey | undefined) => Promise<SessionGate>;
  /** Called at INIT, for failure mode `open` and a warm connection. @throws StoreUnavailableError or StoreMisconfiguredError */
  readonly readSwitch: () => Promise<void>;
  /** @throws StoreUnavailableError or StoreMisconfiguredError */
  readonly lockReplay: (replayKey: ReplayKey) => Promise<Replay | ReplayLock>;
  /** Undefined in failure mode `closed`. */
  readonly failOpen: FailOpen | undefined;
  readonly limiter: Limiter;
  readonly apiKey: ApiKey;
  readonly mint: Mint;
}

export interface IssuerOptions {
  readonly configuration: Configuration<readonly Policy[]>;
  readonly session: SessionConfig;
  readonly dynamodb: Table['client'];
  readonly ssm: SSMClient;
  readonly fetch?: typeof fetch;
  readonly clock?: Clock;
  /** A number from 0 up to 1, for jitter. */
  readonly random?: () => number;
}

export function createIssuer(options: IssuerOptions): Issuer {
  const { configuration, session, dynamodb, ssm } = options;
  const { fetch = globalThis.fetch, clock = systemClock, random = Math.random } = options;
  const { now } = clock;
  const { openaiBaseUrl: baseUrl, keyTtlSeconds } = configuration;
  const table: Table = { client: dynamodb, name: configuration.tableName };

  const failOpen = configuration.limiterFailureMode === 'open' ? createFailOpen(clock) : undefined;

  return {
    now,
    ipv6Prefix: configuration.ipv6Prefix,
    salt: cacheSuccess(() => readOrCreateSalt(table)),
    async readGate(viewer, key) {
      const readAt = now();
      const { gate, further } = await readGate(table, viewer, key === undefined ? [] : [key.pk], readAt);
      failOpen?.remember(gate.killSwitch);
      failOpen?.rememberBlock(viewer, gate.block);
      return { ...gate, replay: key === undefined ? { kind: 'absent' } : replayIn(further[0] ?? {}, key, readAt) };
    },
    async readSwitch() {
      const killSwitch = await readSwitch(table);
      failOpen?.remember(killSwitch);
    },
    lockReplay: (key) => lockReplay(table, key, now()),
    failOpen,
    limiter: createLimiter({
      table,
      scopes: [clientScope(configuration), globalScope(configuration)],
      now,
    }),
    apiKey: createApiKey(ssm, configuration.openaiKeyParameter, now),
    mint: createMint({ baseUrl, session, keyTtlSeconds, fetch, clock, random }),
  };
}

/**
 * Reads at INIT, which Lambda runs with more CPU, what the first request would otherwise wait for: the salt, the kill switch and
 * the API key, over connections that stay open. Nothing is sent to OpenAI. If a read fails, the request that needs it retries. If
 * a read takes too long, it continues while the first request starts.
 */
export async function warmUp(issuer: Issuer, clock: Clock = systemClock): Promise<void> {
  const { promise: timedOut, resolve } = Promise.withResolvers<void>();
  const cancel = clock.after(INIT_UNTIL_MS, resolve);
  const reading = Promise.allSettled([issuer.salt(), issuer.readSwitch(), issuer.apiKey.read()]);
  // Node loads fetch on first use, which takes 20 ms of CPU time. Do it here, while the reads are waiting.
  setImmediate(() => new Headers());
  await Promise.race([reading, timedOut]);
  cancel();
}

/** Concurrent callers share one call. A success is kept; after a failure the next caller retries. */
function cacheSuccess<Value>(load: () => Promise<Value>): () => Promise<Value> {
  let loading: Promise<Value> | undefined;
  return () => {
    loading ??= load().catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    return loading;
  };
}
