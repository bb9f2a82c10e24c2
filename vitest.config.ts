import { configDefaults, defineConfig } from 'vitest/config';

/** What is measured against real time, or carries real sound: each has the processor to itself, after all the others. */
const ALONE = ['test/local/slow-answers.test.ts', 'test/web/call.test.ts'];

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
      {
        extends: true,
        test: {
          name: 'together',
          include: ['test/**/*.test.ts'],
          exclude: [...configDefaults.exclude, ...ALONE],
          sequence: { groupOrder: 0 },
        },
      },
      ...ALONE.map((file, index) => ({
        extends: true as const,
        test: { name: `alone ${index + 1}`, include: [file], sequence: { groupOrder: index + 1 } },
      })),
    ],
  },
});
