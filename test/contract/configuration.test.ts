import { describe, expect, it } from 'vitest';
import {
  type Configuration,
  ConfigurationError,
  parseSessionConfig,
  readConfiguration,
  VARIABLES,
  type VariableName,
} from '../../contract/configuration.ts';
import { type Policy, parsePolicies } from '../../limiter/index.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const NAMES = Object.keys(VARIABLES) as VariableName[];
/** The variables without a default. */
const REQUIRED = { TABLE_NAME: 'issuer', OPENAI_KEY_PARAMETER: '/issuer/openai-api-key' };

function read(changes: Environment = {}): Configuration<readonly Policy[]> {
  return readConfiguration({ ...REQUIRED, ...changes }, parsePolicies);
}

/** The complaints, one per variable. Empty if the environment is valid. */
function complaintsAbout(environment: Environment): string[] {
  try {
    readConfiguration(environment, parsePolicies);
    return [];
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigurationError);
    return error instanceof ConfigurationError ? error.message.split('\n') : [];
  }
}

it('has a default for every variable except the table and the parameter', () => {
  expect(read()).toEqual({
    tableName: 'issuer',
    openaiKeyParameter: '/issuer/openai-api-key',
    openaiBaseUrl: 'https://api.openai.com/v1',
    keyTtlSeconds: 60,
    clientLimits: [{ algorithm: 'fixed', limit: 10, windowMs: 3_600_000 }],
    globalLimits: [{ algorithm: 'fixed', limit: 500, windowMs: 86_400_000 }],
    ipv6Prefix: 56,
    allowedOrigins: [],
    limiterFailureMode: 'closed',
    sessionConfig: undefined,
  });
});

it.each(Object.keys(REQUIRED))('requires %s', (name) => {
  expect(() => read({ [name]: undefined })).toThrow(new RegExp(`^${name} is not set. For example: ${name}=\\S+$`));
});

it.each(NAMES)('shows a valid value for %s', (name) => {
  expect(complaintsAbout({ ...REQUIRED, [name]: VARIABLES[name].example })).toEqual([]);
});

describe('a valid value', () => {
  it.each<[VariableName, string, keyof Configuration<unknown>, unknown]>([
    ['TABLE_NAME', 'abc', 'tableName', 'abc'],
    ['TABLE_NAME', 'Issuer_1.-'.padEnd(255, 'x'), 'tableName', 'Issuer_1.-'.padEnd(255, 'x')],
    ['OPENAI_KEY_PARAMETER', 'k', 'openaiKeyParameter', 'k'],
    ['OPENAI_KEY_PARAMETER', '/a/b.c_d-e:3', 'openaiKeyParameter', '/a/b.c_d-e:3'],
    ['OPENAI_KEY_PARAMETER', 'x'.repeat(1_011), 'openaiKeyParameter', 'x'.repeat(1_011)],
    ['OPENAI_KEY_PARAMETER', '/task-1/key', 'openaiKeyParameter', '/task-1/key'],
    ['OPENAI_BASE_URL', 'https://eu.api.openai.com/v1', 'openaiBaseUrl', 'https://eu.api.openai.com/v1'],
    ['OPENAI_BASE_URL', 'https://api.openai.com/v1///', 'openaiBaseUrl', 'https://api.openai.com/v1'],
    ['OPENAI_BASE_URL', 'https://api.openai.com', 'openaiBaseUrl', 'https://api.openai.com'],
    ['OPENAI_BASE_URL', 'http://127.0.0.1:8788/v1', 'openaiBaseUrl', 'http://127.0.0.1:8788/v1'],
    ['OPENAI_BASE_URL', 'http://127.255.0.9/v1', 'openaiBaseUrl', 'http://127.255.0.9/v1'],
    ['OPENAI_BASE_URL', 'http://localhost:8788', 'openaiBaseUrl', 'http://localhost:8788'],
    ['OPENAI_BASE_URL', 'http://[::1]:8788', 'openaiBaseUrl', 'http://[::1]:8788'],
    ['KEY_TTL_SECONDS', '10', 'keyTtlSeconds', 10],
    ['KEY_TTL_SECONDS', '7200', 'keyTtlSeconds', 7_200],
    ['IPV6_PREFIX', '32', 'ipv6Prefix', 32],
    ['IPV6_PREFIX', '128', 'ipv6Prefix', 128],
    ['CLIENT_LIMITS', '1/1s', 'clientLimits', [{ algorithm: 'fixed', limit: 1, windowMs: 1_000 }]],
    [
      'GLOBAL_LIMITS',
      '1000000/31d',
      'globalLimits',
      [{ algorithm: 'fixed', limit: 1_000_000, windowMs: 2_678_400_000 }],
    ],
    ['ALLOWED_ORIGINS', '', 'allowedOrigins', []],
    ['ALLOWED_ORIGINS', ' ', 'allowedOrigins', []],
    ['ALLOWED_ORIGINS', 'https://a.example', 'allowedOrigins', ['https://a.example']],
    [
      'ALLOWED_ORIGINS',
      ' https://a.example , http://localhost:3000,https://sk-shop.example',
      'allowedOrigins',
      ['https://a.example', 'http://localhost:3000', 'https://sk-shop.example'],
    ],
    ['LIMITER_FAILURE_MODE', 'closed', 'limiterFailureMode', 'closed'],
    ['LIMITER_FAILURE_MODE', 'open', 'limiterFailureMode', 'open'],
    ['SESSION_CONFIG', '', 'sessionConfig', undefined],
    ['SESSION_CONFIG', '{"type":"realtime","model":"m"}', 'sessionConfig', { type: 'realtime', model: 'm' }],
  ])('%s=%s', (name, text, field, value) => {
    expect(read({ [name]: text })[field]).toEqual(value);
  });
});

const INVALID: Readonly<Record<VariableName, readonly string[]>> = {
  TABLE_NAME: ['', 'ab', 'x'.repeat(256), 'a table', 'table/1', 'table\n', 'テーブル', 'arn:aws:dynamodb:x:1:table/t'],
  OPENAI_KEY_PARAMETER: ['', ' ', 'x'.repeat(1_012), 'a key', '/key\n', 'キー', '/key?', '$KEY'],
  OPENAI_BASE_URL: [
    '',
    'api.openai.com/v1',
    '/v1',
    'https://',
    'ftp://api.openai.com',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'http://api.openai.com/v1',
    'http://127.0.0.1.example.com/v1',
    'http://localhost.example.com/v1',
    'http://10.0.0.1/v1',
    'http://0.0.0.0/v1',
    'http://[::2]/v1',
    'https://api.openai.com/v1?',
    'https://api.openai.com/v1?a=b',
    'https://api.openai.com/v1#',
    'https://api.openai.com/v1#a',
    'https://user@api.openai.com/v1',
    'https://:password@api.openai.com/v1',
    'https://user:password@api.openai.com/v1',
  ],
  KEY_TTL_SECONDS: [
    '',
    ' ',
    '9',
    '7201',
    '0',
    '-60',
    '+60',
    '60.0',
    '6e1',
    '0x3c',
    '60s',
    ' 60',
    '６０',
    'NaN',
    '9999999999',
  ],
  CLIENT_LIMITS: [
    '',
    ' ',
    '10',
    '0/1h',
    '-1/1h',
    '10/0h',
    '10/1w',
    '10/32d',
    'unlimited',
    '10/1h,',
    '10/1h,5/60m',
    '1000001/1h',
  ],
  GLOBAL_LIMITS: ['', 'Infinity/1d', '500/1d;5/1m', '500 / 1d', '１/1d', '1e3/1d'],
  IPV6_PREFIX: ['', '31', '129', '0', '-56', '/56', '56.5', '５６'],
  ALLOWED_ORIGINS: [
    '*',
    'https://*.example.com',
    'https://a.example,*',
    'a.example',
    'https://a.example/',
    'https://a.example/page',
    'https://a.example:443',
    'https://A.example',
    'https://ä.example',
    'https://user@a.example',
    'https://a.example https://b.example',
    'https://a.example,',
    ',',
    'null',
    'file://',
    'chrome-extension://abcdef',
  ],
  LIMITER_FAILURE_MODE: ['', 'Closed', 'OPEN', 'true', ' open', '__proto__'],
  SESSION_CONFIG: [
    ' ',
    'realtime',
    '{',
    'null',
    '7',
    '"realtime"',
    '[]',
    '{}',
    '{"model":"m"}',
    '{"type":"transcription","model":"m"}',
    '{"type":"realtime"}',
    '{"type":"realtime","model":""}',
    '{"type":"realtime","model":7}',
  ],
};

describe('an error message names and quotes an invalid value, and says what was expected and what to type', () => {
  it.each(NAMES.flatMap((name) => INVALID[name].map((text) => [name, text] as const)))('%s=%j', (name, text) => {
    const start = `${name}=${JSON.stringify(text)} is invalid: `;
    const end = `. For example: ${name}=${VARIABLES[name].example}`;
    const [complaint = '', ...others] = complaintsAbout({ ...REQUIRED, [name]: text });
    expect(others).toEqual([]);
    expect(complaint.startsWith(start)).toBe(true);
    expect(complaint.endsWith(end)).toBe(true);
    expect(complaint.slice(start.length, -end.length)).toMatch(/^\S.{10,}[^.]$/);
  });

  it('lists all invalid variables at once', () => {
    const invalid = Object.fromEntries(NAMES.map((name) => [name, INVALID[name].at(-1)]));
    expect(complaintsAbout(invalid).map((complaint) => complaint.split('=', 1)[0])).toEqual(NAMES);
  });

  it('lists invalid and missing variables together', () => {
    expect(complaintsAbout({ IPV6_PREFIX: '31' })).toEqual([
      expect.stringMatching(/^TABLE_NAME is not set/),
      expect.stringMatching(/^OPENAI_KEY_PARAMETER is not set/),
      expect.stringMatching(/^IPV6_PREFIX="31" is invalid/),
    ]);
  });
});

describe('an OpenAI key in the wrong variable is never shown', () => {
  const SECRET = 'T3BlbkFJabcdefghijklmnopqrstuvwxyz0123456789';
  const KEYS = [
    `sk-${SECRET}`,
    `sk-proj-${SECRET}`,
    ` sk-svcacct-${SECRET}\n`,
    `"sk-${SECRET}"`,
    `Bearer sk-${SECRET}`,
    `https://sk-${SECRET}@api.openai.com/v1?`,
    `https://a.example,sk-${SECRET}`,
    `10/1h,sk-${SECRET}`,
    `{"api_key":"sk-${SECRET}`,
    `{"api_key":sk-${SECRET}}`,
  ];

  it.each(NAMES)('%s', (name) => {
    const complaints = KEYS.flatMap((text) => complaintsAbout({ ...REQUIRED, [name]: text }));
    expect(complaints.length).toBeGreaterThan(0);
    // Not even six characters of the key, which an error of JSON.parse would show.
    for (let start = 0; start + 6 <= SECRET.length; start += 1) {
      expect(complaints.join('\n')).not.toContain(SECRET.slice(start, start + 6));
    }
  });

  it('but the message still names the variable and shows a valid value', () => {
    expect(complaintsAbout({ ...REQUIRED, CLIENT_LIMITS: `sk-${SECRET}` })).toEqual([
      expect.stringMatching(/^CLIENT_LIMITS is invalid, .* For example: CLIENT_LIMITS=10\/1h$/),
    ]);
  });
});

describe('parseSessionConfig', () => {
  it('keeps every setting, because OpenAI checks them', () => {
    const settings = { type: 'realtime', model: 'm', audio: { output: { voice: 'marin' } }, unheard_of: [1, null] };
    expect(parseSessionConfig(JSON.stringify(settings))).toEqual(settings);
  });
});
