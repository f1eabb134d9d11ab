import { afterAll, beforeAll, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { applySteps, doableSteps } from "../../../src/cli/declare/apply-steps.ts";
import { readDeclaredFile } from "../../../src/cli/declare/declared-file.ts";
import { makePlan } from "../../../src/cli/declare/plan.ts";
import { summary } from "../../../src/cli/declare/plan-words.ts";
import { exportFile, exportYaml, groupJobs } from "../../../src/cli/export/export-file.ts";
import { type Job, type JobInput, PunctualClient } from "../../../src/client/index.ts";
import { type ApiServer, KEY, startApi } from "../api/api-server.ts";

let api: ApiServer;
let client: PunctualClient;
beforeAll(async () => {
  api = await startApi();
  api.deps.shell = { on: true, users: ["backup"] };
  client = new PunctualClient({ url: api.url, key: KEY });
});
afterAll(async () => await api.close());

const HTTP = { type: "http", url: "https://api.example/" } as const;

/** Everything that a job can be, once with as little and once with as much as possible. */
const JOBS: Record<string, JobInput> = {
  least: { target: HTTP },
  cron: { schedule: { cron: "*/5 9-17 * * MON-FRI" }, target: HTTP },
  "cron-zone": {
    schedule: {
      cron: "@daily",
      timezone: "Europe/Berlin",
      dst: { gap: "skip" },
      startsAt: "2090-01-01T00:00:00",
      maxRuns: 5,
    },
    target: HTTP,
  },
  "cron-utc-fold": { schedule: { cron: "0 2 * * *", timezone: "UTC", dst: { fold: "both" } }, target: HTTP },
  every: { schedule: { every: "90s", endsAt: "2099-12-31T00:00:00Z" }, target: HTTP },
  "every-zone": { schedule: { every: "1h", timezone: "UTC" }, target: HTTP },
  once: { schedule: { at: "2090-06-01T12:00:00+02:00" }, target: HTTP, retainFor: "1d" },
  "once-zone": { schedule: { at: "2090-06-01T12:00:00", timezone: "America/New_York" }, target: HTTP },
  delayed: { schedule: { delay: "30d" }, target: HTTP },
  "http-all": {
    description: "first line\nsecond: line # with signs",
    tags: ["a", "b:c/d"],
    target: {
      ...HTTP,
      method: "PUT",
      headers: { authorization: "Bearer {{secrets.TOKEN}}", "x-odd": "- [yes", "idempotency-key": null },
      query: { q: "{{payload.q}}", n: "007" },
      body: { text: "null", list: ["on", "~", "1e3", "", " padded "], deep: { a: null, b: true, c: 1.5 } },
      timeout: "5s",
      connectTimeout: "1s",
      successOn: ["2xx", "304"],
      completion: "callback",
    },
    payload: ["0x10", 16, { yes: "no" }],
    priority: 1,
    timeout: "1h",
    delivery: "at_most_once",
    retry: { maxAttempts: 9, backoff: "fixed", jitter: false, maxElapsed: "1h", on: ["timeout", "503"] },
    overlap: "queue_one",
    misfire: { policy: "fire_all", grace: "5m", limit: 7, window: "2h" },
  },
  "http-text": { target: { ...HTTP, bodyText: "a=1\n\tb: 2\n" }, payload: "plain text" },
  "http-null": { target: { ...HTTP, body: null }, payload: null },
  worker: { target: { type: "worker", handler: "mail/send:now" } },
  shell: { target: { type: "shell", command: "/bin/true" } },
  "shell-all": {
    target: {
      type: "shell",
      command: "/bin/sh",
      args: ["-c", "echo 'a' | wc -l\n# no comment"],
      env: { A: "1", TOKEN: "{{secrets.TOKEN}}" },
      cwd: "/tmp",
      user: "backup",
      successOn: [0, 3],
    },
  },
  "1.5": { target: HTTP },
  null: { target: HTTP },
};

async function allJobs(): Promise<Job[]> {
  const jobs: Job[] = [];
  for await (const job of client.jobs.all({ sort: "name" })) jobs.push(job);
  return jobs;
}

test("what is exported is accepted by apply and changes nothing, for every kind of job", async () => {
  await client.secrets.put("TOKEN", "value");
  for (const [name, job] of Object.entries(JOBS)) await client.jobs.put(name, job);
  const before = await allJobs();
  expect(before).toHaveLength(Object.keys(JOBS).length);

  for (const text of [
    exportYaml(groupJobs(before, "exported")),
    JSON.stringify(exportFile(groupJobs(before, "exported")[0]!)),
  ]) {
    const declared = readDeclaredFile(text, "exported.yaml", null);
    expect(declared.problems).toEqual([]);
    const plan = await makePlan(client, declared, { adopt: true });
    await applySteps(client, doableSteps(plan, { prune: true }).changes, { adopt: true, onDone: () => {} });
    expect(summary(await makePlan(client, declared, { adopt: false }), true)).toBe(
      `0 to create, 0 to change, ${before.length} unchanged`,
    );
  }
  const after = await allJobs();
  const withoutSource = (jobs: Job[]) => jobs.map((job) => ({ ...job, source: null }));
  expect(withoutSource(after)).toEqual(withoutSource(before));
  expect(after.every(({ source, version }) => source === "file:exported" && version === 1)).toBe(true);
});

test("what is as it would be anyway is left out", async () => {
  const { body: job } = await api.request("PUT", "/jobs/short", {
    body: { schedule: { cron: "0 2 * * *" }, target: HTTP, retry: { maxAttempts: 5 } },
  });
  expect(exportFile({ source: "x", adopts: false, jobs: [job] })).toEqual({
    source: "x",
    jobs: { short: { schedule: { cron: "0 2 * * *" }, target: HTTP, retry: { maxAttempts: 5 } } },
  });
});

test("each file's jobs are a document of their own; the rest is told to be taken over", async () => {
  const { body: job } = await api.request("GET", "/jobs/short");
  const jobs = [
    { ...job, name: "a", source: "file:one" },
    { ...job, name: "b", source: null },
    { ...job, name: "c", source: "code:shop" },
    { ...job, name: "d", source: "file:one" },
  ];
  const text = exportYaml(groupJobs(jobs, "rest"));
  const documents = parseAllDocuments(text).map((document) => document.toJS());
  expect(documents.map(({ source, jobs }) => [source, Object.keys(jobs)])).toEqual([
    ["one", ["a", "d"]],
    ["rest", ["b", "c"]],
  ]);
  expect(text).toContain("apply --adopt");
});
