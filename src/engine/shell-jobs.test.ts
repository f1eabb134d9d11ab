// Commands and their logs over a whole engine: claimed, run, written, settled.

import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestEngine, type TestEngine, until } from "../../tests/support/engine.ts";
import { createJob, createTestStore, PROJECT, type TestStore, triggerJob } from "../../tests/support/store.ts";
import { LOG_LINES_MAX } from "../contract/log-limits.ts";
import { isFinal } from "../core/states.ts";
import { isAlive } from "../targets/shell/testing/commands.ts";

let t: TestStore;
let running: TestEngine;

beforeAll(async () => {
  t = await createTestStore();
  running = await startTestEngine(t, { shell: true });
});
afterAll(async () => {
  await running.stop();
  await t.close();
});

const script = (text: string, ...args: string[]) => ({
  target: { type: "shell", command: "sh", args: ["-c", text, "sh", ...args] },
});
const quick = { retry: { maxAttempts: 2, initialDelay: "10ms", jitter: false } };
const lines = async (id: string) =>
  (await t.store.logs.read(PROJECT, id, { after: null, level: "debug", limit: LOG_LINES_MAX }))!.lines;

async function ran(id: string) {
  return await until(`${id} is final`, async () => {
    const execution = (await t.store.executions.find(PROJECT, id))!;
    return isFinal(execution.state) ? execution : null;
  });
}

async function run(written: object, options: object = {}) {
  return await ran(await triggerJob(t.store, await createJob(t.store, written), options));
}

test("a command succeeds, and the moment its execution is final its log is whole", async () => {
  for (let round = 0; round < 5; round += 1) {
    const execution = await run(script('i=0; while [ $i -lt 300 ]; do i=$((i+1)); echo "line $i"; done; cat'), {
      payload: { round },
    });
    expect(execution).toMatchObject({ state: "succeeded", result: { exitCode: 0, signal: null } });
    const said = (await lines(execution.id)).map(({ message }) => message);
    expect(said).toHaveLength(301);
    expect(said.slice(299)).toEqual(["line 300", `{"round":${round}}`]);
  }
});

test("each attempt of one that fails has its lines, and its last words are the error", async () => {
  const execution = await run({ ...script("echo attempt $PUNCTUAL_ATTEMPT >&2; exit 7"), ...quick });
  expect(execution).toMatchObject({
    state: "failed",
    attempt: 2,
    reason: { code: "attempts_exhausted" },
    error: { code: "exit_code", message: "the command exited with code 7: attempt 2" },
  });
  expect(await lines(execution.id)).toMatchObject([
    { attempt: 1, seq: 1, level: "warn", message: "attempt 1", fields: { stream: "stderr" } },
    { attempt: 2, seq: 1, level: "warn", message: "attempt 2", fields: { stream: "stderr" } },
  ]);
});

test("one that cannot be run fails for good at its first attempt", async () => {
  const target = { type: "shell", command: "no-such-program" };
  expect(await run({ target, ...quick })).toMatchObject({
    state: "failed",
    attempt: 1,
    reason: { code: "not_retryable" },
    error: { code: "command_not_found" },
  });
});

test("one whose time is over is ended with what it started; at most once nobody knows what it has done", async () => {
  const written = { ...script("sleep 300 & echo pids $$ $!; wait"), timeout: "1s", retry: { maxAttempts: 1 } };
  const execution = await run(written);
  expect(execution).toMatchObject({ state: "failed", attempts: [{ outcome: "timed_out" }] });
  const pids = (await lines(execution.id))[0]!.message.match(/\d+/g)!.map(Number);
  expect(pids.map(isAlive)).toEqual([false, false]);
  expect(await run({ ...written, delivery: "at_most_once" })).toMatchObject({ state: "unknown" });
});

test("one that is cancelled while it runs is ended with what it started", async () => {
  const id = await triggerJob(t.store, await createJob(t.store, script("sleep 300 & echo pids $$ $!; wait")));
  const [first] = await until("it has spoken", async () => {
    const said = await lines(id);
    return said.length > 0 ? said : null;
  });
  const pids = first!.message.match(/\d+/g)!.map(Number);
  expect(pids.map(isAlive)).toEqual([true, true]);
  await t.store.executions.cancel(PROJECT, id, { actor: "test" });
  t.store.events.wake();
  await until("both are gone", () => !pids.some(isAlive));
  expect(await ran(id)).toMatchObject({ state: "cancelled" });
});

test("a flood of output ends the log, not the command", async () => {
  const execution = await run(script("yes | head -n 200000; echo still here >&2"));
  expect(execution).toMatchObject({ state: "succeeded" });
  const said = await lines(execution.id);
  expect(said).toHaveLength(LOG_LINES_MAX);
  expect(said.at(-1)!.message).toMatch(/^the log ends here/);
});

test("a node that runs no commands leaves them to those that do", async () => {
  const other = await createTestStore();
  const without = await startTestEngine(other);
  try {
    const id = await triggerJob(other.store, await createJob(other.store, script("echo here")));
    const http = await createJob(other.store, { target: { type: "http", url: "http://127.0.0.1:9/" } });
    const after = await triggerJob(other.store, http);
    // What was due later has been tried: the command was passed over, not merely not reached.
    await until("the call was tried", async () => (await other.store.executions.find(PROJECT, after))!.attempt > 0);
    expect(await other.store.executions.find(PROJECT, id)).toMatchObject({ state: "scheduled", attempt: 0 });
    const second = await startTestEngine(other.another(), { shell: true });
    await until("it ran", async () => (await other.store.executions.find(PROJECT, id))!.state === "succeeded");
    await second.stop();
  } finally {
    await without.stop();
    await other.close();
  }
});
