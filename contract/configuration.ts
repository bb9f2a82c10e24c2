/**
 * The function's environment variables: default, range and meaning of each. `cdk synth`, the function and the command line read
 * them with the same code, so what deploys also runs. An invalid value is an error that names the variable and shows a valid
 * value; it is never replaced by a default.
 */

/** OpenAI's session settings, sent with each request for a key. Only these two fields are checked; OpenAI checks the rest. */
export interface SessionConfig {
  readonly type: 'realtime';
  readonly model: string;
  readonly [setting: string]: unknown;
}

/** `Limits` is the result type of the limit parser. It is a type parameter because this folder imports nothing. */
export interface Configuration<Limits> {
  readonly tableName: string;
  readonly openaiKeyParameter: string;
  /** Without a trailing slash. */
  readonly openaiBaseUrl: string;
  readonly keyTtlSeconds: number;
  readonly clientLimits: Limits;
  readonly globalLimits: Limits;
  /** How many leading bits of an IPv6 address identify one viewer. */
  readonly ipv6Prefix: number;
  readonly allowedOrigins: readonly string[];
  readonly limiterFailureMode: 'closed' | 'open';
  /** Overrides session.json. */
  readonly sessionConfig: SessionConfig | undefined;
}

/** All problems of a configuration, one per line of the message. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
}

interface Variable<Value> {
  /** Used if the variable is absent. A variable without a default is required. */
  readonly default?: string;
  /** A valid value, for error messages and documentation. */
  readonly example: string;
  /** Throws an Error whose message says what was expected, and follows "NAME=value is invalid: ". */
  readonly parse: (text: string) => Value;
}

const TABLE_NAME = /^[a-zA-Z0-9_.-]{3,255}$/;
const PARAMETER_NAME = /^[a-zA-Z0-9_.\-/:]{1,1011}$/;
/** The prefix of OpenAI's keys. A key that was put into a variable by mistake must not be logged. */
const OPENAI_KEY = /\bsk-/;
const WHOLE_NUMBER = /^\d{1,9}$/;
const LOOPBACK_HOST = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** Every variable by its name in the environment. */
export const VARIABLES = {
  TABLE_NAME: {
    example: 'ephemeral-key-issuer',
    parse: matching(
      TABLE_NAME,
      'it must be a DynamoDB table name: 3 to 255 characters from a-z, A-Z, 0-9, "_", "." and "-"',
    ),
  },
  OPENAI_KEY_PARAMETER: {
    example: '/ephemeral-key-issuer/openai-api-key',
    parse: parameterName,
  },
  OPENAI_BASE_URL: { default: 'https://api.openai.com/v1', example: 'https://api.openai.com/v1', parse: baseUrl },
  KEY_TTL_SECONDS: { default: '60', example: '60', parse: wholeNumber(10, 7200) },
  CLIENT_LIMITS: { default: '10/1h', example: '10/1h', parse: asIs },
  GLOBAL_LIMITS: { default: '500/1d', example: '500/1d', parse: asIs },
  IPV6_PREFIX: { default: '56', example: '56', parse: wholeNumber(32, 128) },
  ALLOWED_ORIGINS: { default: '', example: 'https://www.example.com,https://example.com', parse: origins },
  LIMITER_FAILURE_MODE: { default: 'closed', example: 'closed', parse: failureMode },
  SESSION_CONFIG: { default: '', example: '{"type":"realtime","model":"gpt-realtime-2.1-mini"}', parse: inlineSession },
} as const satisfies Record<string, Variable<unknown>>;

export type VariableName = keyof typeof VARIABLES;
type ValueOf<Name extends VariableName> = ReturnType<(typeof VARIABLES)[Name]['parse']>;

/**
 * @param environment the environment variables of the process
 * @param parseLimits parses the text of a limit; throws an Error that says what was expected
 * @throws ConfigurationError naming every invalid variable, not only the first
 */
export function readConfiguration<Limits>(
  environment: Readonly<Record<string, string | undefined>>,
  parseLimits: (text: string) => Limits,
): Configuration<Limits> {
  const complaints: string[] = [];

  function read<Name extends VariableName>(name: Name): ValueOf<Name>;
  function read<Name extends VariableName, Value>(name: Name, parse: (text: string) => Value): Value;
  function read<Value>(name: VariableName, parse?: (text: string) => Value): Value | undefined {
    const variable: Variable<unknown> = VARIABLES[name];
    const text = environment[name] ?? variable.default;
    const example = `For example: ${name}=${variable.example}`;
    if (text === undefined) {
      complaints.push(`${name} is not set. ${example}`);
      return undefined;
    }
    try {
      return (parse ?? (variable.parse as (text: string) => Value))(text);
    } catch (error) {
      // The parser's message may quote parts of the value, so it is hidden together with the value.
      const complaint = OPENAI_KEY.test(text)
        ? `${name} is invalid, and not shown because it seems to contain an OpenAI key. Store the key in the SSM parameter`
        : `${name}=${JSON.stringify(text)} is invalid: ${messageOf(error)}`;
      complaints.push(`${complaint}. ${example}`);
      return undefined;
    }
  }

  const configuration: Configuration<Limits> = {
    tableName: read('TABLE_NAME'),
    openaiKeyParameter: read('OPENAI_KEY_PARAMETER'),
    openaiBaseUrl: read('OPENAI_BASE_URL'),
    keyTtlSeconds: read('KEY_TTL_SECONDS'),
    clientLimits: read('CLIENT_LIMITS', parseLimits),
    globalLimits: read('GLOBAL_LIMITS', parseLimits),
    ipv6Prefix: read('IPV6_PREFIX'),
    allowedOrigins: read('ALLOWED_ORIGINS'),
    limiterFailureMode: read('LIMITER_FAILURE_MODE'),
    sessionConfig: read('SESSION_CONFIG'),
  };
  if (complaints.length > 0) {
    throw new ConfigurationError(complaints.join('\n'));
  }
  return configuration;
}

/**
 * The owner's session settings, from session.json or SESSION_CONFIG.
 * @throws Error that says what was expected
 */
export function parseSessionConfig(json: string): SessionConfig {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (error) {
    throw new Error(`it must be valid JSON (${messageOf(error)})`, { cause: error });
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Error('it must be a JSON object');
  }
  const settings = value as Record<string, unknown>;
  if (settings['type'] !== 'realtime') {
    throw new Error('its "type" must be "realtime"');
  }
  if (typeof settings['model'] !== 'string' || settings['model'] === '') {
    throw new Error('its "model" must name a model, such as "gpt-realtime-2.1-mini"');
  }
  return settings as SessionConfig;
}

function asIs(text: string): string {
  return text;
}

function matching(grammar: RegExp, explanation: string) {
  return (text: string): string => {
    if (!grammar.test(text)) {
      throw new Error(explanation);
    }
    return text;
  };
}

function parameterName(text: string): string {
  if (OPENAI_KEY.test(text)) {
    throw new Error('it must be the name of the SSM parameter that holds the key, not the key itself');
  }
  return matching(
    PARAMETER_NAME,
    'it must be an SSM parameter name: 1 to 1011 characters from a-z, A-Z, 0-9, "_", ".", "-", ":" and "/"',
  )(text);
}

/** Digits only, because `Number('')` is 0 and `Number('1e3')` is 1000. */
function wholeNumber(least: number, most: number) {
  return (text: string): number => {
    const value = Number(text);
    if (!WHOLE_NUMBER.test(text) || value < least || value > most) {
      throw new Error(`it must be a whole number from ${least} to ${most}`);
    }
    return value;
  };
}

/** The owner's key is sent to this URL, so it must use https, unless it is a stand-in on this machine. */
function baseUrl(text: string): string {
  // The URL is also part of the page's Content-Security-Policy, where these characters would end a directive.
  if (/[\s;,'"]/.test(text)) {
    throw new Error('it must be a URL without spaces, quotes, commas or semicolons');
  }
  // Not URL.parse, which older versions of Node that may run `cdk synth` do not have.
  const url = URL.canParse(text) ? new URL(text) : null;
  // A trailing "?" or "#" gives an empty `search` or `hash`, but would still swallow the path that is appended to it.
  if (url === null || !/^https?:$/.test(url.protocol) || /[?#]/.test(text) || url.username + url.password !== '') {
    throw new Error('it must be an http or https URL without query string, fragment or credentials');
  }
  if (url.protocol === 'http:' && !LOOPBACK_HOST.test(url.hostname)) {
    throw new Error('it must use https, because requests carry the API key; http is allowed only for this machine');
  }
  return url.href.replace(/\/+$/, '');
}

/** Exact origins as browsers send them. `https://example.com/` and `example.com` would never match an Origin header. */
function origins(text: string): readonly string[] {
  if (text.trim() === '') {
    return [];
  }
  return text.split(',').map((part) => {
    const origin = part.trim();
    if (origin.includes('*')) {
      throw new Error('wildcards are not allowed, because then every page could use your keys; list each origin');
    }
    const url = URL.canParse(origin) ? new URL(origin) : null;
    if (url === null || !/^https?:$/.test(url.protocol) || url.origin !== origin) {
      throw new Error(`${JSON.stringify(origin)} is not an origin; expected scheme, host and port, without a path`);
    }
    return origin;
  });
}

function failureMode(text: string): 'closed' | 'open' {
  if (text !== 'closed' && text !== 'open') {
    throw new Error('it must be "closed" or "open"');
  }
  return text;
}

function inlineSession(text: string): SessionConfig | undefined {
  return text === '' ? undefined : parseSessionConfig(text);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
