/**
 * Keeps the SDK from repeating a write of which nobody can tell whether it was applied.
 */
import type { UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { isRefusal, wordsOf } from './aws-error.ts';

/**
 * An attempt of unknown outcome, as an error that the SDK does not repeat. It must not carry the original as its
 * `cause`: the SDK looks through causes for one that is worth repeating.
 */
class LostAnswerError extends Error {
  override readonly name = 'LostAnswerError';

  constructor(original: unknown) {
    const { name, message } = wordsOf(original);
    super(`${name}: ${message}`);
  }
}

/**
 * Lets the SDK repeat only attempts that DynamoDB says it refused (throttling). One whose answer was lost, or that
 * failed inside DynamoDB, may have been applied: it is not sent again.
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
