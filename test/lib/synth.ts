/** Synthesises issuers with a stand-in for the bundle and for the page, so that no test of lib/ waits for a build. */

import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { App, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { inject } from 'vitest';
import { EphemeralKeyIssuer, type EphemeralKeyIssuerProps } from '../../lib/ephemeral-key-issuer.ts';

/** Deleted after the whole run, not after a test file: the next file in the same worker uses the same module. */
const folder = mkdtempSync(join(inject('folder'), 'issuer-test-'));

export const BUNDLE_TEXT = 'export const handler = async () => ({ statusCode: 404 });\n';
export const SESSION_TEXT = '{"type":"realtime","model":"gpt-realtime-2.1-mini"}';

/** A folder like the one that `npm run build` creates. */
export const CODE_FOLDER = folderWith('lambda', { 'index.mjs': BUNDLE_TEXT, 'session.json': SESSION_TEXT });
export const PAGE_FOLDER = folderWith('web', { 'index.html': '<!doctype html>' });

export const CERTIFICATE = 'arn:aws:acm:us-east-1:111122223333:certificate/12345678-1234-1234-1234-123456789012';

/** @returns a new folder of this name with these files. It is deleted after the tests. */
export function folderWith(name: string, files: Readonly<Record<string, string>>): string {
  const path = join(mkdtempSync(join(folder, 'with-')), name);
  mkdirSync(path);
  for (const [file, text] of Object.entries(files)) {
    writeFileSync(join(path, file), text);
  }
  return path;
}

const MINIMAL = { guardrails: false, dashboard: false, page: false } as const;

let apps = 0;

/** @returns a new path for an app's output */
export function outputFolder(): string {
  apps += 1;
  return join(folder, `cdk.out-${apps}`);
}

/** Without CloudFormation's own rules, which take seconds to load. The test of the whole app includes them. */
export function newApp(): App {
  return new App({ outdir: outputFolder(), builtinCloudFormationValidation: false });
}

export function newStack(): Stack {
  return new Stack(newApp(), 'Test');
}

/**
 * Without alarms, dashboard and page, unless the props include them: a template then contains only what the test is about, and
 * CDK does not add the twenty megabytes of its copying function.
 */
export function issuerIn(stack: Stack, props: EphemeralKeyIssuerProps = {}): EphemeralKeyIssuer {
  return new EphemeralKeyIssuer(stack, 'Issuer', { ...MINIMAL, codeFolder: CODE_FOLDER, ...props });
}

export function templateOf(props: EphemeralKeyIssuerProps = {}): Template {
  const stack = newStack();
  issuerIn(stack, props);
  return Template.fromStack(stack);
}

/** @returns the properties of the template's only resource of this type */
export function propertiesOf(template: Template, type: string) {
  const [resource, ...others] = Object.values(template.findResources(type));
  if (resource === undefined || others.length > 0) {
    throw new Error(`expected one ${type}, found ${others.length + (resource === undefined ? 0 : 1)}`);
  }
  return resource['Properties'];
}

/** @returns the error message that invalid props cause */
export function errorFrom(props: EphemeralKeyIssuerProps): string {
  try {
    issuerIn(newStack(), props);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  throw new Error('The props are valid.');
}
