/**
 * Why an invocation has no result, as Lambda reports it: the `message` is what Lambda logs, the `payload` what it returns to the
 * caller and to an on-failure destination. The wordings are those that AWS sent to the tests of LocalStack in November 2025.
 */

export interface ErrorPayload {
  readonly errorType: string;
  readonly errorMessage: string;
  /** The lines of the stack. Only an exception has them. */
  readonly trace?: readonly string[];
}

export class FunctionError extends Error {
  override readonly name = 'FunctionError';
  readonly payload: ErrorPayload;

  constructor(message: string, payload: ErrorPayload) {
    super(message);
    this.payload = payload;
  }
}

/** What the bundle threw, from its handler or during its import, as Lambda's runtime for Node.js describes it. */
export function thrownPayload(error: unknown): ErrorPayload {
  return error instanceof Error
    ? { errorType: error.name, errorMessage: error.message, trace: error.stack?.split('\n') ?? [] }
    : { errorType: typeof error, errorMessage: String(error), trace: [] };
}

export function thrown(payload: ErrorPayload): FunctionError {
  return new FunctionError(payload.trace?.join('\n') || payload.errorMessage, payload);
}

/** The runbook tells operators to search for this wording. */
export function timedOut(requestId: string, timeoutMs: number): FunctionError {
  return ended(requestId, 'Sandbox.Timedout', `Task timed out after ${(timeoutMs / 1_000).toFixed(2)} seconds`);
}

/** @param how `killed`, or the exit code */
export function exited(requestId: string, how: 'killed' | number): FunctionError {
  return ended(requestId, 'Runtime.ExitError', `Runtime exited ${reasonOf(how)}`);
}

function reasonOf(how: 'killed' | number): string {
  if (how === 'killed') {
    return 'with error: signal: killed';
  }
  return how === 0 ? 'without providing a reason' : `with error: exit status ${how}`;
}

function ended(requestId: string, errorType: string, message: string): FunctionError {
  return new FunctionError(message, { errorType, errorMessage: `RequestId: ${requestId} Error: ${message}` });
}
