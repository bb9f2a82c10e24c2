/**
 * What a line of an access log means to somebody who looks for retries. Such a log has no events and no intervals, only
 * requests, so each that tried to reach something live is one event: `connect` if it succeeded, and `retry` if it did not,
 * since whoever sent it has to come again. What to make of the gaps between them is the statistics' affair.
 */
import { complaintOfClient, readClient } from '../parsing/event-reader.ts';
import { type ReadResult, rejected } from '../parsing/read-result.ts';

export interface LoggedRequest {
  readonly client: unknown;
  /** Epoch milliseconds, or NaN. */
  readonly timestamp: number;
  readonly method: string;
  /** 0: whoever asked was gone before an answer. NaN: not known. */
  readonly status: number;
  readonly isWebSocket: boolean;
}

const SWITCHING_PROTOCOLS = 101;
const TOO_MANY_REQUESTS = 429;
/** nginx's own: the client closed the connection. */
const CLIENT_CLOSED = 499;

export function judgeRequest(request: LoggedRequest): ReadResult {
  const client = readClient(request.client);
  if (client === undefined) {
    return rejected(complaintOfClient(request.client));
  }
  if (Number.isNaN(request.status)) {
    return rejected('has no status');
  }
  if (!isAttempt(request)) {
    return { kind: 'other' };
  }
  const { timestamp, status } = request;
  const type = status >= SWITCHING_PROTOCOLS && status < 400 ? 'connect' : 'retry';
  const event = { client, type, timestamp, interval: Number.NaN } as const;
  return Number.isNaN(timestamp)
    ? { kind: 'event', event, complaint: 'counts without a time' }
    : { kind: 'event', event };
}

/**
 * A page fetches its pictures within milliseconds, and nobody retries there: what is only read counts where it failed as
 * a server under load fails. A browser's own question beforehand (OPTIONS) never counts.
 */
function isAttempt({ method, status, isWebSocket }: LoggedRequest): boolean {
  if (method === 'OPTIONS') {
    return false;
  }
  const isRead = method === 'GET' || method === 'HEAD';
  return !isRead || isWebSocket || status === SWITCHING_PROTOCOLS || hasFailedOnLoad(status);
}

function hasFailedOnLoad(status: number): boolean {
  return status === 0 || status === TOO_MANY_REQUESTS || status >= CLIENT_CLOSED;
}

/** @returns NaN for what is no status */
export function readStatus(value: unknown): number {
  const text = String(value ?? '');
  return /^\d{3}$/.test(text) ? Number(text) : Number.NaN;
}
