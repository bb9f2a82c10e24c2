/**
 * The package as users get it: packed from a copy of the repository in which nothing is built yet, and installed offline into an
 * empty project. Its peer dependencies are then linked from this repository.
 */
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';

const ROOT = join(import.meta.dirname, '../..');
const NOT_COPIED = [
  '.git',
  'node_modules',
  'scripts/api-reference/node_modules',
  'dist',
  'cdk.out',
  'coverage',
  '.local',
];

export const run = promisify(execFile);

export interface InstalledPackage {
  /** The project's folder. */
  readonly project: string;
  readonly tarball: Buffer<ArrayBuffer>;
  /** Paths inside the package. */
  readonly files: readonly string[];
  /** The warnings of npm, and all folders in the project's node_modules after the installation. */
  readonly install: { readonly warnings: string; readonly folders: readonly string[] };
  /** Links packages from this repository's node_modules into the project. */
  readonly link: (...packages: readonly string[]) => Promise<void>;
  readonly unlink: (name: string) => Promise<void>;
  readonly remove: () => Promise<void>;
}

export async function installPackage(): Promise<InstalledPackage> {
  const folder = await mkdtemp(join(tmpdir(), 'issuer-package-'));
  const tarball = await pack(folder);
  const project = join(folder, 'project');
  await mkdir(project);
  await writeFile(join(project, 'package.json'), '{}');
  const { stderr: warnings } = await run('npm', ['install', '--offline', '--no-update-notifier', tarball], {
    cwd: project,
  });

  const modules = join(project, 'node_modules');
  const folders = (await readdir(modules)).filter((name) => !name.startsWith('.'));
  const entries = await readdir(join(modules, 'ephemeral-key-issuer'), { recursive: true, withFileTypes: true });
  return {
    project,
    tarball: await readFile(tarball),
    files: entries
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => relative(join(modules, 'ephemeral-key-issuer'), join(parentPath, name))),
    install: { warnings, folders },
    async link(...packages) {
      for (const name of packages) {
        await mkdir(dirname(join(modules, name)), { recursive: true });
        await symlink(join(ROOT, 'node_modules', name), join(modules, name));
      }
    },
    unlink: (name) => rm(join(modules, name)),
    remove: () => rm(folder, { recursive: true }),
  };
}

/** Packs in a copy, so that other tests do not read a bundle that is being written. */
async function pack(folder: string): Promise<string> {
  const copy = join(folder, 'copy');
  await cp(ROOT, copy, { recursive: true, filter: (path) => !NOT_COPIED.includes(relative(ROOT, path)) });
  await symlink(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
  await run('npm', ['pack', '--pack-destination', folder], { cwd: copy });
  const [tarball = ''] = (await readdir(folder)).filter((name) => name.endsWith('.tgz'));
  return join(folder, tarball);
}
