/**
 * `npm run lint:templates`: synthesises the template of every context in template-contexts.ts and runs cfn-lint on them. It expects
 * `npm run build` before it, and cfn-lint in the virtual environment that .ci/run creates, or on the PATH.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process, { env } from 'node:process';
import { issuerApp } from '../bin/issuer-app.ts';
import { STACK_NAME } from '../contract/outputs.ts';
import { TEMPLATE_CONTEXTS } from './template-contexts.ts';

const VIRTUAL_ENVIRONMENT = '.local/cfn-lint';
const REQUIREMENTS = 'scripts/cfn-lint.txt';
const INSTALL = `python3 -m venv ${VIRTUAL_ENVIRONMENT} && ${VIRTUAL_ENVIRONMENT}/bin/pip install -r ${REQUIREMENTS}`;

/** W3005: CDK writes a DependsOn that a reference implies already. It is redundant, and CDK's own. */
const IGNORED = ['W3005'];

process.chdir(join(import.meta.dirname, '..'));
// cdk-nag takes seconds for each template, and test/bin/issuer-app.test.ts runs it.
env['CDK_VALIDATION'] = 'false';

const folder = await mkdtemp(join(tmpdir(), 'issuer-templates-'));
try {
  process.exitCode = lint(Object.entries(TEMPLATE_CONTEXTS).map(([name, context]) => synthesise(name, context)));
} finally {
  await rm(folder, { recursive: true });
}

/** @returns the path of the template */
function synthesise(name: string, context: Readonly<Record<string, unknown>>): string {
  const outdir = join(folder, name);
  issuerApp({ outdir, context }).synth();
  return join(outdir, `${STACK_NAME}.template.json`);
}

/** @returns the exit code */
function lint(templates: readonly string[]): number {
  const own = join(VIRTUAL_ENVIRONMENT, 'bin/cfn-lint');
  const program = existsSync(own) ? own : 'cfn-lint';
  const { status, error } = spawnSync(program, ['--ignore-checks', ...IGNORED, '--template', ...templates], {
    stdio: 'inherit',
  });
  if (error !== undefined) {
    console.error(`cfn-lint could not be run (${error.message}). To install it:\n  ${INSTALL}`);
    return 1;
  }
  if (status === 0) {
    console.log(`cfn-lint found nothing in the templates of ${templates.length} contexts.`);
  }
  return status ?? 1;
}
