import { defineConfig } from "vitest/config";

export default defineConfig({
  // As in web/vite.config.ts.
  resolve: { alias: { "punctual/client": `${import.meta.dirname}/src/client/index.ts` } },
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
        // A browser and a server each, on a machine that may have no more than two processors.
        test: {
          name: "dashboard",
          globalSetup: ["tests/support/global-setup.ts", "tests/support/browser-setup.ts"],
          include: ["tests/dashboard/**/*.test.ts"],
          testTimeout: 240_000,
          maxWorkers: 2,
          sequence: { groupOrder: 2 },
        },
      },
      {
        extends: true,
        test: {
          name: "fault",
          include: ["tests/fault/**/*.test.ts"],
          testTimeout: 300_000,
          maxWorkers: 2,
          sequence: { groupOrder: 3 },
        },
      },
    ],
  },
});
