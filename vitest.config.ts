import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    globalSetup: ["tests/support/global-setup.ts"],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
    projects: [
      { extends: true, test: { name: "unit", include: ["src/**/*.test.ts"] } },
      { extends: true, test: { name: "e2e", include: ["tests/e2e/**/*.test.ts"], testTimeout: 60_000 } },
      {
        extends: true,
        test: { name: "fault", include: ["tests/fault/**/*.test.ts"], testTimeout: 300_000, fileParallelism: false },
      },
    ],
  },
});
