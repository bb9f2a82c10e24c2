import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync, realpathSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { env, execPath } from 'node:process';
import { gzipSync } from 'node:zlib';
import { checkPackage, createPackageFromTarballData, type Problem } from '@arethetypeswrong/core';
import { build } from 'esbuild';
import { publint } from 'publint';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as analyzer from '../analyzer/index.ts';
import * as construct from '../lib/ephemeral-key-issuer.ts';
import * as limiter from '../limiter/index.ts';
import packageJson from '../package.json' with { type: 'json' };
import * as resilience from '../resilience/index.ts';
import { FUNCTION_BUNDLE, GUARD_BUNDLE } from '../scripts/build-function.ts';
import { PAGE_FOLDER } from '../scripts/build-page.ts';
import { codeBlocks } from './support/documentation.ts';
import { type InstalledPackage, installPackage, run } from './support/installed-package.ts';

/** By its name, so that the browser's types, on which it rests, are not wanted here. */
const client: object = await import(join(import.meta.dirname, '../web/client/index.ts'));
const ENTRIES = {
  '.': construct,
  './limiter': limiter,
  './resilience': resilience,
  './client': client,
  './analyzer': analyzer,
};
const TSC = join(import.meta.dirname, '../node_modules/.bin/tsc');

/** The Node that runs the tests, and the Node on the user's PATH if it is another one. */
const NODES = [...new Set([execPath, nodeOfPath()].map((path) => realpathSync(path)))];

function nodeOfPath(): string {
  const folders = (env['PATH'] ?? '').split(delimiter).filter((folder) => !folder.includes('node_modules'));
  return folders.map((folder) => join(folder, 'node')).find((path) => existsSync(path)) ?? execPath;
}

/** Beside the package, for the command line only. */
const COMMAND_LINE_NEEDS = Object.keys(packageJson.peerDependencies)
  .filter((name) => name === 'commander' || name.startsWith('@aws-sdk/'))
  .sort((a, b) => Number(b === 'commander') - Number(a === 'commander'));

let installed: InstalledPackage;
let compilerSays: Record<'node' | 'browser', string>;

beforeAll(async () => {
  installed = await installPackage();
  await installed.link('aws-cdk-lib', 'constructs', '@types/node', ...COMMAND_LINE_NEEDS);

  const [stack = ''] = await codeBlocks('README.md', 'ts');
  const [limits = ''] = await codeBlocks('docs/limiter.md', 'ts');
  const [calls = ''] = await codeBlocks('docs/resilience.md', 'ts');
  const [analysis = ''] = await codeBlocks('docs/analyzer.md', 'ts');
  const [call = ''] = await codeBlocks('docs/client.md', 'ts');
  const names = Object.keys(ENTRIES).map((entry) => entry.replace('.', 'ephemeral-key-issuer'));
  compilerSays = {
    node: await compile(['--lib', 'es2022', '--types', 'node'], {
      'stack.mts': stack,
      'stack.cts': stack,
      'limits.mts': `${limits}\ndeclare function theExpensiveThing(): Promise<{ statusCode: number }>;`,
      'calls.mts': calls,
      'analysis.mts': analysis,
      'entries.mts': `
        const names: string[] = ${JSON.stringify(names)};
        const entries = await Promise.all(names.map((name) => import(name)));
        console.log(JSON.stringify(entries.map((entry) => Object.keys(entry).sort())));`,
    }),
    browser: await compile(['--lib', 'es2022,dom', '--types', '', '--exactOptionalPropertyTypes'], {
      'page.mts': `
        import { requestSessionKey, type SessionKeyOutcome } from 'ephemeral-key-issuer/client';
        const outcome: SessionKeyOutcome = await requestSessionKey({ url: 'https://example.com/session' });
        document.title = outcome.kind;`,
      'call.mts': call,
    }),
  };
}, 180_000);

afterAll(() => installed?.remove());

/**
 * Makes JavaScript of the project's files. Types of libraries are checked too: there is no --skipLibCheck.
 * @returns what is wrong, or ''
 */
async function compile(options: readonly string[], files: Readonly<Record<string, string>>): Promise<string> {
  const { project } = installed;
  for (const [name, source] of Object.entries(files)) {
    await writeFile(join(project, name), source);
  }
  const strict = ['--strict', '--noUncheckedIndexedAccess', '--module', 'nodenext', '--target', 'es2022'];
  const compiling = run(TSC, [...strict, ...options, ...Object.keys(files)], { cwd: project });
  // It prints what is wrong on its standard output.
  return (await compiling.catch((failure) => failure)).stdout;
}

/** The folder of dist/package that a folder is, or is in: `web/client` is one, since `web` has a part that is not shipped. */
function capability(folder: string): string {
  return folder.replace(/(dist\/package\/(?:web\/[a-z]+|[a-z]+)).*/, '$1');
}

describe('the package', () => {
  it('is entries, bundle and page, and nothing that only developers need', () => {
    const code = [
      'analyzer',
      'bin',
      'contract',
      'lambda',
      'lib',
      'limiter',
      'operator',
      'resilience',
      'web/client',
    ].map((folder) => `dist/package/${folder}`);
    expect([...new Set(installed.files.map((file) => capability(dirname(file))))].sort()).toEqual(
      ['.', 'dist/lambda', 'dist/guard', ...code, 'dist/web', 'docs'].sort(),
    );
    expect(installed.files.filter((file) => dirname(file) === '.').sort()).toEqual([
      'LICENSE',
      'README.ja.md',
      'README.md',
      'package.json',
    ]);
  });

  it.each(['dist/lambda', 'dist/guard'])('has the licences of what is in the bundle of %s', (folder) => {
    expect(installed.files).toContain(`${folder}/third-party-licences.txt`);
  });

  it('has the documents that alarms and dashboard name', () => {
    const documents = installed.files.filter((file) => dirname(file) === 'docs').sort();
    expect(documents).toEqual(['docs/errors.md', 'docs/runbook.md']);
  });

  // Two functions, each with the DynamoDB client in its bundle, are three quarters of it.
  it('is at most 600 kB, both command lines included', () => {
    expect(installed.tarball.length).toBeLessThanOrEqual(600_000);
  });

  it('installs alone, without a warning: what an entry needs is asked for only by who uses it', () => {
    expect(installed.install).toEqual({ warnings: '', folders: ['ephemeral-key-issuer'] });
  });

  it('has the entries that are tested here, and no others', () => {
    expect(Object.keys(packageJson.exports)).toEqual(Object.keys(ENTRIES));
  });
});

describe('its package.json', () => {
  it('agrees with the files of the package, says publint', async () => {
    const { buffer, byteOffset, byteLength } = installed.tarball;
    const tarball = buffer.slice(byteOffset, byteOffset + byteLength);
    expect(await publint({ pack: { tarball }, strict: true })).toMatchObject({ messages: [] });
  });
});

describe('its types', () => {
  it('are found in every way of importing that is supported, says Are the Types Wrong', async () => {
    const { types, ...analysis } = await checkPackage(createPackageFromTarballData(installed.tarball));
    expect(types).toEqual({ kind: 'included' });
    const problems = 'problems' in analysis ? analysis.problems : [];
    expect(problems.filter((problem) => !isByDesign(problem))).toEqual([]);
  });

  it("hold in Node for the README's stack and the documentation's programs", () => {
    expect(compilerSays.node).toBe('');
  });

  it('hold in a browser for the client', () => {
    expect(compilerSays.browser).toBe('');
  });
});

describe.each(NODES)('on %s', (node) => {
  it('each entry exports what its source does', async () => {
    const { stdout, stderr } = await run(node, ['entries.mjs'], { cwd: installed.project });
    expect(JSON.parse(stdout)).toEqual(Object.values(ENTRIES).map((entry) => Object.keys(entry).sort()));
    expect(stderr).toBe('');
  });

  it.each(['stack.mjs', 'stack.cjs'])("the README's stack is synthesised, as %s", async (program) => {
    const out = join(installed.project, `${NODES.indexOf(node)}-${program}.out`);
    // CDK's own rules take seconds to load, and the test of the app has them.
    await run(node, [program], { cwd: installed.project, env: { ...env, CDK_OUTDIR: out, CDK_VALIDATION: 'false' } });
    const { Outputs } = JSON.parse(readFileSync(join(out, 'Demo.template.json'), 'utf8'));
    expect(Object.keys(Outputs)).toEqual(['Page']);
    expect(assets(out, 'index.mjs')).toEqual([digest(GUARD_BUNDLE), digest(FUNCTION_BUNDLE)].toSorted());
    expect(assets(out, 'session.json')).toEqual([digest('session.json')]);
    expect(assets(out, 'demo.js')).toEqual([digest(join(PAGE_FOLDER, 'demo.js'))]);
  });
});

/**
 * The package has ES modules only. `require()` takes them from Node 20.19 and 22.12 on, and older versions are not
 * supported: neither is TypeScript's resolution of that time, "node10", which does not read `exports`.
 */
function isByDesign(problem: Problem): boolean {
  return (
    problem.kind === 'CJSResolvesToESM' || (problem.kind === 'NoResolution' && problem.resolutionKind === 'node10')
  );
}

/** What would be uploaded under this name: to say how two bundles differ would take minutes. */
function assets(out: string, file: string): string[] {
  const paths = globSync(`asset.*/${file}`, { cwd: out });
  return paths.map((path) => digest(join(out, path))).toSorted();
}

function digest(path: string): string {
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}

describe.each(NODES)('the command line on %s', (node) => {
  const issuer = (...args: string[]) =>
    run(node, [join('node_modules', '.bin', 'issuer'), ...args], { cwd: installed.project });

  it('says what to install where its packages are not, and then runs', async () => {
    const [first = '', ...others] = COMMAND_LINE_NEEDS;
    await installed.unlink(first);
    await expect(issuer('--help')).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`npm i -D ${[first, ...others].join(' ')}`),
    });
    await installed.link(first);
    const { stdout, stderr } = await issuer('cost', '--keys', '1', '--refused', '0', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ keys: 1 });
    expect(stderr).toBe('');
  });

  it('analyses a log that is large enough for threads', async () => {
    const event = '{"timestamp":1764504000,"client_ip":"192.0.2.1","event_type":"retry","retry_interval_ms":1000}\n';
    await writeFile(join(installed.project, 'large.ndjson'), event.repeat(50_000));
    const args = [join('node_modules', '.bin', 'analyze-retries'), '--input', 'large.ndjson'];
    const { stdout, stderr } = await run(node, args, { cwd: installed.project });
    expect(JSON.parse(stdout).analyzed_clients).toMatchObject([{ total_requests: 50_000, risk_level: 'CRITICAL' }]);
    expect(stderr).toBe('');
  });
});

describe('the client', () => {
  it('is bundled for a browser, with nothing but itself, the contract and resilience', async () => {
    const { warnings, metafile, outputFiles } = await build({
      absWorkingDir: installed.project,
      entryPoints: ['page.mjs'],
      bundle: true,
      minify: true,
      format: 'esm',
      platform: 'browser',
      target: 'es2022',
      metafile: true,
      write: false,
    });
    expect(warnings).toEqual([]);
    const folders = new Set(Object.keys(metafile.inputs).map((path) => capability(dirname(path))));
    const inPackage = (folder: string) => `node_modules/ephemeral-key-issuer/dist/package/${folder}`;
    expect([...folders].sort()).toEqual(['.', inPackage('contract'), inPackage('resilience'), inPackage('web/client')]);
    expect(gzipSync(outputFiles[0]?.contents ?? '').length).toBeLessThanOrEqual(2_048);
  });
});
