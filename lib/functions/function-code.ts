/**
 * The function's code: the folder with the bundle that the tests ran, and OpenAI's session settings beside it.
 */

import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FileSystem } from 'aws-cdk-lib';
import { Code } from 'aws-cdk-lib/aws-lambda';
import { parseSessionConfig } from '../../contract/configuration.ts';
import { CODE_FOLDER } from '../configuration/package-folders.ts';
import type { EphemeralKeyIssuerProps } from '../configuration/props.ts';

export const BUNDLE = 'index.mjs';
export const SESSION_FILE = 'session.json';

/** Call {@link validateCode} first: this function expects valid props. */
export function functionCode({ codeFolder = CODE_FOLDER, session }: EphemeralKeyIssuerProps): Code {
  if (session === undefined) {
    return Code.fromAsset(codeFolder);
  }
  const folder = FileSystem.mkdtemp('ephemeral-key-issuer-');
  cpSync(codeFolder, folder, { recursive: true });
  writeFileSync(join(folder, SESSION_FILE), sessionJson(codeFolder, session));
  return Code.fromAsset(folder);
}

/** @returns an error message if the bundle is missing or the session settings are invalid */
export function validateCode({ codeFolder = CODE_FOLDER, session }: EphemeralKeyIssuerProps): string[] {
  const bundle = join(codeFolder, BUNDLE);
  if (!existsSync(bundle)) {
    return [`codeFolder: ${bundle} does not exist. To build it: npm run build`];
  }
  try {
    parseSessionConfig(sessionJson(codeFolder, session));
    return [];
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const source = typeof session === 'object' ? '' : ` (${session ?? join(codeFolder, SESSION_FILE)})`;
    return [`session${source}: ${reason}. For example: {"type":"realtime","model":"gpt-realtime-2.1-mini"}`];
  }
}

function sessionJson(codeFolder: string, session: EphemeralKeyIssuerProps['session']): string {
  return typeof session === 'object'
    ? JSON.stringify(session, undefined, 2)
    : readFileSync(session ?? join(codeFolder, SESSION_FILE), 'utf8');
}
