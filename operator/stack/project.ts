/** What `doctor` and `cost` need of the project's own files before anything is deployed. A missing file leaves the defaults. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseSessionConfig, type SessionConfig, VARIABLES } from '../../contract/configuration.ts';
import { OperatorError } from '../operator-error.ts';

export interface Project {
  readonly keyParameter: string;
  readonly openaiBaseUrl: string;
  readonly reservedConcurrency: number | 'off';
  readonly session: SessionConfig;
}

const DEFAULT_CONCURRENCY = 5;

/**
 * @param folder the one with cdk.json and session.json
 * @throws OperatorError if a file is not what it should be; synth would say the same
 */
export async function readProject(folder: string): Promise<Project> {
  const context = contextIn(await textOf(join(folder, 'cdk.json')));
  const { keyParameterName, openaiBaseUrl, reservedConcurrency } = context;
  return {
    keyParameter: textOr(keyParameterName, VARIABLES.OPENAI_KEY_PARAMETER.example),
    openaiBaseUrl: textOr(openaiBaseUrl, VARIABLES.OPENAI_BASE_URL.default),
    reservedConcurrency: concurrencyIn(reservedConcurrency),
    session: sessionIn(await textOf(join(folder, 'session.json'))),
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
    throw new OperatorError('cdk.json is not JSON: mend it first, or npm run synth says the same.', { cause: error });
  }
}

function sessionIn(text: string | undefined): SessionConfig {
  if (text === undefined) {
    return parseSessionConfig(VARIABLES.SESSION_CONFIG.example);
  }
  try {
    return parseSessionConfig(text);
  } catch (error) {
    const complaint = error instanceof Error ? error.message : String(error);
    throw new OperatorError(`session.json is wrong: ${complaint}. A right value: ${VARIABLES.SESSION_CONFIG.example}`, {
      cause: error,
    });
  }
}

function textOr(value: unknown, fallback: string): string {
  return typeof value === 'string' && value !== '' ? value : fallback;
}

/** A wrong one is synth's to complain about. */
function concurrencyIn(value: unknown): number | 'off' {
  if (value === 'off') {
    return value;
  }
  return Number.isSafeInteger(Number(value)) && Number(value) > 0 ? Number(value) : DEFAULT_CONCURRENCY;
}
