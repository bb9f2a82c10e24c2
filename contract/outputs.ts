/** What the stack tells about itself after a deploy, by the names under which the command line looks it up. */

/** The stack that `bin/app.ts` deploys. */
export const STACK_NAME = 'EphemeralKeyIssuer';

/** The keys of the stack's outputs. All but the two URLs of the distribution are always there. */
export const OUTPUTS = {
  SessionUrl: 'Where a key is asked for: POST with an empty body and its hash',
  PageUrl: 'The demo page',
  FunctionUrl: 'The origin behind the edge: it refuses calls that CloudFront did not sign',
  FunctionName: 'The function that hands out keys',
  LogGroupName: 'Its log: one line per request',
  TableName: 'Counters, kill switch and blocks',
  KeyParameterName: 'The SSM parameter that must hold the OpenAI key',
} as const;

export type OutputName = keyof typeof OUTPUTS;
