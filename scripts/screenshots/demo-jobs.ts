import type { JobInput } from "../../src/client/index.ts";

export interface DemoJob {
  job: JobInput & { name: string; paused?: boolean };
  /** How its runs went: how long they take, and how many of a hundred fail. */
  history: { durationMs: number; failing: number } | null;
}

/** The jobs of a shop that does not exist: what the pictures of the manual show. */
export function demoJobs(echoUrl: string): DemoJob[] {
  const echo = (query = "") => ({ type: "http" as const, url: `${echoUrl}${query}` });
  const daily = (at: string, timezone: string) => ({ cron: `${at} * * *`, timezone });
  return [
    {
      job: {
        name: "nightly-report",
        description: "Sales of the day as a PDF, to the people who decide.",
        tags: ["reports"],
        schedule: daily("0 2", "Europe/Berlin"),
        target: echo("?delayMs=900"),
        payload: { format: "pdf", recipients: ["board@example.com"] },
      },
      history: { durationMs: 84_000, failing: 0 },
    },
    {
      job: {
        name: "backup-database",
        tags: ["infra"],
        schedule: daily("30 3", "America/New_York"),
        target: echo("?delayMs=400"),
        timeout: "30m",
      },
      history: { durationMs: 412_000, failing: 4 },
    },
    {
      job: {
        name: "charge-subscriptions",
        description: "Money: at most once, and a person looks at what is left.",
        tags: ["billing"],
        schedule: { cron: "5 * * * *", timezone: "UTC" },
        target: echo("?delayMs=1200"),
        delivery: "at_most_once",
      },
      history: { durationMs: 5_400, failing: 3 },
    },
    {
      job: {
        name: "invoice-reminders",
        tags: ["billing"],
        schedule: { cron: "15 9 * * 1-5", timezone: "Europe/London" },
        target: echo("?delayMs=300"),
      },
      history: { durationMs: 2_200, failing: 0 },
    },
    {
      job: { name: "sync-crm", tags: ["sales"], schedule: { every: "5m" }, target: echo("?delayMs=700") },
      history: { durationMs: 3_100, failing: 1 },
    },
    {
      job: {
        name: "partner-webhook",
        description: "The partner’s endpoint has been answering 503 since this morning.",
        tags: ["sales", "partners"],
        schedule: { every: "20s" },
        target: echo("?status=503"),
        retry: { maxAttempts: 2, initialDelay: "1s", jitter: false },
      },
      history: { durationMs: 900, failing: 100 },
    },
    {
      job: {
        name: "exchange-rates",
        tags: ["finance"],
        schedule: { cron: "16 16 * * 1-5", timezone: "Europe/Berlin" },
        target: echo("?delayMs=200"),
      },
      history: { durationMs: 640, failing: 0 },
    },
    {
      job: {
        name: "warm-cache",
        tags: ["web"],
        schedule: { cron: "* * * * *", timezone: "UTC" },
        target: echo("?delayMs=120"),
      },
      history: { durationMs: 320, failing: 0 },
    },
    {
      job: { name: "expire-sessions", tags: ["web"], schedule: { every: "15m" }, target: echo("?delayMs=60") },
      history: { durationMs: 75, failing: 0 },
    },
    {
      job: {
        name: "flaky-import",
        description: "Succeeds at the third attempt, mostly.",
        tags: ["partners"],
        schedule: { every: "45s" },
        target: echo("?status=502&untilAttempt=3&delayMs=250"),
        retry: { maxAttempts: 4, initialDelay: "1s", jitter: false },
      },
      history: { durationMs: 4_100, failing: 2 },
    },
    {
      job: {
        name: "search-reindex",
        tags: ["web", "infra"],
        schedule: { every: "30s" },
        target: echo("?delayMs=21000"),
        overlap: "skip",
      },
      history: { durationMs: 21_000, failing: 0 },
    },
    {
      job: {
        name: "spring-campaign",
        tags: ["marketing"],
        schedule: { cron: "0 10 * * 1", timezone: "Europe/Paris" },
        target: echo(),
        paused: true,
      },
      history: null,
    },
    {
      job: { name: "export-customer-data", tags: ["support"], target: echo("?delayMs=900"), schedule: null },
      history: null,
    },
  ];
}
