/**
 * The function's environment: each variable's default, range and meaning. Synth, function and command line read it
 * with the same code, so that what deploys is what runs. A value that is wrong is an error that names the variable and
 * shows a right one; nothing falls back in silence.
 */

/** OpenAI's session settings as they go out with each mint. Beyond these two fields, OpenAI is the judge. */
export interface SessionConfig {
  readonly type: 'realtime';
  readonly model: string;
  readonly [setting: string]: unknown;
}

/** `Limits` is whatever the limit grammar's parser makes of its text: this folder imports nothing, not even that. */
export interface Configuration<Limits> {
  readonly tableName: string;
  readonly openaiKeyParameter: string;
  /** Without a trailing slash. */
  readonly openaiBaseUrl: string;
  readonly keyTtlSeconds: number;
  readonly clientLimits: Limits;
  readonly globalLimits: Limits;
  /** How many leading bits of an IPv6 address make one viewer. */
  readonly ipv6Prefix: number;
  readonly allowedOrigins: readonly string[];
  readonly limiterFailureMode: 'closed' | 'open';
  /** Overrides session.json. */
  readonly sessionConfig: SessionConfig | undefined;
}

/** Everything that is wrong with the configuration, a sentence each. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
}

interface Variable<Value> {
  /** Used where the variable is absent. Without one, it must be set. */
  readonly default?: string;
  /** A right value, for error messages and documentation. */
  readonly example: string;
  /** Throws an Error whose message finishes the sentence "X is wrong: …". */
  readonly parse: (text: string) => Value;
}

const TABLE_NAME = /^[a-zA-Z0-9_.-]{3,255}$/;
const PARAMETER_NAME = /^[a-zA-Z0-9_.\-/:]{1,1011}$/;
/** What OpenAI's keys look like. One that was put into a variable by mistake must not reach a log. */
const OPENAI_KEY = /\bsk-/;
const WHOLE_NUMBER = /^\d{1,9}$/;
// URL.canParse and not URL.parse, which the older Nodes of somebody who synthesises a stack do not have.
const LOOPBACK_HOST = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** Every variable by its name in the environment. */
export const VARIABLES = {
  TABLE_NAME: {
    example: 'ephemeral-key-issuer',
    parse: matching(TABLE_NAME, 'a DynamoDB table name has 3 to 255 of a-z, A-Z, 0-9, "_", "." and "-"'),
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
 * @param environment the variables as the process has them
 * @param parseLimits reads a limit's text; throws an Error that says what is wrong with it
 * @throws ConfigurationError naming every variable that is wrong, not only the first
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
    const rightValue = `A right value: ${name}=${variable.example}`;
    if (text === undefined) {
      complaints.push(`${name} is not set. ${rightValue}`);
      return undefined;
    }
    try {
      return (parse ?? (variable.parse as (text: string) => Value))(text);
    } catch (error) {
      // The parser's words quote what they complain of: where one is not shown, neither are the others.
      const complaint = OPENAI_KEY.test(text)
        ? `${name} is wrong, and not shown since it seems to hold an OpenAI key, whose place is the SSM parameter`
        : `${name}=${JSON.stringify(text)} is wrong: ${messageOf(error)}`;
      complaints.push(`${complaint}. ${rightValue}`);
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
 * @throws Error that says what is wrong with them
 */
export function parseSessionConfig(json: string): SessionConfig {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (error) {
    throw new Error(`it is not JSON (${messageOf(error)})`, { cause: error });
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
    throw new Error('it is the name of the SSM parameter that holds the key, never the key itself');
  }
  return matching(PARAMETER_NAME, 'an SSM parameter name has 1 to 1011 of a-z, A-Z, 0-9, "_", ".", "-" and "/"')(text);
}

/** Digits only: `Number('')` is 0 and `Number('1e3')` is 1000, and neither was meant. */
function wholeNumber(least: number, most: number) {
  return (text: string): number => {
    const value = Number(text);
    if (!WHOLE_NUMBER.test(text) || value < least || value > most) {
      throw new Error(`it must be a whole number from ${least} to ${most}`);
    }
    return value;
  };
}

/** The owner's key travels there: https, or a stand-in on this machine. */
function baseUrl(text: string): string {
  // It also ends in a page's Content-Security-Policy, where these would end a directive.
  if (/[\s;,'"]/.test(text)) {
    throw new Error('it must be a URL without spaces, quotes, commas or semicolons');
  }
  const url = URL.canParse(text) ? new URL(text) : null;
  // A bare "?" or "#" makes an empty search or hash, and would still swallow the path that comes after it.
  if (url === null || !/^https?:$/.test(url.protocol) || /[?#]/.test(text) || url.username + url.password !== '') {
    throw new Error('it must be a URL without query, fragment or credentials');
  }
  if (url.protocol === 'http:' && !LOOPBACK_HOST.test(url.hostname)) {
    throw new Error('it must be https, or the key would travel in the clear (http is for this machine alone)');
  }
  return url.href.replace(/\/+$/, '');
}

/** Exact origins, as browsers send them: `https://example.com/` or `example.com` would never match one. */
function origins(text: string): readonly string[] {
  if (text.trim() === '') {
    return [];
  }
  return text.split(',').map((part) => {
    const origin = part.trim();
    if (origin.includes('*')) {
      throw new Error('a wildcard would let every page spend your keys; list the origins');
    }
    const url = URL.canParse(origin) ? new URL(origin) : null;
    if (url === null || !/^https?:$/.test(url.protocol) || url.origin !== origin) {
      throw new Error(`${JSON.stringify(origin)} is not an origin: scheme, host and port alone, without a path`);
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
