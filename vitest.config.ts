import { configDefaults, defineConfig } from 'vitest/config';

/**
 * One file after the other has the same modules in a worker, for most of their time they would import, CDK above all. What
 * a file stubs is taken back after each test. (The handler that is misconfigured is so when it is imported.)
 */
const SHARING = ['test/{analyzer,contract,lib,resilience}/*.test.ts', 'test/lambda/!(handler-misconfigured).test.ts'];
/** Carries real sound, and has company that leaves it the processor: tests that wait for timeouts most of their time. */
const SOUND = [
  'test/web/call.test.ts',
  'test/local/failures.test.ts',
  'test/local/faults-of-openai.test.ts',
  'test/local/faults-of-ssm.test.ts',
];
/** Measured against real time: has the processor to itself, after all the others. */
const REAL_TIME = ['test/local/slow-answers.test.ts'];

const project = (name: string, groupOrder: number, include: string[], options: object = {}) => ({
  extends: true as const,
  test: { name, include, sequence: { groupOrder }, ...options },
});

export default defineConfig({
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
        exclude: [...configDefaults.exclude, ...SHARING, ...SOUND, ...REAL_TIME],
      }),
      project('sharing', 0, SHARING, { isolate: false, restoreMocks: true, unstubEnvs: true, unstubGlobals: true }),
      project('sound', 1, SOUND),
      project('real time', 2, REAL_TIME),
    ],
  },
});
