import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type BuildResult, build, type Plugin } from 'esbuild';
import { beforeAll, describe, expect, it } from 'vitest';
import { bundleOptions } from '../../scripts/build-function.ts';
import { CUTS, KNOWN_ERRORS } from '../../scripts/bundle-cuts.ts';
import { nodeBuiltins } from '../../scripts/node-builtins.ts';

const MODULES = join(import.meta.dirname, '../../node_modules');
const KILOBYTE = 1_000;

type Built = BuildResult<{ metafile: true; write: false }>;

const FUNCTIONS = [
  ['lambda/session/handler.ts', 250],
  ['lambda/guard/handler.ts', 200],
] as const;

let built: Map<string, Built>;
let uncut: Map<string, Built>;

async function buildAll(plugins?: Plugin[]): Promise<Map<string, Built>> {
  const entries = FUNCTIONS.map(async ([entry]) => {
    const options = bundleOptions(entry, 'dist/unused.mjs');
    return [entry, await build({ ...options, plugins: plugins ?? [...options.plugins], write: false })] as const;
  });
  return new Map(await Promise.all(entries));
}

beforeAll(async () => {
  [built, uncut] = await Promise.all([buildAll(), buildAll([nodeBuiltins])]);
});

const textOf = (entry: string) => built.get(entry)?.outputFiles[0]?.text ?? '';

/** The modules in a bundle: paths below node_modules, or relative to the root. */
function modulesOf(entry: string, bundles = built): readonly string[] {
  const [output] = Object.values(bundles.get(entry)?.metafile.outputs ?? {});
  const inputs = Object.entries(output?.inputs ?? {}).filter(([, { bytesInOutput }]) => bytesInOutput > 0);
  return inputs.map(([path]) => path.replace(/^.*node_modules\//, ''));
}

describe.each(FUNCTIONS)('the bundle of %s', (entry, mostKilobytes) => {
  it(`is at most ${mostKilobytes} KB`, () => {
    const bytes = built.get(entry)?.outputFiles[0]?.contents.length ?? Number.NaN;
    expect(bytes / KILOBYTE).toBeLessThanOrEqual(mostKilobytes);
  });

  it.each(CUTS.flatMap(({ file, gone }) => gone.map((path) => [path, file])))(
    'contains nothing of %s, which %s imported',
    (path) => {
      const within = (modules: readonly string[]) => modules.filter((module) => module.startsWith(`${path}/`));
      expect(within(modulesOf(entry))).toEqual([]);
      // Otherwise the path may only have changed.
      expect(within(modulesOf(entry, uncut))).not.toEqual([]);
    },
  );

  it("has no import statement for Node's own modules", () => {
    expect(textOf(entry)).not.toMatch(/\bfrom\s*["']node:|\bimport\(["']node:/);
  });

  it('registers every error that its operations can return', () => {
    const commands = modulesOf(entry).flatMap((path) => {
      const { client, command } =
        /@aws-sdk\/(?<client>[\w-]+)\/.*\/commands\/(?<command>\w+)\.js/.exec(path)?.groups ?? {};
      // The client has it as the default of an option, but never sends it.
      return client === undefined || command === 'DescribeEndpointsCommand' ? [] : [{ client, command }];
    });
    expect(commands).not.toEqual([]);
    for (const { client, command } of commands) {
      const types = readFileSync(join(MODULES, `@aws-sdk/${client}/dist-types/commands/${command}.d.ts`), 'utf8');
      const errors = [...types.matchAll(/@throws \{@link (\w+)\}/g)].map(([, name]) => name);
      const modeled = errors.filter((name) => !name?.endsWith('ServiceException'));
      expect(KNOWN_ERRORS[client as keyof typeof KNOWN_ERRORS], command).toEqual(expect.arrayContaining(modeled));
    }
  });
});
