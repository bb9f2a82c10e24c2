/** What GitHub and npm read of the repository, held against package.json. */
import { accessSync, constants, existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import packageJson from '../package.json' with { type: 'json' };

const ROOT = join(import.meta.dirname, '..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
/** Fails for a key that occurs twice, too. */
const readYaml = (path: string) => parse(read(path));
const files = (pattern: string) => globSync(pattern, { cwd: ROOT, exclude: (path) => /node_modules|dist/.test(path) });

describe('the CI workflow', () => {
  const { on, permissions, jobs } = readYaml('.github/workflows/ci.yml');
  const { ci: job } = jobs;

  it('runs for pull requests and for main', () => {
    expect(on).toEqual({ push: { branches: ['main'] }, pull_request: null });
  });

  it('runs on the lowest versions of Node that "engines" allows, and on that of .nvmrc', () => {
    const lowest = packageJson.engines.node.match(/\d+\.\d+/g) ?? [];
    expect(job.strategy.matrix.node).toEqual([...lowest, read('.nvmrc').trim()]);
  });

  it('runs .ci/run, which is executable', () => {
    const commands = job.steps.flatMap((step: { run?: string }) => step.run ?? []);
    expect(commands).toEqual(['.ci/run']);
    expect(() => accessSync(join(ROOT, '.ci/run'), constants.X_OK)).not.toThrow();
  });

  it('may only read, and leaves no token in the work tree', () => {
    const checkout = job.steps.find((step: { uses?: string }) => step.uses?.startsWith('actions/checkout@'));
    expect(permissions).toEqual({ contents: 'read' });
    expect(checkout.with).toEqual({ 'persist-credentials': false });
  });

  it('caches by every lock file', () => {
    const setUp = job.steps.find((step: { uses?: string }) => step.uses?.startsWith('actions/setup-node@'));
    expect(setUp.with['cache-dependency-path'].trim().split('\n')).toEqual(files('**/package-lock.json').toSorted());
  });
});

describe('.ci/run', () => {
  it('runs scripts that exist', () => {
    const [, scripts = ''] = /for script in ([\w ]+);/.exec(read('.ci/run')) ?? [];
    expect(Object.keys(packageJson.scripts)).toEqual(expect.arrayContaining(['test', ...scripts.split(' ')]));
  });
});

describe('Dependabot', () => {
  const { version, updates } = readYaml('.github/dependabot.yml');

  it('looks after every lock file and after the actions, once a week and in groups', () => {
    const npm = files('**/package-lock.json').map((path) => ['npm', join('/', dirname(path))]);
    const looksAfter = updates.map((update: Record<string, string>) => [
      update['package-ecosystem'],
      update['directory'],
    ]);
    expect(version).toBe(2);
    expect(looksAfter.toSorted()).toEqual([...npm, ['github-actions', '/']].toSorted());
    for (const { schedule, groups } of updates) {
      expect(schedule).toEqual({ interval: 'weekly' });
      expect(Object.keys(groups)).toHaveLength(1);
    }
  });
});

/** The fields that GitHub requires of each kind of element. */
const ELEMENTS: Readonly<Record<string, readonly string[]>> = {
  markdown: ['value'],
  input: ['label'],
  textarea: ['label'],
  dropdown: ['label', 'options'],
  checkboxes: ['label', 'options'],
};

describe.each(files('.github/ISSUE_TEMPLATE/*.yml'))('%s', (path) => {
  const { name, description, body } = readYaml(path);

  it('is a form that GitHub accepts', () => {
    expect([name, description]).toEqual([expect.any(String), expect.any(String)]);
    const ids = body.flatMap((element: { id?: string }) => element.id ?? []);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { type, attributes } of body) {
      expect(Object.keys(ELEMENTS)).toContain(type);
      expect(Object.keys(attributes)).toEqual(expect.arrayContaining([...(ELEMENTS[type] ?? [])]));
    }
  });

  it('asks for something that has to be answered', () => {
    expect(body).toContainEqual(expect.objectContaining({ validations: { required: true } }));
  });
});

describe.each(files('**/package-lock.json'))('%s', (path) => {
  const packages: [string, { resolved?: string; hasInstallScript?: boolean }][] = Object.entries(
    JSON.parse(read(path)).packages,
  );

  it('names no registry', () => {
    expect(packages.filter(([, { resolved }]) => resolved !== undefined)).toEqual([]);
  });

  it('holds no install script that package.json does not mention', () => {
    const names = packages.filter(([, { hasInstallScript }]) => hasInstallScript).map(([folder]) => folder);
    const mentioned = Object.keys(packageJson.allowScripts).map((name) => `node_modules/${name}`);
    expect(mentioned).toEqual(expect.arrayContaining(names));
  });
});

describe('the API reference', () => {
  it('covers every entry of the package', () => {
    const { entryPoints } = JSON.parse(read('scripts/api-reference/typedoc.json'));
    const sources = Object.values(packageJson.exports).map(({ default: file }) =>
      file.replace('./dist/package/', '../../').replace(/\.js$/, '.ts'),
    );
    expect(entryPoints).toEqual(sources);
  });

  it.each(Object.keys(packageJson.exports))('calls %s as it is imported', (entry) => {
    const source = packageJson.exports[entry as keyof typeof packageJson.exports].default;
    const text = read(source.replace('./dist/package/', '').replace(/\.js$/, '.ts'));
    expect(text).toContain(` * @module ${entry.replace('.', packageJson.name)}\n`);
  });
});

describe('the documents of the project', () => {
  it.each(['CONTRIBUTING.md', 'SECURITY.md', 'LICENSE', '.github/PULL_REQUEST_TEMPLATE.md'])('has %s', (path) => {
    expect(existsSync(join(ROOT, path))).toBe(true);
  });

  it('has changes of the version that package.json names', () => {
    expect(read('CHANGELOG.md')).toContain(`\n## ${packageJson.version} - `);
  });
});
