import type { JobInput } from "../../client/index.ts";

/** The jobs of the demo belong together, so that they are found again. */
export const DEMO_SOURCE = "demo";
export const DEMO_HANDLER = "demo/thumbnails";
/** Done by the demo's own worker; without it nobody would. */
export const WORKER_JOB = "demo-thumbnails";

export interface DemoJob {
  name: string;
  job: JobInput;
  /** What there is to see. */
  shows: string;
}

/** A few jobs that live as jobs do. They call the echo of `punctual dev`. */
export function demoJobs(serverUrl: string): DemoJob[] {
  const echo = (query = "") => ({ type: "http" as const, url: `${serverUrl}/dev/echo${query}` });
  return [
    {
      name: "demo-heartbeat",
      shows: "every 2 seconds, and all is well",
      job: { schedule: { every: "2s" }, target: echo(), payload: { hello: "world" } },
    },
    {
      name: "demo-flaky",
      shows: "answers 503 twice, and succeeds at the third attempt",
      job: {
        schedule: { every: "8s" },
        target: echo("?status=503&untilAttempt=3"),
        retry: { maxAttempts: 5, initialDelay: "1s", jitter: false },
      },
    },
    {
      name: "demo-failing",
      shows: "never succeeds, and ends as a dead letter",
      job: {
        schedule: { every: "15s" },
        target: echo("?status=500"),
        retry: { maxAttempts: 2, initialDelay: "1s", jitter: false },
      },
    },
    {
      name: "demo-slow",
      shows: "takes 5 s and is due every 3 s: overlaps are skipped",
      job: { schedule: { every: "3s" }, target: echo("?delayMs=5000"), overlap: "skip" },
    },
    {
      name: "demo-tokyo",
      shows: "at every full minute of a clock in Tokyo",
      job: { schedule: { cron: "* * * * *", timezone: "Asia/Tokyo" }, target: echo() },
    },
    {
      name: WORKER_JOB,
      shows: "runs in this process, as in a worker of yours",
      job: { schedule: { every: "5s" }, target: { type: "worker", handler: DEMO_HANDLER }, payload: { pictures: 3 } },
    },
  ].map(({ job, ...rest }) => ({
    ...rest,
    job: { description: `Demo: ${rest.shows}.`, tags: ["demo"], ...job } as JobInput,
  }));
}
