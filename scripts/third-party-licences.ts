/** The licences of the packages whose code is in a bundle. They must be distributed together with the bundle. */

import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Metafile } from 'esbuild';

interface Package {
  readonly name: string;
  readonly licence: string;
  /** Undefined if the package names its licence but does not contain the text. */
  readonly text: string | undefined;
}

/**
 * @param root the folder that paths in the metafile are relative to
 * @returns each licence text once, below the packages that it covers
 * @throws Error if a package has no licence text, and no other package with the same licence has one
 */
export async function thirdPartyLicences({ outputs }: Metafile, root: string): Promise<string> {
  const files = Object.values(outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).filter(([, { bytesInOutput }]) => bytesInOutput > 0),
  );
  const folders = new Set(files.flatMap(([path]) => packageFolder(path)).sort());
  const packages = await Promise.all([...folders].map((folder) => readPackage(join(root, folder))));

  const byText = new Map<string, string[]>();
  for (const { name, licence, text = packages.find((other) => other.licence === licence)?.text } of packages) {
    if (text === undefined) {
      throw new Error(
        `${name} is in the bundle under the licence "${licence}", but no package contains the text of that licence`,
      );
    }
    byText.set(text, [...(byText.get(text) ?? []), `${name} (${licence})`]);
  }
  return [...byText].map(([text, names]) => `${names.join('\n')}\n\n${text}\n`).join(`\n${'-'.repeat(80)}\n\n`);
}

/** @returns `node_modules/@smithy/core` for `node_modules/@smithy/core/dist-es/index.js`, and nothing for a file of our own */
function packageFolder(path: string): string[] {
  const [folder] = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path) ?? [];
  return folder === undefined ? [] : [folder];
}

async function readPackage(folder: string): Promise<Package> {
  const { name, license: licence } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  const file = (await readdir(folder)).find((each) => /^licen[cs]e/i.test(each));
  const text = file === undefined ? undefined : (await readFile(join(folder, file), 'utf8')).trim();
  return { name, licence, text };
}
