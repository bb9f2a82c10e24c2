/**
 * Converts props into the function's environment. The result is checked with the same parser that the function uses, so an
 * invalid value fails at synth and not after the deployment.
 */

import { Token } from 'aws-cdk-lib';
import { ConfigurationError, readConfiguration, VARIABLES, type VariableName } from '../../contract/configuration.ts';
import { parsePolicies } from '../../limiter/policy/policy.ts';
import { customOrigin } from './custom-domain.ts';
import type { EphemeralKeyIssuerProps } from './props.ts';

export type Environment = Readonly<Record<VariableName, string>>;

export const DEFAULT_KEY_PARAMETER = VARIABLES.OPENAI_KEY_PARAMETER.example;

/** Takes the place of a name that CloudFormation has not generated yet. It is the longest that a table can have. */
const LONGEST_TABLE_NAME = 'x'.repeat(255);

/** Lambda measures the environment as JSON, including names and quotes (its error message shows the "String measured"). */
const ENVIRONMENT_LIMIT_BYTES = 4096;

/**
 * Stricter rules for a deployed function. Without them, the function accepts more, because it also runs on a laptop. Source of the
 * parameter name's grammar: AWS, "Requirements and constraints for parameter names" (a version or a label may follow; an ARN names
 * a parameter of another account).
 */
const DEPLOYMENT_RULES = [
  {
    name: 'OPENAI_BASE_URL',
    grammar: /^https:/,
    explanation: 'it must use https; http is only for an OpenAI stand-in on the same machine',
  },
  {
    name: 'OPENAI_KEY_PARAMETER',
    grammar: /^(?!(?:aws|ssm)|\/(?:aws|ssm)\/)(?:arn:.+|(?:[\w.-]+|(?:\/[\w.-]+){1,15})(?::[\w.-]+)?)$/i,
    explanation:
      'it must be an SSM parameter name: one word, or up to 15 words with a "/" before each, not beginning with "aws" or "ssm"',
  },
] as const;

const PROP_OF: Record<VariableName, keyof EphemeralKeyIssuerProps> = {
  TABLE_NAME: 'tableName',
  OPENAI_KEY_PARAMETER: 'keyParameterName',
  OPENAI_BASE_URL: 'openaiBaseUrl',
  KEY_TTL_SECONDS: 'keyTtlSeconds',
  CLIENT_LIMITS: 'clientLimits',
  GLOBAL_LIMITS: 'globalLimits',
  IPV6_PREFIX: 'ipv6Prefix',
  ALLOWED_ORIGINS: 'allowedOrigins',
  LIMITER_FAILURE_MODE: 'limiterFailureMode',
  SESSION_CONFIG: 'session',
};

/** Sets every variable, including the defaults, so that the Lambda console shows all of them. */
export function functionEnvironment(props: EphemeralKeyIssuerProps, tableName: string): Environment {
  return {
    TABLE_NAME: tableName,
    OPENAI_KEY_PARAMETER: props.keyParameterName ?? DEFAULT_KEY_PARAMETER,
    OPENAI_BASE_URL: props.openaiBaseUrl ?? VARIABLES.OPENAI_BASE_URL.default,
    KEY_TTL_SECONDS: String(props.keyTtlSeconds ?? VARIABLES.KEY_TTL_SECONDS.default),
    CLIENT_LIMITS: props.clientLimits ?? VARIABLES.CLIENT_LIMITS.default,
    GLOBAL_LIMITS: props.globalLimits ?? VARIABLES.GLOBAL_LIMITS.default,
    IPV6_PREFIX: String(props.ipv6Prefix ?? VARIABLES.IPV6_PREFIX.default),
    ALLOWED_ORIGINS: originsOf(props).join(','),
    LIMITER_FAILURE_MODE: props.limiterFailureMode ?? VARIABLES.LIMITER_FAILURE_MODE.default,
    // Empty, because the settings are in session.json beside the code.
    SESSION_CONFIG: VARIABLES.SESSION_CONFIG.default,
  };
}

/**
 * The issuer's own page is recognised by Sec-Fetch-Site, which Safari before 16.4 does not send. If its origin is known, it is
 * therefore on the function's list, and not on the edge's: a page needs no CORS headers from its own origin.
 */
function originsOf(props: EphemeralKeyIssuerProps): readonly string[] {
  return [...new Set([...(props.allowedOrigins ?? []), customOrigin(props) ?? []].flat())];
}

/** @returns one error message for each invalid prop that becomes a variable of the function */
export function validateEnvironment(props: EphemeralKeyIssuerProps): string[] {
  const originErrors = validateOrigins(props.allowedOrigins);
  if (originErrors.length > 0) {
    return originErrors;
  }
  const environment = functionEnvironment(props, props.tableName ?? LONGEST_TABLE_NAME);
  const errors = validateConfiguration(environment);
  const isReported = (name: VariableName) => errors.some((error) => error.startsWith(`${PROP_OF[name]}:`));
  const deploymentErrors = DEPLOYMENT_RULES.filter(
    ({ name, grammar }) => !grammar.test(environment[name]) && !isReported(name),
  ).map(
    ({ name, explanation }) =>
      `${PROP_OF[name]}: ${name}=${JSON.stringify(environment[name])} is invalid: ${explanation}. For example: ${name}=${VARIABLES[name].example}`,
  );
  return [...errors, ...deploymentErrors, ...validateSize(environment)];
}

/**
 * Checks each origin separately: an origin that only CloudFormation knows must not hide an invalid one beside it, and CloudFront
 * does not split a value at commas.
 */
function validateOrigins(allowedOrigins: unknown): string[] {
  if (allowedOrigins === undefined) {
    return [];
  }
  const isOrigin = (origin: unknown) =>
    typeof origin === 'string' &&
    (Token.isUnresolved(origin) ||
      (/^https?:/.test(origin) && URL.canParse(origin) && new URL(origin).origin === origin));
  if (!Array.isArray(allowedOrigins)) {
    return [`allowedOrigins: it must be a list. For example: ["https://www.example.com"]`];
  }
  return allowedOrigins
    .filter((origin) => !isOrigin(origin))
    .map(
      (origin) =>
        `allowedOrigins: ALLOWED_ORIGINS=${JSON.stringify(origin)} is invalid: it must be one origin, with scheme, host and port only. For example: ALLOWED_ORIGINS=https://www.example.com`,
    );
}

function validateConfiguration(environment: Environment): string[] {
  try {
    readConfiguration({ ...environment, ...placeholders(environment) }, parsePolicies);
    return [];
  } catch (error) {
    if (error instanceof ConfigurationError) {
      return error.message.split('\n').map(withPropName);
    }
    throw error;
  }
}

/** The table's name and an origin may be known only to CloudFormation. A valid example takes the place of each. */
function placeholders(environment: Environment): Partial<Environment> {
  const deferrable = ['TABLE_NAME', 'ALLOWED_ORIGINS'] as const;
  const deferred = deferrable.filter((name) => Token.isUnresolved(environment[name]));
  return Object.fromEntries(deferred.map((name) => [name, VARIABLES[name].example]));
}

/** `CLIENT_LIMITS="x" is invalid` becomes `clientLimits: CLIENT_LIMITS="x" is invalid`. */
function withPropName(message: string): string {
  const [variable] = /^[A-Z0-9_]+/.exec(message) ?? [];
  const prop = Object.entries(PROP_OF).find(([name]) => name === variable)?.[1];
  return prop === undefined ? message : `${prop}: ${message}`;
}

function validateSize(environment: Environment): string[] {
  const bytes = Buffer.byteLength(JSON.stringify(environment));
  if (bytes <= ENVIRONMENT_LIMIT_BYTES) {
    return [];
  }
  const [longest] = Object.entries(environment).sort(([, a], [, b]) => b.length - a.length);
  const name = (longest?.[0] ?? 'TABLE_NAME') as VariableName;
  return [
    `${PROP_OF[name]}: the function's environment would have ${bytes} bytes, and Lambda allows at most ${ENVIRONMENT_LIMIT_BYTES}. ` +
      `${name} is its longest variable. For example: ${name}=${VARIABLES[name].example}`,
  ];
}
