/** Synthesises issuers, with a stand-in for the bundle and the page: no test of lib/ waits for a build. */

import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { App, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { inject } from 'vitest';
import { EphemeralKeyIssuer, type EphemeralKeyIssuerProps } from '../../lib/ephemeral-key-issuer.ts';

/** Gone after the run, and not after the file: the next one in the same worker has this module, too. */
const folder = mkdtempSync(join(inject('folder'), 'issuer-test-'));

export const BUNDLE_TEXT = 'export const handler = async () => ({ statusCode: 404 });\n';
export const SESSION_TEXT = '{"type":"realtime","model":"gpt-realtime-2.1-mini"}';

/** A folder such as `npm run build` makes. */
export const CODE_FOLDER = folderWith('lambda', { 'index.mjs': BUNDLE_TEXT, 'session.json': SESSION_TEXT });
export const PAGE_FOLDER = folderWith('web', { 'index.html': '<!doctype html>' });

/** @returns a new folder of that name that holds these files and is gone after the tests */
export function folderWith(name: string, files: Readonly<Record<string, string>>): string {
  const path = join(mkdtempSync(join(folder, 'with-')), name);
  mkdirSync(path);
  for (const [file, text] of Object.entries(files)) {
    writeFileSync(join(path, file), text);
  }
  return path;
}

const BARE = { guardrails: false, dashboard: false, page: false } as const;

let apps = 0;

/** A new place for an app's output. */
export function outputFolder(): string {
  apps += 1;
  return join(folder, `cdk.out-${apps}`);
}

/** Without CloudFormation's own rules, which take seconds to load: the test of the whole app has them. */
export function newApp(): App {
  return new App({ outdir: outputFolder(), builtinCloudFormationValidation: false });
}

export function newStack(): Stack {
  return new Stack(newApp(), 'Test');
}

/**
 * Without alarms, dashboard and page unless they are asked for: each test sees what it is about, and copying a page brings
 * twenty megabytes of CDK's own.
 */
export function issuerIn(stack: Stack, props: EphemeralKeyIssuerProps = {}): EphemeralKeyIssuer {
  return new EphemeralKeyIssuer(stack, 'Issuer', { ...BARE, codeFolder: CODE_FOLDER, ...props });
}

export function templateOf(props: EphemeralKeyIssuerProps = {}): Template {
  const stack = newStack();
  issuerIn(stack, props);
  return Template.fromStack(stack);
}

/** The properties of the template's one resource of a type. */
export function propertiesOf(template: Template, type: string) {
  const [resource, ...others] = Object.values(template.findResources(type));
  if (resource === undefined || others.length > 0) {
    throw new Error(`expected one ${type}, found ${others.length + (resource === undefined ? 0 : 1)}`);
  }
  return resource['Properties'];
}

/** What a wrong prop is answered with. */
export function complaintAbout(props: EphemeralKeyIssuerProps): string {
  try {
    issuerIn(newStack(), props);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  throw new Error('nothing was wrong');
}
