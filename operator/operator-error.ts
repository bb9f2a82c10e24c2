/**
 * The error that a failed command prints: what happened, and what to do about it. This file has such messages for common
 * errors of AWS. Any other error keeps AWS's own message.
 */
import { StoreMisconfiguredError, StoreUnavailableError } from '../limiter/index.ts';

/** Its message is for the operator. Its exit code is 1 if the command failed, and 2 if its arguments are invalid. */
export class OperatorError extends Error {
  override readonly name = 'OperatorError';
  readonly exitCode: 1 | 2;

  constructor(message: string, { exitCode = 1, cause }: { exitCode?: 1 | 2; cause?: unknown } = {}) {
    super(message, { cause });
    this.exitCode = exitCode;
  }
}

export function usageError(message: string): OperatorError {
  return new OperatorError(message, { exitCode: 2 });
}

const NO_CREDENTIALS =
  'No AWS credentials were found. Sign in, for example with aws sso login --profile NAME, then run the command again with ' +
  '--profile NAME, or set AWS_PROFILE.';
const EXPIRED = 'Your AWS session has expired. Sign in again: aws sso login --profile NAME';
const REJECTED_CREDENTIALS =
  'AWS rejected these credentials. Check them with: aws sts get-caller-identity. To use other credentials: --profile NAME';
const THROTTLED = 'AWS is throttling your requests. Nothing is broken. Run the command again in a minute.';

const MESSAGES: Readonly<Record<string, string>> = {
  CredentialsProviderError: NO_CREDENTIALS,
  TokenProviderError: EXPIRED,
  ExpiredToken: EXPIRED,
  ExpiredTokenException: EXPIRED,
  RequestExpired: EXPIRED,
  InvalidClientTokenId: REJECTED_CREDENTIALS,
  UnrecognizedClientException: REJECTED_CREDENTIALS,
  InvalidSignatureException: REJECTED_CREDENTIALS,
  SignatureDoesNotMatch: REJECTED_CREDENTIALS,
  Throttling: THROTTLED,
  ThrottlingException: THROTTLED,
  ThrottledException: THROTTLED,
  TooManyRequestsException: THROTTLED,
  RequestLimitExceeded: THROTTLED,
  ProvisionedThroughputExceededException: THROTTLED,
};
const DENIED = new Set(['AccessDenied', 'AccessDeniedException', 'UnauthorizedOperation']);
const UNREACHABLE = new Set(['ENOTFOUND', 'EAI_AGAIN', 'ECONNREFUSED', 'ECONNRESET', 'ETIMEDOUT', 'EHOSTUNREACH']);

/**
 * @param doing completes a sentence that begins with "While": `reading the switch`
 * @returns an error whose message says what happened and what to do
 */
export function toOperatorError(error: unknown, doing: string): OperatorError {
  if (error instanceof OperatorError) {
    return error;
  }
  if (error instanceof StoreMisconfiguredError || error instanceof StoreUnavailableError) {
    return fromStoreError(error, doing);
  }
  return new OperatorError(`While ${doing}: ${sentenceFor(error)}`, { cause: error });
}

/** Keeps the store's message, which names the table, unless there is a better one for the error of AWS that caused it. */
function fromStoreError(error: StoreMisconfiguredError | StoreUnavailableError, doing: string): OperatorError {
  const known = knownMessage(error.cause);
  const fix =
    error instanceof StoreUnavailableError
      ? 'Run the command again in a minute.'
      : 'Check the account, the region and the name of the stack.';
  return new OperatorError(`While ${doing}: ${known ?? `${error.message} ${fix}`}`, { cause: error });
}

/** @returns what happened, and what to do if that is known */
export function sentenceFor(error: unknown): string {
  const known = knownMessage(error);
  if (known !== undefined) {
    return known;
  }
  const { name, message } = partsOf(error);
  const isOfAws = error instanceof Error && '$fault' in error;
  return isOfAws ? `AWS returned ${name}: ${message}` : message;
}

function knownMessage(error: unknown): string | undefined {
  const { name, message, code } = partsOf(error);
  if (message.includes('Region is missing')) {
    return 'No AWS region is set. Set the region of the stack, for example with --region eu-central-1 or export AWS_REGION=eu-central-1';
  }
  if (DENIED.has(name)) {
    return `These credentials do not have permission: ${message} To use other credentials: --profile NAME`;
  }
  if (code !== undefined && UNREACHABLE.has(code)) {
    return `The connection failed (${code}). Check your network and the name of the region; for a local stack, check that it is running.`;
  }
  if (name === 'TimeoutError') {
    return 'AWS did not answer in time. Run the command again in a minute.';
  }
  return Object.hasOwn(MESSAGES, name) ? MESSAGES[name] : undefined;
}

function partsOf(error: unknown): { name: string; message: string; code: string | undefined } {
  if (!(error instanceof Error)) {
    return { name: 'Unknown', message: String(error), code: undefined };
  }
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  return { name: error.name, message: error.message, code };
}
