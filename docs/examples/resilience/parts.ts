import {
  classify,
  createCircuitBreaker,
  fullJitter,
  okOrThrow,
  parseRetryAfter,
  startStream,
  takeToken,
} from '../../../resilience/index.ts';

export function describeFailure(error: unknown): string {
  const failure = classify(error);
  switch (failure.kind) {
    case 'answer':
      return `HTTP ${failure.status}, ${failure.retryable ? 'retry' : 'do not retry'}`;
    case 'connection':
    case 'timeout':
      return `${failure.kind}: retry; the request may have been processed`;
    case 'aborted':
    case 'unknown':
      return `${failure.kind}: do not retry`;
  }
}

/** The wait before a client reconnects, after a server restart that disconnected all clients at once. */
export function reconnectInMs(retries: number): number {
  return fullJitter(retries, Math.random(), { firstWindowMs: 10_000 });
}

export function serverWaitMs(response: Response): number {
  return parseRetryAfter(response.headers, Date.now()) ?? 0;
}

const breaker = createCircuitBreaker({ failureThreshold: 5, cooldownMs: 10_000, probeTimeoutMs: 6_000 });

export function callGuarded(url: string): Promise<Response> {
  return breaker.call(() => fetch(url, { signal: AbortSignal.timeout(5_000) }));
}

export async function lengthOf(url: string): Promise<number> {
  const open = async (signal: AbortSignal) => (await okOrThrow(await fetch(url, { signal }))).body;
  let bytes = 0;
  for await (const chunk of await startStream(open, { firstChunkMs: 10_000, idleMs: 5_000 })) {
    bytes += chunk.length;
  }
  return bytes;
}

let bucket: number | undefined;

/** One bucket for the whole process: ten calls per second, twenty at once. */
export function admit(): boolean {
  const decision = takeToken(bucket, { perSecond: 10, burst: 20 }, Date.now());
  bucket = decision.allowed ? decision.fullAt : bucket;
  return decision.allowed;
}
