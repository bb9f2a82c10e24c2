/**
 * OpenAI's session settings: session.json beside the bundle, or SESSION_CONFIG in its place.
 */
import { readFileSync } from 'node:fs';
import { ConfigurationError, parseSessionConfig, type SessionConfig } from '../../contract/configuration.ts';

/**
 * @param inline SESSION_CONFIG, if it is set
 * @throws ConfigurationError if the file is missing or wrong
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
      `session.json is wrong: ${message}. A right value: {"type":"realtime","model":"gpt-realtime-2.1-mini"}`,
      { cause: error },
    );
  }
}
