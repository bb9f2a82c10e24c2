/**
 * Converts CDK context into props. Context comes from `cdk.json`, or from `--context name=value`, which is always text. Only the
 * shape of a value is checked here; the construct checks the rest.
 */

import { ConfigurationError } from '../../contract/configuration.ts';
import { DOMAIN_EXAMPLES } from './custom-domain.ts';
import type { EphemeralKeyIssuerProps } from './props.ts';

interface Entry {
  /** A valid value, as it is written in cdk.json. */
  readonly example: unknown;
  /** Returns undefined if the value has a shape that the prop cannot have. */
  readonly read: (value: unknown) => unknown;
}

/** Every context value that the app accepts. A prop that is missing here is a compile error. */
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
  domainName: { example: DOMAIN_EXAMPLES.domainName, read: text },
  certificateArn: { example: DOMAIN_EXAMPLES.certificateArn, read: text },
  hostedZoneId: { example: DOMAIN_EXAMPLES.hostedZoneId, read: text },
  hostedZoneName: { example: DOMAIN_EXAMPLES.hostedZoneName, read: text },
  page: { example: true, read: (value) => boolean(value) ?? text(value) },
  guardrails: { example: { keysPerHour: 100 }, read: (value) => boolean(value) ?? object(value) },
  alarmMail: { example: 'you@example.com', read: text },
  dashboard: { example: true, read: boolean },
  codeFolder: { example: 'dist/lambda', read: text },
};

/**
 * Our context values and the function's variables have names of this form; CDK's own names contain colons, slashes or hyphens.
 * An unknown name of this form is therefore reported as mistyped, and not ignored.
 */
const OUR_NAMES = /^[a-zA-Z0-9_]+$/;

/**
 * @param context the complete context, including CDK's own entries; null counts as absent
 * @throws ConfigurationError that lists every entry with an unknown name or an invalid shape, and what is expected
 */
export function propsFromContext(context: Readonly<Record<string, unknown>>): EphemeralKeyIssuerProps {
  const errors: string[] = [];
  const props: Partial<Record<keyof EphemeralKeyIssuerProps, unknown>> = {};
  for (const [name, value] of Object.entries(context)) {
    if (isKnown(name)) {
      const prop = value === null ? undefined : CONTEXT[name].read(value);
      if (prop !== undefined) {
        props[name] = prop;
      } else if (value !== null) {
        const example = JSON.stringify(CONTEXT[name].example);
        errors.push(`${name}: ${JSON.stringify(value)} is invalid. For example: ${example}`);
      }
    } else if (OUR_NAMES.test(name)) {
      errors.push(`${name}: unknown context value. Expected one of: ${Object.keys(CONTEXT).join(', ')}`);
    }
  }
  if (errors.length > 0) {
    throw new ConfigurationError(errors.join('\n'));
  }
  return props as EphemeralKeyIssuerProps;
}

function isKnown(name: string): name is keyof EphemeralKeyIssuerProps {
  return Object.hasOwn(CONTEXT, name);
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Accepts digits only: `Number('')` would be 0. */
function number(value: unknown): number | undefined {
  const digits = typeof value === 'string' && /^\d+$/.test(value);
  return digits || typeof value === 'number' ? Number(value) : undefined;
}

function boolean(value: unknown): boolean | undefined {
  const isTrue = value === true || value === 'true';
  return isTrue || value === false || value === 'false' ? isTrue : undefined;
}

/** Accepts a JSON array, or comma-separated text. Empty text is an empty list. */
function list(value: unknown): readonly string[] | undefined {
  if (typeof value === 'string') {
    return value.trim() === '' ? [] : value.split(',').map((part) => part.trim());
  }
  return Array.isArray(value) && value.every((part) => typeof part === 'string') ? value : undefined;
}

/** Accepts an object, or text that contains one as JSON. */
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
