import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type BuildResult, build } from 'esbuild';
import { beforeAll, describe, expect, it } from 'vitest';
import { bundleOptions } from '../../scripts/build-function.ts';
import { CUTS, KNOWN_ERRORS } from '../../scripts/bundle-cuts.ts';

const MODULES = join(import.meta.dirname, '../../node_modules');
const KILOBYTE = 1_000;

type Built = BuildResult<{ metafile: true; write: false }>;

const FUNCTIONS = [
  ['lambda/handler.ts', 250],
  ['lambda/guard-handler.ts', 200],
] as const;

let built: Map<string, Built>;

beforeAll(async () => {
  const entries = FUNCTIONS.map(async ([entry]) => {
    return [entry, await build({ ...bundleOptions(entry, 'dist/unused.mjs'), write: false })] as const;
  });
  built = new Map(await Promise.all(entries));
});

const textOf = (entry: string) => built.get(entry)?.outputFiles[0]?.text ?? '';

/** What is in the bundle, by paths below node_modules or from the root. */
function modulesOf(entry: string): readonly string[] {
  const [output] = Object.values(built.get(entry)?.metafile.outputs ?? {});
  const inputs = Object.entries(output?.inputs ?? {}).filter(([, { bytesInOutput }]) => bytesInOutput > 0);
  return inputs.map(([path]) => path.replace(/^.*node_modules\//, ''));
}

describe.each(FUNCTIONS)('the bundle of %s', (entry, mostKilobytes) => {
  it(`is at most ${mostKilobytes} KB`, () => {
    expect(textOf(entry).length / KILOBYTE).toBeLessThanOrEqual(mostKilobytes);
  });

  it.each(CUTS.flatMap(({ file, gone }) => gone.map((path) => [path, file])))(
    'holds nothing of %s, which %s brought in',
    (path) => {
      expect(modulesOf(entry).filter((module) => module.startsWith(`${path}/`))).toEqual([]);
    },
  );

  it("imports none of Node's modules as a whole", () => {
    expect(textOf(entry)).not.toMatch(/\bfrom\s*["']node:|\bimport\(["']node:/);
  });

  it('knows every error with which an operation that it calls can answer', () => {
    const commands = modulesOf(entry).flatMap((path) => {
      const { client, command } =
        /@aws-sdk\/(?<client>[\w-]+)\/.*\/commands\/(?<command>\w+)\.js/.exec(path)?.groups ?? {};
      // The client has it as the default of an option, and nothing sends it.
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
