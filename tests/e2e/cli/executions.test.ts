import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { PunctualClient } from "../../../src/client/index.ts";
import { closedAddress, type Shell, startShell } from "./shell.ts";

let shell: Shell;
let client: PunctualClient;

beforeAll(async () => {
  shell = await startShell();
  const { PUNCTUAL_URL: url, PUNCTUAL_API_KEY: key } = shell.environment();
  client = new PunctualClient({ url, key });
  await client.jobs.put("good", { target: { type: "http", url: `${shell.url}/dev/echo` } });
  await client.jobs.put("coded", { target: { type: "worker", handler: "count" } });
});
afterAll(() => shell?.close());

/** A job whose target is not there, and so many executions of it that failed for good. */
async function failures(job: string, count: number): Promise<string[]> {
  await client.jobs.put(job, { target: { type: "http", url: await closedAddress() }, retry: { maxAttempts: 1 } });
  const triggered = await client.triggers.create(Array.from({ length: count }, () => ({ job })));
  const ids = triggered.map(({ executionId }) => executionId);
  for (const id of ids) await client.executions.waitFor(id, { timeoutMs: 30_000 });
  return ids;
}

test("executions are listed by job, state and time, and shown with their attempts", async () => {
  const { id } = await client.jobs.trigger("good", { payload: { n: 1 } });
  await client.executions.waitFor(id, { timeoutMs: 30_000 });
  const list = await shell.json("executions", "list", "--job", "good", "--state", "succeeded,failed", "--from", "1h");
  expect(list.items).toEqual([expect.objectContaining({ id, jobName: "good", state: "succeeded" })]);
  expect((await shell.json("exec", "ls", "--to", "1h")).items).toEqual([]);
  const text = await shell.run(["executions", "list", "--job", "good"], { env: { COLUMNS: "80" } });
  expect(text.out).toMatch(new RegExp(`^ID +JOB +STATE +WHEN.*\n${id} +good +succeeded `));
  for (const line of text.out.split("\n")) expect(line.length).toBeLessThanOrEqual(80);
  const shown = await shell.run(["executions", "show", id]);
  expect(shown.out).toMatch(/^good {2}succeeded\n/);
  expect(shown.out).toMatch(/Payload +\{"n":1\}/);
  expect(shown.out).toMatch(/TRY +OUTCOME.*\n +1 +succeeded/);
  expect(await shell.json("executions", "show", "--job", "good")).toMatchObject({ id, attempts: [{ number: 1 }] });
});

test("an execution is retried as a new one, by id and by what it has in common with others", async () => {
  const [first] = await failures("failing", 3);
  const again = await shell.run(["executions", "retry", first!, "--wait"]);
  expect(again).toMatchObject({ code: 3, err: expect.stringContaining("failing failed") });
  const counted = await shell.json("executions", "retry", "--job", "failing", "--state", "failed", "--dry-run");
  expect(counted).toMatchObject({ matched: 4, changed: 0 });
  const done = await shell.json("executions", "retry", "--job", "failing", "--state", "failed", "--yes");
  expect(done).toMatchObject({ matched: 4, changed: 4, failed: 0 });
});

test("an execution is cancelled, and a second time is refused", async () => {
  const { id } = await client.jobs.trigger("good", { delay: "1h" });
  const cancelled = await shell.json("executions", "cancel", id, "--reason", "not needed");
  expect(cancelled).toMatchObject({ id, state: "cancelled" });
  const again = await shell.run(["executions", "cancel", id]);
  expect(again).toMatchObject({ code: 1, err: expect.stringContaining("the execution is cancelled") });
  await client.jobs.trigger("good", { delay: "1h" });
  await client.jobs.trigger("good", { delay: "1h" });
  const all = await shell.json("executions", "cancel", "--job", "good", "--state", "scheduled", "--yes");
  expect(all).toMatchObject({ matched: 2, changed: 2 });
});

test("dead letters are listed, grouped, retried and discarded", async () => {
  const ids = await failures("dying", 3);
  const list = await shell.json("dead-letters", "list", "--job", "dying");
  expect(list.items.map(({ id }: { id: string }) => id).sort()).toEqual([...ids].sort());
  const { items } = await shell.json("dl", "groups", "--job", "dying");
  expect(items).toEqual([expect.objectContaining({ jobName: "dying", count: 3 })]);
  expect((await shell.run(["dl", "list"])).out).toContain("dying");
  expect(await shell.json("dl", "retry", ids[0]!, "--yes")).toMatchObject({ matched: 1, changed: 1 });
  const unasked = await shell.run(["dl", "discard", "--group", items[0].group]);
  expect(unasked).toMatchObject({ code: 2, err: expect.stringMatching(/^punctual: Discard \d dead letters\?/) });
  const discarded = await shell.json("dl", "discard", ids[1]!, ids[2]!, "--yes");
  expect(discarded).toMatchObject({ matched: 2, changed: 2 });
  expect((await shell.run(["dl", "discard"])).code).toBe(2);
});

/** Claims the next execution of the handler as a worker would. */
async function claim(worker: string) {
  await client.workers.register(worker, { handlers: [{ name: "count", slots: 1 }] });
  return await vi.waitUntil(
    async () => {
      const handlers = [{ name: "count", free: 1 }];
      return (await client.workers.claim(worker, { requestId: randomUUID(), handlers, waitMs: 1_000 }))[0];
    },
    { timeout: 30_000 },
  );
}

test("a log is printed, and followed while it grows until the execution ends", async () => {
  const { id } = await client.jobs.trigger("coded");
  const following = shell.start(["executions", "logs", "-f", id]);
  const waiting = shell.start(["executions", "logs", "-f", "--job", "coded", "--json", "--level", "warn"]);
  const { token } = await claim("logger");
  const line = (seq: number, level: "info" | "warn", message: string) => ({ seq, level, message, fields: { n: seq } });
  await client.workers.log("logger", [{ id, token, lines: [line(1, "info", "first")] }]);
  await vi.waitUntil(() => following.seen.out.includes("first"), { timeout: 30_000 });
  await client.workers.log("logger", [{ id, token, lines: [line(2, "warn", "second \u001b[31m")] }]);
  await client.workers.settle("logger", [{ id, token, outcome: "succeeded", result: null }]);
  const { code, out } = await following.ended;
  expect(code).toBe(0);
  expect(out).toMatch(/^\d{4}-\S+Z info {2}first \{"n":1\}\n\d{4}-\S+Z warn {2}second ␛\[31m \{"n":2\}\n$/);
  const warned = await waiting.ended;
  expect(JSON.parse(warned.out)).toMatchObject({ seq: 2, level: "warn", message: "second \u001b[31m" });
  const later = await shell.run(["executions", "logs", id, "--json"]);
  expect(
    later.out
      .trim()
      .split("\n")
      .map((text) => JSON.parse(text).message),
  ).toEqual(["first", "second \u001b[31m"]);
  const { id: silent } = await client.jobs.trigger("good");
  await client.executions.waitFor(silent, { timeoutMs: 30_000 });
  expect(await shell.run(["executions", "logs", silent])).toMatchObject({ code: 0, out: "" });
});

test("--wait prints the log of what was triggered", async () => {
  const waiting = shell.start(["jobs", "trigger", "coded", "--wait"]);
  const { id, token } = await claim("waiter");
  const lines = [{ seq: 1, level: "info" as const, message: "working", fields: null }];
  await client.workers.log("waiter", [{ id, token, lines }]);
  await client.workers.settle("waiter", [{ id, token, outcome: "failed", error: "it broke", retryable: false }]);
  const { code, out, err } = await waiting.ended;
  expect(code).toBe(3);
  expect(out).toMatch(/ info {2}working\n$/);
  expect(err).toMatch(/coded failed.*\n {2}it broke\n$/);
});

test.each([
  [["executions", "show"], 2, "Say which"],
  [["executions", "show", "--job", "nope"], 4, 'there is no job "nope"'],
  [["executions", "show", "01980000-0000-7000-8000-000000000000"], 4, "there is no execution"],
  [["executions", "list", "--from", "yesterday"], 2, "is not a time"],
  [["executions", "list", "--state", "done"], 2, '"done" is none of'],
  [["executions", "retry"], 2, "Say which"],
  [["executions", "retry", "a", "--job", "b"], 2, "not both"],
  [["executions", "logs", "not-an-id"], 4, "not-an-id"],
])("%j ends with %i and says %j", async (args, expected, message) => {
  const { code, out, err } = await shell.run(args);
  expect({ code, out }).toEqual({ code: expected, out: "" });
  expect(err).toContain(message);
  expect(err).not.toMatch(/\n\s+at /);
});
