/**
 * From context to props: what `cdk.json` says, or `--context name=value`, which is always text. Only the shape of a
 * value is judged here; the construct judges the rest.
 */

import { ConfigurationError } from '../../contract/configuration.ts';
import type { EphemeralKeyIssuerProps } from './props.ts';

interface Entry {
  /** A right value, as cdk.json spells it. */
  readonly example: unknown;
  /** Undefined: of no shape that the prop could have. */
  readonly read: (value: unknown) => unknown;
}

/** Every context value that the app knows. A prop that is forgotten here does not compile. */
export const CONTEXT: Readonly<Record<keyof EphemeralKeyIssuerProps, Entry>> = {
  keyParameterName: { example: '/ephemeral-key-issuer/openai-api-key', read: text },
  openaiBaseUrl: { example: 'https://api.openai.com/v1', read: text },
  keyTtlSeconds: { example: 60, read: number },
  session: { example: 'my-session.json', read: (value) => object(value) ?? text(value) },
  clientLimits: { example: '10/1h', read: text },
  globalLimits: { example: '500/1d', read: text },
  ipv6Prefix: { example: 56, read: number },
  allowedOrigins: { example: ['https://www.example.com'], read: list },
  limiterFailureMode: { example: 'closed', read: text },
  reservedConcurrency: { example: 5, read: (value) => number(value) ?? text(value) },
  tableCapacity: { example: { onDemand: { maxReadUnits: 50, maxWriteUnits: 50 } }, read: object },
  tableName: { example: 'ephemeral-key-issuer', read: text },
  logRetentionDays: { example: 30, read: number },
  createDistribution: { example: true, read: boolean },
  page: { example: true, read: (value) => boolean(value) ?? text(value) },
  guardrails: { example: { keysPerHour: 100 }, read: (value) => boolean(value) ?? object(value) },
  alarmMail: { example: 'you@example.com', read: text },
  dashboard: { example: true, read: boolean },
  codeFolder: { example: 'dist/lambda', read: text },
};

/** Our names are of this kind, and the function's variables too; CDK's have colons, slashes or hyphens. So a mistyped limit does not go unnoticed. */
const LIKE_OURS = /^[a-zA-Z0-9_]+$/;

/**
 * @param context all of it, CDK's own entries included; null counts as absent
 * @throws ConfigurationError naming every entry that is unknown or of a wrong shape, with a right value for each
 */
export function propsFromContext(context: Readonly<Record<string, unknown>>): EphemeralKeyIssuerProps {
  const complaints: string[] = [];
  const props: Partial<Record<keyof EphemeralKeyIssuerProps, unknown>> = {};
  for (const [name, value] of Object.entries(context)) {
    if (isKnown(name)) {
      const prop = value === null ? undefined : CONTEXT[name].read(value);
      if (prop !== undefined) {
        props[name] = prop;
      } else if (value !== null) {
        const rightValue = JSON.stringify(CONTEXT[name].example);
        complaints.push(`${name}: ${JSON.stringify(value)} is wrong. A right value: ${rightValue}`);
      }
    } else if (LIKE_OURS.test(name)) {
      complaints.push(`${name}: there is no such context value. There are: ${Object.keys(CONTEXT).join(', ')}`);
    }
  }
  if (complaints.length > 0) {
    throw new ConfigurationError(complaints.join('\n'));
  }
  return props as EphemeralKeyIssuerProps;
}

function isKnown(name: string): name is keyof EphemeralKeyIssuerProps {
  return Object.hasOwn(CONTEXT, name);
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Digits only: `Number('')` is 0, and nobody meant it. */
function number(value: unknown): number | undefined {
  const digits = typeof value === 'string' && /^\d+$/.test(value);
  return digits || typeof value === 'number' ? Number(value) : undefined;
}

function boolean(value: unknown): boolean | undefined {
  const yes = value === true || value === 'true';
  return yes || value === false || value === 'false' ? yes : undefined;
}

/** A JSON list, or text with commas; empty text means none. */
function list(value: unknown): readonly string[] | undefined {
  if (typeof value === 'string') {
    return value.trim() === '' ? [] : value.split(',').map((part) => part.trim());
  }
  return Array.isArray(value) && value.every((part) => typeof part === 'string') ? value : undefined;
}

/** An object, or text that is one in JSON. */
function object(value: unknown): object | undefined {
  if (typeof value === 'string' && value.startsWith('{')) {
    try {
      return object(JSON.parse(value));
    } catch {
      return undefined;
    }
  }
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
}
