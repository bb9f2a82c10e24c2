/** The stack's outputs, by the names that the command line looks up. */

/** The stack that `bin/app.ts` deploys. */
export const STACK_NAME = 'EphemeralKeyIssuer';

/**
 * The outputs with their descriptions. SessionUrl and PageUrl exist only with a distribution, and DnsRecord only with a custom
 * domain outside of Route 53; the others always exist.
 */
export const OUTPUTS = {
  SessionUrl: 'Where a key is asked for: POST with an empty body and its hash',
  PageUrl: 'The demo page',
  DnsRecord: 'The DNS record to set for the custom domain: name, type, target',
  FunctionUrl: 'The origin behind the edge: it refuses calls that CloudFront did not sign',
  FunctionName: 'The function that hands out keys',
  LogGroupName: 'Its log: one line per request',
  TableName: 'Counters, kill switch and blocks',
  KeyParameterName: 'The SSM parameter that must hold the OpenAI key',
} as const;

export type OutputName = keyof typeof OUTPUTS;
