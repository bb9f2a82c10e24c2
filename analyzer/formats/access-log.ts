/**
 * Turns a request in an access log into an event. Such a log has no event types and no intervals, only requests. A request
 * that tries to connect becomes a `connect` if it succeeded, and a `retry` if it failed, because its client has to try
 * again. The statistics derive intervals from the gaps.
 */
import { complaintOfClient, readClient } from '../parsing/event-reader.ts';
import { type ReadResult, rejected } from '../parsing/read-result.ts';

export interface LoggedRequest {
  readonly client: unknown;
  /** Epoch milliseconds, or NaN. */
  readonly timestamp: number;
  readonly method: string;
  /** 0: the client disconnected before the response. NaN: unknown. */
  readonly status: number;
  readonly isWebSocket: boolean;
}

const SWITCHING_PROTOCOLS = 101;
const TOO_MANY_REQUESTS = 429;
/** nginx's own status for a connection that the client closed. */
const CLIENT_CLOSED = 499;

export function judgeRequest(request: LoggedRequest): ReadResult {
  const client = readClient(request.client);
  if (client === undefined) {
    return rejected(complaintOfClient(request.client));
  }
  if (Number.isNaN(request.status)) {
    return rejected('has no valid status');
  }
  if (!isAttempt(request)) {
    return { kind: 'other' };
  }
  const { timestamp, status } = request;
  const type = status >= SWITCHING_PROTOCOLS && status < 400 ? 'connect' : 'retry';
  const event = { client, type, timestamp, interval: Number.NaN } as const;
  return Number.isNaN(timestamp)
    ? { kind: 'event', event, complaint: 'has no valid timestamp, and is counted without one' }
    : { kind: 'event', event };
}

/**
 * A page loads its images within milliseconds, and those requests are not retries. So a GET or HEAD counts only if it failed
 * as requests to an overloaded server do. A browser's preflight request (OPTIONS) never counts.
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

/** @returns NaN if the value is not a status */
export function readStatus(value: unknown): number {
  const text = String(value ?? '');
  return /^\d{3}$/.test(text) ? Number(text) : Number.NaN;
}
