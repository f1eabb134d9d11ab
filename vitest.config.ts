import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    globalSetup: ["tests/support/global-setup.ts"],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
    // One group after the other: tests that kill and freeze processes need the machine to themselves.
    projects: [
      { extends: true, test: { name: "unit", include: ["src/**/*.test.ts"], sequence: { groupOrder: 0 } } },
      {
        extends: true,
        test: { name: "e2e", include: ["tests/e2e/**/*.test.ts"], testTimeout: 60_000, sequence: { groupOrder: 1 } },
      },
      {
        extends: true,
        test: {
          name: "fault",
          include: ["tests/fault/**/*.test.ts"],
          testTimeout: 300_000,
          maxWorkers: 1,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
