import { expect, expectTypeOf, test } from "vitest";
import { z } from "zod";
import type { Json } from "../contract/json.ts";
import * as library from "./index.ts";
import { Punctual, type Run, type Triggered } from "./index.ts";
import * as testing from "./testing.ts";

test("the public surface is what it is meant to be", () => {
  expect(Object.keys(library).sort()).toEqual([
    "NoRetry",
    "Punctual",
    "PunctualError",
    "RetryAfter",
    "RunAborted",
    "RunCancelled",
    "RunLost",
    "RunTimedOut",
    "WorkerStopped",
  ]);
  expect(Object.keys(testing)).toEqual(["startStepped"]);
});

test("types: a schema gives the payload and the result their types, and the handle its trigger", () => {
  const p = new Punctual({ app: "shop", release: "1", database: "embedded" });
  const payloadSchema = z.object({ region: z.string(), days: z.int().default(7) });
  const handle = p.job("typed", { payloadSchema, resultSchema: z.object({ n: z.number() }) }, (run) => {
    expectTypeOf(run.payload).toEqualTypeOf<{ region: string; days: number }>();
    expectTypeOf(run.signal).toEqualTypeOf<AbortSignal>();
    return { n: run.payload.days };
  });
  expectTypeOf(handle.trigger).parameter(0).toEqualTypeOf<{ region: string; days?: number | undefined } | undefined>();
  expectTypeOf(p.trigger).returns.resolves.toEqualTypeOf<Triggered>();
  p.job("plain", { schedule: { cron: "0 3 * * *" } }, async (run) => {
    expectTypeOf(run).toEqualTypeOf<Run<Json>>();
  });
  // @ts-expect-error: a result must be what its schema takes
  p.job("wrong", { resultSchema: z.object({ n: z.number() }) }, () => ({ n: "one" }));
  p.on("execution.failed", (event) => expectTypeOf(event.type).toEqualTypeOf<"execution.failed">());
});
