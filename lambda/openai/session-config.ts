/** Loads OpenAI's session settings from SESSION_CONFIG, or from session.json beside the bundle. */
import { readFileSync } from 'node:fs';
import { ConfigurationError, parseSessionConfig, type SessionConfig } from '../../contract/configuration.ts';

/**
 * @param inline the value of SESSION_CONFIG, if set
 * @throws ConfigurationError if the file is missing or invalid
 */
export function loadSessionConfig(inline: SessionConfig | undefined, file: URL): SessionConfig {
  if (inline !== undefined) {
    return inline;
  }
  try {
    return parseSessionConfig(readFileSync(file, 'utf8'));
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new ConfigurationError(
      `session.json is invalid: ${message}. For example: {"type":"realtime","model":"gpt-realtime-2.1-mini"}`,
      { cause: error },
    );
  }
}
