/**
 * From props to the function's environment. It is read back by the very parser that the function uses, so that what
 * would fail there fails at synth.
 */

import { Token } from 'aws-cdk-lib';
import { ConfigurationError, readConfiguration, VARIABLES, type VariableName } from '../../contract/configuration.ts';
import { parsePolicies } from '../../limiter/policy/policy.ts';
import type { EphemeralKeyIssuerProps } from './props.ts';

export type Environment = Readonly<Record<VariableName, string>>;

export const DEFAULT_KEY_PARAMETER = VARIABLES.OPENAI_KEY_PARAMETER.example;

/** The longest name that a table can have stands in for one that CloudFormation has yet to make up. */
const LONGEST_TABLE_NAME = 'x'.repeat(255);

/** Lambda measures the environment as JSON, names and quotes included (the error shows the "String measured"). */
const ENVIRONMENT_LIMIT_BYTES = 4096;

/**
 * What the function takes, because it also runs on a laptop, and a deployed one has no use for. Parameter Store's grammar of
 * names: AWS, "Requirements and constraints for parameter names" (a version or a label may follow; an ARN is another account's).
 */
const ON_AWS = [
  {
    name: 'OPENAI_BASE_URL',
    grammar: /^https:/,
    says: 'it must be https: http is for a stand-in on the same machine',
  },
  {
    name: 'OPENAI_KEY_PARAMETER',
    grammar: /^(?!(?:aws|ssm)|\/(?:aws|ssm)\/)(?:arn:.+|(?:[\w.-]+|(?:\/[\w.-]+){1,15})(?::[\w.-]+)?)$/i,
    says: 'SSM has no such name: it is one word, or up to 15 with a "/" before each, and begins neither with "aws" nor "ssm"',
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

/** Every variable by name, the defaults too: what a function runs with can be read in the console. */
export function functionEnvironment(props: EphemeralKeyIssuerProps, tableName: string): Environment {
  return {
    TABLE_NAME: tableName,
    OPENAI_KEY_PARAMETER: props.keyParameterName ?? DEFAULT_KEY_PARAMETER,
    OPENAI_BASE_URL: props.openaiBaseUrl ?? VARIABLES.OPENAI_BASE_URL.default,
    KEY_TTL_SECONDS: String(props.keyTtlSeconds ?? VARIABLES.KEY_TTL_SECONDS.default),
    CLIENT_LIMITS: props.clientLimits ?? VARIABLES.CLIENT_LIMITS.default,
    GLOBAL_LIMITS: props.globalLimits ?? VARIABLES.GLOBAL_LIMITS.default,
    IPV6_PREFIX: String(props.ipv6Prefix ?? VARIABLES.IPV6_PREFIX.default),
    ALLOWED_ORIGINS: props.allowedOrigins?.join(',') ?? VARIABLES.ALLOWED_ORIGINS.default,
    LIMITER_FAILURE_MODE: props.limiterFailureMode ?? VARIABLES.LIMITER_FAILURE_MODE.default,
    // Empty: the settings are in session.json beside the code.
    SESSION_CONFIG: VARIABLES.SESSION_CONFIG.default,
  };
}

/** What is wrong with the props that make the environment, a sentence each. */
export function environmentComplaints(props: EphemeralKeyIssuerProps): string[] {
  const origins = originComplaints(props.allowedOrigins);
  if (origins.length > 0) {
    return origins;
  }
  const environment = functionEnvironment(props, props.tableName ?? LONGEST_TABLE_NAME);
  const wrongAnywhere = configurationComplaints(environment);
  const isKnownWrong = (name: VariableName) => wrongAnywhere.some((known) => known.startsWith(`${PROP_OF[name]}:`));
  const wrongOnAws = ON_AWS.filter(({ name, grammar }) => !grammar.test(environment[name]) && !isKnownWrong(name)).map(
    ({ name, says }) =>
      `${PROP_OF[name]}: ${name}=${JSON.stringify(environment[name])} is wrong: ${says}. A right value: ${name}=${VARIABLES[name].example}`,
  );
  return [...wrongAnywhere, ...wrongOnAws, ...sizeComplaints(environment)];
}

/** One by one: an origin that only CloudFormation knows must not hide a wrong one beside it, and CloudFront splits no commas. */
function originComplaints(allowedOrigins: unknown): string[] {
  if (allowedOrigins === undefined) {
    return [];
  }
  const isOrigin = (origin: unknown) =>
    typeof origin === 'string' &&
    (Token.isUnresolved(origin) ||
      (/^https?:/.test(origin) && URL.canParse(origin) && new URL(origin).origin === origin));
  if (!Array.isArray(allowedOrigins)) {
    return [`allowedOrigins: it must be a list. A right value: ["https://www.example.com"]`];
  }
  return allowedOrigins
    .filter((origin) => !isOrigin(origin))
    .map(
      (origin) =>
        `allowedOrigins: ALLOWED_ORIGINS=${JSON.stringify(origin)} is wrong: it must be one origin, scheme, host and port alone. A right value: ALLOWED_ORIGINS=https://www.example.com`,
    );
}

function configurationComplaints(environment: Environment): string[] {
  try {
    readConfiguration({ ...environment, ...standIns(environment) }, parsePolicies);
    return [];
  } catch (error) {
    if (error instanceof ConfigurationError) {
      return error.message.split('\n').map(withPropName);
    }
    throw error;
  }
}

/** A table's name and the origin of a site may be known to CloudFormation only: a right value stands in for them. */
function standIns(environment: Environment): Partial<Environment> {
  const deferrable = ['TABLE_NAME', 'ALLOWED_ORIGINS'] as const;
  const deferred = deferrable.filter((name) => Token.isUnresolved(environment[name]));
  return Object.fromEntries(deferred.map((name) => [name, VARIABLES[name].example]));
}

/** `CLIENT_LIMITS="x" is wrong` becomes `clientLimits: CLIENT_LIMITS="x" is wrong`. */
function withPropName(complaint: string): string {
  const [variable] = /^[A-Z0-9_]+/.exec(complaint) ?? [];
  const prop = Object.entries(PROP_OF).find(([name]) => name === variable)?.[1];
  return prop === undefined ? complaint : `${prop}: ${complaint}`;
}

function sizeComplaints(environment: Environment): string[] {
  const bytes = Buffer.byteLength(JSON.stringify(environment));
  if (bytes <= ENVIRONMENT_LIMIT_BYTES) {
    return [];
  }
  const [longest] = Object.entries(environment).sort(([, a], [, b]) => b.length - a.length);
  const name = (longest?.[0] ?? 'TABLE_NAME') as VariableName;
  return [
    `${PROP_OF[name]}: the function's environment would have ${bytes} bytes, and Lambda takes ${ENVIRONMENT_LIMIT_BYTES}. ` +
      `${name} is the longest part of it; a right value: ${name}=${VARIABLES[name].example}`,
  ];
}
