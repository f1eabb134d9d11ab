import { describe, expect, test } from "vitest";
import { jobInputSchema } from "../../contract/job.ts";
import { readDeclaredFile } from "../declare/declared-file.ts";
import { importedYaml } from "./imported-file.ts";
import { importKubernetes } from "./kubernetes.ts";
import type { ImportTarget } from "./target.ts";

function read(text: string, target: ImportTarget = { kind: "shell" }) {
  const result = importKubernetes(text, { file: "cron.yaml", source: "cluster", target });
  const yaml = importedYaml(result.imported);
  const declared = readDeclaredFile(yaml, "jobs.yaml", null);
  expect(declared.problems).toEqual([]);
  for (const { fields } of declared.jobs) jobInputSchema.parse(fields);
  return { ...result, yaml, jobs: Object.fromEntries(declared.jobs.map(({ name, fields }) => [name, fields])) };
}

function cronJob(name: string, spec: object, container: object = { command: ["/app/run"], args: ["--once"] }): string {
  const template = { spec: { containers: [{ name: "main", image: "shop:1", ...container }] } };
  const { job = {}, ...rest } = spec as { job?: object };
  return JSON.stringify({
    apiVersion: "batch/v1",
    kind: "CronJob",
    metadata: { name, namespace: "prod", labels: { app: "shop", "odd label": "x" } },
    spec: { schedule: "0 2 * * *", ...rest, jobTemplate: { spec: { ...job, template } } },
  });
}

describe("a CronJob becomes a job", () => {
  test("with its schedule, deadline, retries and command", () => {
    const { jobs, yaml } = read(
      cronJob("report", {
        timeZone: "Europe/Berlin",
        concurrencyPolicy: "Forbid",
        startingDeadlineSeconds: 300,
        suspend: true,
        job: { activeDeadlineSeconds: 600, backoffLimit: 2 },
      }),
    );
    expect(jobs.report).toEqual({
      tags: ["kubernetes", "namespace:prod", "app:shop"],
      schedule: { cron: "0 2 * * *", timezone: "Europe/Berlin" },
      target: { type: "shell", command: "/app/run", args: ["--once"] },
      timeout: "600s",
      retry: { maxAttempts: 3, initialDelay: "10s", maxDelay: "6m", maxElapsed: "600s" },
      overlap: "skip",
      misfire: { policy: "skip", grace: "300s" },
    });
    expect(yaml).toContain("it is suspended: after applying, punctual jobs pause report");
    expect(yaml).toContain("it ran in the image shop:1");
  });

  test.each([
    [undefined, "allow"],
    ["Allow", "allow"],
    ["Forbid", "skip"],
    ["Replace", "cancel_previous"],
  ])("concurrencyPolicy %s is overlap %s", (concurrencyPolicy, overlap) => {
    expect(read(cronJob("a", { concurrencyPolicy })).jobs.a).toMatchObject({ overlap });
  });

  test("what it did unless told otherwise is written out", () => {
    const { jobs, yaml } = read(cronJob("a", {}));
    expect(jobs.a).toMatchObject({ timeout: "1d", retry: { maxAttempts: 7 } });
    expect(jobs.a).not.toHaveProperty("misfire");
    expect(yaml).toContain("it names no time zone");
  });

  test("lists, several documents, and other things beside", () => {
    const list = JSON.stringify({ kind: "List", items: [JSON.parse(cronJob("b", {})), { kind: "Service" }] });
    const { jobs, skipped } = read(`${cronJob("a", {})}\n---\n${list}\n---\nkind: Deployment\n---\n`);
    expect(Object.keys(jobs)).toEqual(["a", "b"]);
    expect(skipped).toEqual([
      expect.stringMatching(/^cron\.yaml:\d+:\d+: Service$/),
      expect.stringMatching(/Deployment$/),
    ]);
    const typed = JSON.stringify({
      kind: "CronJobList",
      items: [{ ...JSON.parse(cronJob("c", {})), kind: undefined }],
    });
    expect(Object.keys(read(typed).jobs)).toEqual(["c"]);
  });

  test("intervals, and zones inside the expression", () => {
    expect(read(cronJob("a", { schedule: "@every 1h30m" })).jobs.a).toMatchObject({ schedule: { every: "5400s" } });
    expect(read(cronJob("a", { schedule: "TZ=Asia/Tokyo 0 4 * * *" })).jobs.a).toMatchObject({
      schedule: { cron: "0 4 * * *", timezone: "Asia/Tokyo" },
    });
    // Here both read it alike, unlike crond.
    expect(read(cronJob("a", { schedule: "0 0 */2 * 1" })).jobs).toHaveProperty("a");
  });

  test("variables: plain ones, secrets, and those of the cluster", () => {
    const env = [
      { name: "MODE", value: "fast" },
      { name: "TOKEN", valueFrom: { secretKeyRef: { name: "shop", key: "token" } } },
    ];
    const { jobs, yaml } = read(cronJob("a", {}, { command: ["run"], env, workingDir: "/srv" }));
    expect(jobs.a).toMatchObject({
      target: { command: "run", cwd: "/srv", env: { MODE: "fast", TOKEN: "{{secrets.TOKEN}}" } },
    });
    expect(yaml).toContain("save TOKEN first (it was token of the secret shop)");
    const fromCluster = [{ name: "NODE", valueFrom: { fieldRef: { fieldPath: "spec.nodeName" } } }];
    expect(read(cronJob("a", {}, { command: ["run"], env: fromCluster })).yaml).toContain("DECIDE: the variable NODE");
  });
});

describe("what cannot be taken over is commented out, with the reason", () => {
  test.each([
    [cronJob("a", { schedule: "0 0 30 2 *" }), /never fires/],
    [cronJob("a", { schedule: undefined }), /is empty/],
    [cronJob("a", { timeZone: "Mars/Olympus" }), /Mars\/Olympus/],
    [cronJob("a", {}, {}), /the image's own command/],
    [cronJob("a", { schedule: "@every fortnight" }), /@every fortnight/],
    ["kind: CronJob\n", /is empty/],
  ])("%#", (manifest, reason) => {
    const { jobs, yaml } = read(manifest);
    expect(jobs).toEqual({});
    expect(yaml).toMatch(/DECIDE/);
    expect(yaml).toMatch(reason);
  });

  test.each([
    [{ command: ["run", "--at=$(NODE_IP)"] }, "$(NODE_IP)"],
    [{ command: ["sh", "-c"], args: ["echo $(who)"], env: [{ name: "who", value: "me" }] }, "$(who)"],
    [{ command: ["run"], env: [{ name: "URL", value: "http://$(HOST):$(PORT)/" }] }, "$(HOST), $(PORT)"],
    [{ command: ["run", "$$$(HOST)"] }, "$(HOST)"],
  ])("a reference to a variable, which a shell would run as a command: %j", (container, references) => {
    const { jobs, yaml } = read(cronJob("a", {}, container));
    expect(jobs).toEqual({});
    expect(yaml).toContain(`DECIDE: Kubernetes put the value of a variable for ${references}, Punctual does not`);
  });

  test("dollars that are no reference are what Kubernetes makes of them", () => {
    const args = ["$$(HOST) costs $5 or $$5, $(date +%F) at $(hostname) $("];
    const { jobs } = read(cronJob("a", {}, { command: ["sh", "-c"], args, env: [{ name: "PRICE", value: "$$1" }] }));
    expect(jobs.a).toMatchObject({
      target: { args: ["-c", "$(HOST) costs $5 or $5, $(date +%F) at $(hostname) $("], env: { PRICE: "$1" } },
    });
  });

  test("that commands read the payload is said once, at the head", () => {
    expect(read(cronJob("a", {})).yaml).toMatch(/^# Commands read the payload as JSON on their standard input/m);
    expect(read(cronJob("a", {}), { kind: "worker", prefix: "" }).yaml).not.toContain("standard input");
  });

  test("with an address or a handler the image does not matter", () => {
    const manifest = cronJob("a", {}, {});
    expect(read(manifest, { kind: "worker", prefix: "" }).jobs.a).toMatchObject({ target: { handler: "a" } });
  });
});

test("text that is no YAML is refused with its place", () => {
  const { problems } = importKubernetes("kind: [", { file: "cron.yaml", source: "x", target: { kind: "shell" } });
  expect(problems[0]!.place.file).toBe("cron.yaml");
});
