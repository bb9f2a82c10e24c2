/** The contexts whose templates cfn-lint checks in CI. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import cdkJson from '../../cdk.json' with { type: 'json' };
import { propsFromContext } from '../../lib/configuration/context.ts';
import { IssuerStack } from '../../lib/issuer-stack.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { TEMPLATE_CONTEXTS } from '../../scripts/template-contexts.ts';
import { CODE_FOLDER, newApp, PAGE_FOLDER } from '../lib/synth.ts';
import { ROOT, readDocument, tableUnder } from '../support/documentation.ts';

const documented = tableUnder(await readDocument('docs/configuration.md'), 'cdk.json').map(([name = '']) => name);
const defaults: Readonly<Record<string, unknown>> = { ...cdkJson.context, codeFolder: undefined };
const settings = Object.values(TEMPLATE_CONTEXTS).flatMap((context) => Object.entries(context));

describe('the contexts that cfn-lint checks', () => {
  it('use every setting that docs/configuration.md names, and no other', () => {
    expect([...new Set(settings.map(([name]) => name))].toSorted()).toEqual(documented.toSorted());
  });

  it.each(settings)('%s=%j is not the default', (name, value) => {
    expect(value).not.toEqual(defaults[name]);
  });

  it('include the defaults', () => {
    expect(Object.values(TEMPLATE_CONTEXTS)).toContainEqual({});
  });

  it.each(Object.entries(TEMPLATE_CONTEXTS))('%s is valid, and the name of a folder', (name, context) => {
    expect(name).toMatch(/^[a-z0-9-]+$/);
    const standIns = { codeFolder: CODE_FOLDER, page: context['createDistribution'] === false ? false : PAGE_FOLDER };
    expect(() => new IssuerStack(newApp(), propsFromContext({ ...standIns, ...context }))).not.toThrow();
  });
});

describe('cfn-lint', () => {
  const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

  it('has one version, which .ci/run installs and the script names', () => {
    expect(read('scripts/cfn-lint.txt')).toMatch(/^cfn-lint==\d+\.\d+\.\d+\n$/);
    for (const path of ['.ci/run', 'scripts/lint-templates.ts']) {
      expect(read(path)).toContain('scripts/cfn-lint.txt');
      expect(read(path)).toContain('.local/cfn-lint');
    }
  });

  it('runs in CI as npm run lint:templates', () => {
    expect(packageJson.scripts['lint:templates']).toBe('node scripts/lint-templates.ts');
    expect(read('.ci/run')).toContain('npm run lint:templates');
  });
});
