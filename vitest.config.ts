import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    globalSetup: ["tests/support/global-setup.ts"],
    // For a test that hangs; one that passes may take long on a busy machine.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // The files of one worker share what they import: to load it again for each of them would take longer than most tests.
    // What a test replaced is put back before the next one.
    isolate: false,
    restoreMocks: true,
    unstubEnvs: true,
    // Twice the processors a small machine has: tests with a database wait more than they work.
    maxWorkers: 4,
    // One group after the other: tests that kill and freeze processes need a machine that has time for them.
    projects: [
      {
        extends: true,
        // The parts of the dashboard use the client in the version of this very source, as they do when it is built.
        resolve: { alias: { "punctual/client": `${import.meta.dirname}/src/client/index.ts` } },
        test: { name: "unit", include: ["src/**/*.test.ts", "web/src/**/*.test.ts"], sequence: { groupOrder: 0 } },
      },
      {
        extends: true,
        // A test may start a dozen processes, one after the other, while others do the same.
        test: {
          name: "e2e",
          include: ["tests/e2e/**/*.test.ts"],
          testTimeout: 180_000,
          maxWorkers: 3,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: "fault",
          include: ["tests/fault/**/*.test.ts"],
          testTimeout: 300_000,
          maxWorkers: 2,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
