import { configDefaults, defineConfig } from 'vitest/config';

/**
 * One file after the other has the same modules in a worker, for most of their time they would import, CDK above all. What
 * a file stubs is taken back after each test. (The handler that is misconfigured is so when it is imported.)
 */
const SHARING = [
  'test/{analyzer,contract,lib,resilience}/**/*.test.ts',
  'test/examples/construct.test.ts',
  'test/lambda/**/!(handler-misconfigured).test.ts',
];
/**
 * What is measured against real time, or carries real sound: each has the processor to itself, after all the others, and a
 * second try, for a machine that stands still for some seconds fails what is right. The summary names what needed it.
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
    // Much of the time is waited and not computed: three workers keep two cores busy.
    maxWorkers: 3,
    projects: [
      project('together', 0, ['test/**/*.test.ts'], {
        exclude: [...configDefaults.exclude, ...SHARING, ...ALONE],
      }),
      project('sharing', 0, SHARING, { isolate: false, restoreMocks: true, unstubEnvs: true, unstubGlobals: true }),
      ...ALONE.map((file, index) => project(`alone ${index + 1}`, index + 1, [file], { retry: 1 })),
    ],
  },
});
