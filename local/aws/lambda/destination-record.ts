/**
 * What Lambda sends to an on-failure destination. A destination that is a function gets it as its event.
 * https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-retain-records.html
 */

import type { Attempt, DiscardedEvent } from './async-queue.ts';
import type { ErrorPayload } from './function-error.ts';

export interface DestinationRecord {
  readonly version: '1.0';
  /** ISO 8601, in UTC. */
  readonly timestamp: string;
  readonly requestContext: {
    /** Of the event that failed, not of the record's own delivery. */
    readonly requestId: string;
    /** With the qualifier `$LATEST`. */
    readonly functionArn: string;
    readonly condition: DiscardedEvent['condition'];
    readonly approximateInvokeCount: number;
  };
  readonly requestPayload: unknown;
  /** Missing if the function was never asked, or is switched off. */
  readonly responseContext?:
    | { readonly statusCode: 200; readonly executedVersion: '$LATEST'; readonly functionError: 'Unhandled' }
    | { readonly statusCode: 429 };
  /** Only after a function error. */
  readonly responsePayload?: ErrorPayload;
}

export function destinationRecord(
  { event, condition, invokeCount, last }: DiscardedEvent,
  functionArn: string,
  nowMs: number,
): DestinationRecord {
  return {
    version: '1.0',
    timestamp: new Date(nowMs).toISOString(),
    requestContext: {
      requestId: event.requestId,
      functionArn: `${functionArn}:$LATEST`,
      condition,
      approximateInvokeCount: invokeCount,
    },
    requestPayload: event.payload,
    ...responseOf(last),
  };
}

/** AWS documents no record of an event that was only throttled. Its status is an assumption. */
function responseOf(last: Attempt | undefined): Pick<DestinationRecord, 'responseContext' | 'responsePayload'> {
  switch (last?.kind) {
    case 'failed':
      return {
        responseContext: { statusCode: 200, executedVersion: '$LATEST', functionError: 'Unhandled' },
        responsePayload: last.error,
      };
    case 'throttled':
      return { responseContext: { statusCode: 429 } };
    case undefined:
    case 'succeeded':
    case 'switched_off':
      return {};
  }
}
