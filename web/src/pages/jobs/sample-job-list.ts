import type { JobInput } from "punctual/client";

/** The same as of `punctual demo`: whoever removes the one kind of sample removes the other. */
export const SAMPLE_SOURCE = "demo";

interface SampleJob {
  name: string;
  /** What there is to see. */
  shows: string;
  job: JobInput;
  /** It begins paused, for this reason. */
  pausedFor?: string;
}

/** Jobs as a small shop has them, each with something of its own to see. All call `echoUrl`, which answers as it is asked to. */
export function sampleJobs(echoUrl: string): SampleJob[] {
  const echo = (query = "") => ({ type: "http" as const, url: `${echoUrl}${query}` });
  return [
    {
      name: "check-website",
      shows: "every 5 seconds, and all is well",
      job: { tags: ["monitoring"], schedule: { every: "5s" }, target: echo("?delayMs=40") },
    },
    {
      name: "sync-stock",
      shows: "answers 503 twice, and succeeds at the third attempt",
      job: {
        tags: ["shop"],
        schedule: { every: "20s" },
        target: echo("?status=503&untilAttempt=3&delayMs=150"),
        payload: { warehouse: "north" },
        retry: { maxAttempts: 5, initialDelay: "1s", jitter: false },
      },
    },
    {
      name: "send-invoices",
      shows: "never succeeds, and ends among the dead letters",
      job: {
        tags: ["shop", "billing"],
        schedule: { every: "30s" },
        target: echo("?status=500&delayMs=80"),
        payload: { batch: 25 },
        retry: { maxAttempts: 2, initialDelay: "2s", jitter: false },
      },
    },
    {
      name: "rebuild-search-index",
      shows: "takes 14 seconds and is due every 10: what would overlap is skipped",
      job: { tags: ["shop"], schedule: { every: "10s" }, target: echo("?delayMs=14000"), overlap: "skip" },
    },
    {
      name: "fetch-exchange-rates",
      shows: "at every full minute of a clock in Tokyo",
      job: {
        tags: ["billing"],
        schedule: { cron: "* * * * *", timezone: "Asia/Tokyo" },
        target: echo("?delayMs=400"),
        payload: { currencies: ["EUR", "JPY", "USD"] },
      },
    },
    {
      name: "nightly-report",
      shows: "at half past two in Berlin, an hour that is missing or doubled when the clocks change",
      job: { tags: ["reports"], schedule: { cron: "30 2 * * *", timezone: "Europe/Berlin" }, target: echo() },
    },
    {
      name: "weekly-newsletter",
      shows: "paused, and says why",
      job: { tags: ["mail"], schedule: { cron: "0 9 * * 1", timezone: "America/New_York" }, target: echo() },
      pausedFor: "The new template is not approved yet",
    },
    {
      name: "welcome-new-customer",
      shows: "runs once, a minute after it was made",
      job: { tags: ["mail"], schedule: { delay: "1m" }, target: echo("?delayMs=90"), payload: { customer: 1042 } },
    },
  ].map(({ job, ...rest }) => ({ ...rest, job: { description: `Sample: ${rest.shows}.`, ...job } as JobInput }));
}
