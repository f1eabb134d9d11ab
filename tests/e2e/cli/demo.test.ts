import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { PunctualClient } from "../../../src/client/index.ts";
import { closedAddress, type Shell, startShell } from "./shell.ts";

let shell: Shell;
let client: PunctualClient;
beforeAll(async () => {
  shell = await startShell();
  client = new PunctualClient({ url: shell.url, key: shell.environment().PUNCTUAL_API_KEY! });
});
afterAll(async () => await shell.close());

test("the demo shows jobs that succeed, retry and are skipped until Ctrl-C, and leaves nothing behind", async () => {
  const { seen, child, ended } = shell.start(["demo", "--seconds", "170"]);
  const shown = [
    /demo-heartbeat +succeeded/,
    /demo-flaky +retrying .*503/,
    /demo-flaky +succeeded +attempt 3/,
    /demo-failing +failed .*500/,
    /demo-slow +skipped/,
    /demo-thumbnails +succeeded/,
  ];
  await vi.waitUntil(() => shown.every((line) => line.test(seen.out)), { timeout: 150_000, interval: 100 });
  child.kill("SIGINT");
  const { code, err } = await ended;
  expect(code).toBe(0);
  expect(err).toContain("punctual status");
  expect((await client.jobs.list()).items).toEqual([]);
  expect((await client.deadLetters.list()).items).toEqual([]);
  expect((await client.workers.list()).items.filter(({ alive }) => alive)).toEqual([]);
});

test("jobs that are kept stay until they are removed; somebody else's job of the same name is not touched", async () => {
  expect((await shell.run(["demo", "--seconds", "1", "--keep"])).code).toBe(0);
  const kept = (await client.jobs.list({ source: "demo" })).items.map(({ name }) => name);
  expect(kept).toContain("demo-heartbeat");
  // Nobody would do its work.
  expect(kept).not.toContain("demo-thumbnails");
  expect((await shell.run(["demo", "--remove"])).err).toContain(`Removed ${kept.length} demo jobs`);
  expect((await client.jobs.list()).items).toEqual([]);

  await client.jobs.put("demo-flaky", { target: { type: "worker", handler: "mine" } });
  const { code, err } = await shell.run(["demo", "--seconds", "1"]);
  expect(code).toBe(1);
  expect(err).toContain("demo-flaky");
  expect((await client.jobs.list()).items.map(({ name }) => name)).toEqual(["demo-flaky"]);
});

test("without a server it says how to start one", async () => {
  const away = await shell.run(["demo"], { env: { PUNCTUAL_URL: await closedAddress() } });
  expect(away.code).toBe(1);
  expect(away.err).toContain("punctual dev");
});
