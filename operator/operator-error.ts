/**
 * What an operator is told where a command cannot do its work: a sentence about what is the matter, and a way out. Errors of
 * AWS are put into such words here; what has no words of its own is passed on in AWS's.
 */
import { StoreMisconfiguredError, StoreUnavailableError } from '../limiter/index.ts';

/** Its message is for people, and its code for whoever called the command: 1 it failed, 2 wrong usage. */
export class OperatorError extends Error {
  override readonly name = 'OperatorError';
  readonly exitCode: 1 | 2;

  constructor(message: string, { exitCode = 1, cause }: { exitCode?: 1 | 2; cause?: unknown } = {}) {
    super(message, { cause });
    this.exitCode = exitCode;
  }
}

export function wrongUsage(message: string): OperatorError {
  return new OperatorError(message, { exitCode: 2 });
}

const NO_CREDENTIALS =
  'There are no AWS credentials here. Sign in, for instance with: aws sso login --profile NAME, and then give ' +
  '--profile NAME; or set AWS_PROFILE.';
const EXPIRED = 'Your AWS session has expired. Sign in again: aws sso login --profile NAME';
const WRONG_CREDENTIALS =
  'AWS does not accept these credentials. See whose they are: aws sts get-caller-identity, or give others: --profile NAME';
const THROTTLED = 'AWS is throttling your requests. Nothing is broken: try again in a minute.';

const SENTENCES: Readonly<Record<string, string>> = {
  CredentialsProviderError: NO_CREDENTIALS,
  TokenProviderError: EXPIRED,
  ExpiredToken: EXPIRED,
  ExpiredTokenException: EXPIRED,
  RequestExpired: EXPIRED,
  InvalidClientTokenId: WRONG_CREDENTIALS,
  UnrecognizedClientException: WRONG_CREDENTIALS,
  InvalidSignatureException: WRONG_CREDENTIALS,
  SignatureDoesNotMatch: WRONG_CREDENTIALS,
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
 * @param doing what was tried, fit to follow "while": `reading the switch`
 * @returns an error whose message says what is the matter and what to do
 */
export function inWords(error: unknown, doing: string): OperatorError {
  if (error instanceof OperatorError) {
    return error;
  }
  if (error instanceof StoreMisconfiguredError || error instanceof StoreUnavailableError) {
    return storeInWords(error, doing);
  }
  return new OperatorError(`While ${doing}: ${sentenceFor(error)}`, { cause: error });
}

/** The store's own sentence names the table, and is kept where AWS's has no better one. */
function storeInWords(error: StoreMisconfiguredError | StoreUnavailableError, doing: string): OperatorError {
  const known = knownSentence(error.cause);
  const wayOut =
    error instanceof StoreUnavailableError ? 'Try again in a minute.' : 'Is it the right account, region and stack?';
  return new OperatorError(`While ${doing}: ${known ?? `${error.message} ${wayOut}`}`, { cause: error });
}

/** What happened, with a way out where one is known. */
export function sentenceFor(error: unknown): string {
  const known = knownSentence(error);
  if (known !== undefined) {
    return known;
  }
  const { name, message } = wordsOf(error);
  const isOfAws = error instanceof Error && '$fault' in error;
  return isOfAws ? `AWS says ${name}: ${message}` : message;
}

function knownSentence(error: unknown): string | undefined {
  const { name, message, code } = wordsOf(error);
  if (message.includes('Region is missing')) {
    return 'No AWS region is set. Say where the stack is: --region eu-central-1, or export AWS_REGION=eu-central-1';
  }
  if (DENIED.has(name)) {
    return `You may not do that with these credentials: ${message} Give others: --profile NAME`;
  }
  if (code !== undefined && UNREACHABLE.has(code)) {
    return `Nothing answers (${code}). Is there a network, is the region's name right, or does the local stack no longer run?`;
  }
  if (name === 'TimeoutError') {
    return 'AWS did not answer in time. Try again in a minute.';
  }
  return Object.hasOwn(SENTENCES, name) ? SENTENCES[name] : undefined;
}

function wordsOf(error: unknown): { name: string; message: string; code: string | undefined } {
  if (!(error instanceof Error)) {
    return { name: 'Unknown', message: String(error), code: undefined };
  }
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  return { name: error.name, message: error.message, code };
}
