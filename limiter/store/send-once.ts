/** Prevents the SDK from retrying a write that may already have been applied. */
import type { UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { isRefusal, nameAndMessage } from './aws-error.ts';

/**
 * The error for an attempt with an unknown outcome. The SDK does not retry it. It must not have the original error as its `cause`,
 * because the SDK searches the causes for a retryable error.
 */
class LostAnswerError extends Error {
  override readonly name = 'LostAnswerError';

  constructor(original: unknown) {
    const { name, message } = nameAndMessage(original);
    super(`${name}: ${message}`);
  }
}

/**
 * Allows the SDK to retry only attempts that DynamoDB has rejected (throttling). If the response was lost, or DynamoDB failed
 * internally, the write may have been applied, and is not retried.
 */
export function sendOnce(command: UpdateItemCommand): void {
  command.middlewareStack.addRelativeTo(failFinallyWhenUnclear, {
    name: 'sendOnce',
    relation: 'after',
    toMiddleware: 'retryMiddleware',
  });
}

function failFinallyWhenUnclear<Args, Result>(next: (args: Args) => Promise<Result>) {
  return async (args: Args): Promise<Result> => {
    try {
      return await next(args);
    } catch (error) {
      throw isRefusal(error) ? error : new LostAnswerError(error);
    }
  };
}
