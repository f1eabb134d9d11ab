import { expect, test, vi } from "vitest";
import { z } from "zod";
import { RunTimedOut, WorkerStopped } from "../../client/worker/abort-reason.ts";
import type { DeclaredHandler } from "../../client/worker/handler.ts";
import { NoRetry, RetryAfter } from "../../client/worker/retry.ts";
import type { Run } from "../../client/worker/run.ts";
import type { Schema } from "../../client/worker/schema.ts";
import { type JobSpec, jobInputSchema } from "../../contract/job.ts";
import type { Json } from "../../contract/json.ts";
import type { WorkerTarget } from "../../contract/target.ts";
import { AttemptAbort } from "../port/attempt-abort.ts";
import type { AbortReason, Call, Reporter } from "../port.ts";
import { FunctionTargetRunner } from "./runner.ts";

const HANDLER = "shop/cleanup";
const never = new AbortController().signal;

function makeRunner(
  call: (run: Run<never>) => unknown,
  { payload, result }: { payload?: Schema; result?: Schema } = {},
): { runner: FunctionTargetRunner; taken: () => number; stuck: string[] } {
  const handler: DeclaredHandler = { name: HANDLER, concurrency: 1, payload, result, call };
  const stuck: string[] = [];
  const taken: string[] = [];
  const slots = { take: (lane: string) => void taken.push(lane), give: () => void taken.pop() };
  const runner = new FunctionTargetRunner(new Map([[HANDLER, handler]]), {
    slots,
    onStuck: (stuckCall) => stuck.push(stuckCall.executionId),
  });
  return { runner, taken: () => taken.length, stuck };
}

function makeCall(payload: Json = { region: "eu" }, reporter?: Partial<Reporter>): Call<WorkerTarget> {
  const target = { type: "worker", handler: HANDLER };
  const job = jobInputSchema.parse({ name: "cleanup", target, timeout: "90s" });
  return {
    executionId: "0198f0c1-2345-8abc-8def-0123456789ab",
    rootId: "0198f0c1-0000-8abc-8def-0123456789ab",
    attempt: 2,
    trigger: "schedule",
    scheduledAt: new Date("2026-12-01T01:00:00Z"),
    startedAt: new Date("2026-12-01T01:00:01Z"),
    projectId: "project",
    jobId: "0198f0c1-1111-7abc-8def-0123456789ab",
    jobVersion: 3,
    job: job as JobSpec & { target: WorkerTarget },
    payload,
    callbackUrl: null,
    traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
    reporter: { log: () => {}, ready: async () => {}, progress: () => {}, ...reporter },
  };
}

test("the function gets the run and what it returns is the result", async () => {
  let seen: Run<never> | undefined;
  const { runner } = makeRunner(async (run) => {
    seen = run;
    return { removed: 3 };
  });
  expect(await runner.attempt(makeCall(), never)).toMatchObject({ outcome: "succeeded", result: { removed: 3 } });
  expect(seen).toMatchObject({
    id: "0198f0c1-2345-8abc-8def-0123456789ab",
    idempotencyKey: "0198f0c1-0000-8abc-8def-0123456789ab",
    attempt: 2,
    payload: { region: "eu" },
    job: { id: "0198f0c1-1111-7abc-8def-0123456789ab", name: "cleanup", version: 3 },
    handler: HANDLER,
    trigger: "schedule",
    scheduledAt: new Date("2026-12-01T01:00:00Z"),
    deadline: new Date("2026-12-01T01:01:31Z"),
  });
});

test("a run can be copied with all that belongs to it", async () => {
  let copy: Run<never> | undefined;
  const { runner } = makeRunner((run) => {
    copy = { ...run };
  });
  await runner.attempt(makeCall(), never);
  expect(copy).toMatchObject({
    signal: expect.any(AbortSignal),
    log: { info: expect.any(Function) },
    progress: expect.any(Function),
  });
});

test("nothing returned is null, and a result that is no JSON is a failure that another try cannot mend", async () => {
  expect(await makeRunner(() => {}).runner.attempt(makeCall(), never)).toMatchObject({ result: null });
  expect(await makeRunner(() => 10n).runner.attempt(makeCall(), never)).toMatchObject({
    outcome: "failed",
    cause: null,
    error: { code: "invalid_result", message: expect.stringContaining("not JSON") },
  });
});

test("an error keeps its message, stack and cause, whether thrown at once or later", async () => {
  const fails = () => {
    throw Object.assign(new Error("no disk", { cause: new Error("full") }), { code: "ENOSPC" });
  };
  for (const call of [fails, async () => fails()])
    expect(await makeRunner(call).runner.attempt(makeCall(), never)).toMatchObject({
      outcome: "failed",
      cause: { kind: "handler" },
      doubtful: false,
      retryAfterMs: null,
      error: {
        code: "ENOSPC",
        message: "no disk",
        stack: expect.stringContaining("runner.test"),
        cause: "Error: full",
      },
    });
});

test("RetryAfter asks for exactly its time, NoRetry for none", async () => {
  const after = makeRunner(() => Promise.reject(new RetryAfter("5m"))).runner;
  expect(await after.attempt(makeCall(), never)).toMatchObject({ cause: { kind: "handler" }, retryAfterMs: 300_000 });
  const no = makeRunner(() => Promise.reject(new NoRetry("unknown customer"))).runner;
  expect(await no.attempt(makeCall(), never)).toMatchObject({ cause: null, error: { message: "unknown customer" } });
});

test("a payload that does not fit its schema never reaches the function and is not retried", async () => {
  const call = vi.fn();
  const { runner } = makeRunner(call, { payload: z.object({ region: z.enum(["us"]) }) });
  expect(await runner.attempt(makeCall(), never)).toMatchObject({
    outcome: "failed",
    cause: null,
    error: { code: "invalid_payload", message: expect.stringContaining("payload.region") },
  });
  expect(call).not.toHaveBeenCalled();
});

test("what a schema makes of the payload is what the function gets", async () => {
  const { runner } = makeRunner((run) => run.payload, {
    payload: z.object({ region: z.string().transform((region) => region.toUpperCase()) }),
  });
  expect(await runner.attempt(makeCall(), never)).toMatchObject({ result: { region: "EU" } });
});

test("a function that ignores its signal is given up when its time is over, and holds its slot until it returns", async () => {
  let finish = () => {};
  let signal: AbortSignal | undefined;
  const { runner, taken, stuck } = makeRunner((run) => {
    signal = run.signal;
    return new Promise<void>((resolve) => {
      finish = resolve;
    });
  });
  const abort = new AbortController();
  const attempt = runner.attempt(makeCall(), abort.signal);
  abort.abort("timeout");
  expect(await attempt).toMatchObject({
    outcome: "timed_out",
    cause: { kind: "timeout" },
    doubtful: true,
    error: { code: "timeout", message: expect.stringContaining("90000 ms") },
  });
  expect(signal!.reason).toBeInstanceOf(RunTimedOut);
  expect([taken(), stuck.length]).toEqual([1, 1]);
  finish();
  await vi.waitUntil(() => taken() === 0);
});

test("a function that rejects long after it was given up disturbs nobody", async () => {
  let fail = (_: Error) => {};
  const { runner, taken } = makeRunner(
    () =>
      new Promise((_, reject) => {
        fail = reject;
      }),
  );
  const abort = new AbortController();
  const attempt = runner.attempt(makeCall(), abort.signal);
  abort.abort("shutdown");
  await attempt;
  // An unhandled rejection would fail the test run.
  fail(new Error("too late"));
  await vi.waitUntil(() => taken() === 0);
});

test("a stop is told by the reason of the signal", async () => {
  let signal: AbortSignal | undefined;
  const { runner } = makeRunner((run) => {
    signal = run.signal;
    return new Promise(() => {});
  });
  const abort = new AbortController();
  const attempt = runner.attempt(makeCall(), abort.signal);
  abort.abort("shutdown");
  expect(await attempt).toMatchObject({ outcome: "failed", error: { code: "shutdown" } });
  expect(signal!.reason).toBeInstanceOf(WorkerStopped);
});

test("a signal that is first asked for when the attempt is over is aborted already", async () => {
  let late: Run<never> | undefined;
  const { runner } = makeRunner((run) => {
    late = run;
    return new Promise(() => {});
  });
  const abort = new AttemptAbort();
  const attempt = runner.attempt(makeCall(), abort);
  abort.abort("timeout");
  await attempt;
  expect([late!.signal.aborted, late!.signal.reason]).toEqual([true, expect.any(RunTimedOut)]);
  expect(late!.signal).toBe(late!.signal);
});

test.each(["timeout", "cancelled", "claim_lost", "shutdown"] satisfies AbortReason[])(
  "what a function has done that was aborted by %s, nobody knows; one that was not begun has done nothing",
  async (reason) => {
    const { runner } = makeRunner(() => new Promise(() => {}));
    const abort = new AbortController();
    const attempt = runner.attempt(makeCall(), abort.signal);
    abort.abort(reason);
    expect(await attempt).toMatchObject({ doubtful: true });
    expect(await runner.attempt(makeCall(), AbortSignal.abort(reason))).toMatchObject({ doubtful: false });
  },
);

test("a function whose attempt is aborted while its payload is looked at is not called any more", async () => {
  const call = vi.fn();
  let look = () => {};
  const looked = new Promise<void>((resolve) => {
    look = resolve;
  });
  const { runner, taken } = makeRunner(call, { payload: z.unknown().refine(() => looked.then(() => true)) });
  const abort = new AbortController();
  const attempt = runner.attempt(makeCall(), abort.signal);
  abort.abort("shutdown");
  expect(await attempt).toMatchObject({ outcome: "failed", doubtful: false });
  look();
  await vi.waitUntil(() => taken() === 0);
  expect(call).not.toHaveBeenCalled();
});

test("an attempt that is aborted before it begins calls nothing", async () => {
  const call = vi.fn();
  const { runner, taken } = makeRunner(call);
  expect(await runner.attempt(makeCall(), AbortSignal.abort("shutdown"))).toMatchObject({ outcome: "failed" });
  expect(call).not.toHaveBeenCalled();
  expect(taken()).toBe(0);
});

test("logs and progress go to the reporter while the attempt runs, and nowhere after it", async () => {
  const lines: unknown[][] = [];
  const progress: Json[] = [];
  let late: Run<never> | undefined;
  const { runner } = makeRunner(async (run) => {
    late = run;
    run.log.warn("slow", { ms: 12, error: new Error("oh") });
    await run.progress(0.4, "half way");
  });
  const reporter = {
    log: (...line: unknown[]) => void lines.push(line),
    progress: (value: Json) => void progress.push(value),
  };
  await runner.attempt(makeCall({}, reporter), never);
  late!.log.info("too late");
  await late!.progress(1);
  expect(lines).toEqual([["warn", "slow", { ms: 12, error: "Error: oh" }]]);
  expect(progress).toEqual([{ fraction: 0.4, message: "half way" }]);
  await expect(late!.progress(2)).rejects.toThrow("from 0 to 1");
});
