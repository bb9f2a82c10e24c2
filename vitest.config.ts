import { configDefaults, defineConfig } from 'vitest/config';

/** Carries real sound, and has company that leaves it the processor: tests that wait for timeouts most of their time. */
const SOUND = [
  'test/web/call.test.ts',
  'test/local/failures.test.ts',
  'test/local/faults-of-openai.test.ts',
  'test/local/faults-of-ssm.test.ts',
];
/** Measured against real time: has the processor to itself, after all the others. */
const REAL_TIME = ['test/local/slow-answers.test.ts'];

const project = (name: string, groupOrder: number, include: string[], exclude: string[] = []) => ({
  extends: true as const,
  test: { name, include, exclude: [...configDefaults.exclude, ...exclude], sequence: { groupOrder } },
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
      project('together', 0, ['test/**/*.test.ts'], [...SOUND, ...REAL_TIME]),
      project('sound', 1, SOUND),
      project('real time', 2, REAL_TIME),
    ],
  },
});
