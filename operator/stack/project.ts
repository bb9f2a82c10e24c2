/** Reads what `doctor` and `cost` need from the project's own files. If a file is missing, the defaults apply. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseSessionConfig, type SessionConfig, VARIABLES } from '../../contract/configuration.ts';
import { OperatorError } from '../operator-error.ts';

export interface CustomDomain {
  /** `demo.example.com` */
  readonly domainName: string;
  readonly certificateArn: string;
  /** Undefined if the deployment does not create the DNS records. */
  readonly hostedZone: { readonly id: string; readonly name: string } | undefined;
}

export interface Project {
  readonly keyParameter: string;
  readonly openaiBaseUrl: string;
  readonly reservedConcurrency: number | 'off';
  readonly session: SessionConfig;
  /** Undefined if there is none, or if it is incomplete, which synth reports. */
  readonly domain: CustomDomain | undefined;
}

const DEFAULT_CONCURRENCY = 5;

/**
 * @param folder the folder with cdk.json and session.json
 * @throws OperatorError if a file is invalid; synth would fail too
 */
export async function readProject(folder: string): Promise<Project> {
  const context = contextIn(await textOf(join(folder, 'cdk.json')));
  const { keyParameterName, openaiBaseUrl, reservedConcurrency } = context;
  return {
    keyParameter: textOr(keyParameterName, VARIABLES.OPENAI_KEY_PARAMETER.example),
    openaiBaseUrl: textOr(openaiBaseUrl, VARIABLES.OPENAI_BASE_URL.default),
    reservedConcurrency: concurrencyIn(reservedConcurrency),
    session: sessionIn(await textOf(join(folder, 'session.json'))),
    domain: domainIn(context),
  };
}

async function textOf(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch {
    return undefined;
  }
}

function contextIn(text: string | undefined): Readonly<Record<string, unknown>> {
  try {
    return Object(JSON.parse(text ?? '{}').context);
  } catch (error) {
    throw new OperatorError(
      'cdk.json is not valid JSON, so npm run synth would fail too. Fix the file and run the command again.',
      { cause: error },
    );
  }
}

function sessionIn(text: string | undefined): SessionConfig {
  if (text === undefined) {
    return parseSessionConfig(VARIABLES.SESSION_CONFIG.example);
  }
  try {
    return parseSessionConfig(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new OperatorError(`session.json is invalid: ${reason}. For example: ${VARIABLES.SESSION_CONFIG.example}`, {
      cause: error,
    });
  }
}

function textOr(value: unknown, fallback: string): string {
  return typeof value === 'string' && value !== '' ? value : fallback;
}

function domainIn(context: Readonly<Record<string, unknown>>): CustomDomain | undefined {
  const [domainName, certificateArn, id, name] = (
    ['domainName', 'certificateArn', 'hostedZoneId', 'hostedZoneName'] as const
  ).map((setting) => textOr(context[setting], ''));
  return domainName && certificateArn
    ? { domainName, certificateArn, hostedZone: id && name ? { id, name } : undefined }
    : undefined;
}

/** An invalid value becomes the default here: synth reports it. */
function concurrencyIn(value: unknown): number | 'off' {
  if (value === 'off') {
    return value;
  }
  return Number.isSafeInteger(Number(value)) && Number(value) > 0 ? Number(value) : DEFAULT_CONCURRENCY;
}
