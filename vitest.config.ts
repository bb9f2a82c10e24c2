import { configDefaults, defineConfig } from 'vitest/config';

/**
 * These files share their modules within a worker, because importing them (CDK above all) would take most of the time. Stubs are
 * restored after each test. handler-misconfigured.test.ts is excluded: it needs a fresh import of the handler.
 */
const SHARED_MODULES = [
  'test/{analyzer,contract,lib,resilience}/**/*.test.ts',
  'test/examples/construct.test.ts',
  'test/lambda/**/!(handler-misconfigured).test.ts',
];
/**
 * Files that measure real time or carry real sound. Each runs alone, after all others, and may run a failed test once more, because
 * a machine that stalls for some seconds fails correct code. The summary lists the tests that were retried.
 */
const ALONE = ['test/local/slow-answers.test.ts', 'test/web/call.test.ts'];

const project = (name: string, groupOrder: number, include: string[], options: object = {}) => ({
  extends: true as const,
  test: { name, include, sequence: { groupOrder }, ...options },
});

export default defineConfig({
  // Examples import the package by its name; examples/tsconfig.json leads to its sources.
  resolve: { tsconfigPaths: true },
  test: {
    globalSetup: ['test/support/global-setup.ts'],
    allowOnly: false,
    passWithNoTests: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Tests wait for much of their time, so three workers keep two cores busy.
    maxWorkers: 3,
    projects: [
      project('isolated', 0, ['test/**/*.test.ts'], {
        exclude: [...configDefaults.exclude, ...SHARED_MODULES, ...ALONE],
      }),
      project('shared modules', 0, SHARED_MODULES, {
        isolate: false,
        restoreMocks: true,
        unstubEnvs: true,
        unstubGlobals: true,
      }),
      ...ALONE.map((file, index) => project(`alone ${index + 1}`, index + 1, [file], { retry: 1 })),
    ],
  },
});
