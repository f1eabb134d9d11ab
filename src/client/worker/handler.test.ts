import { expectTypeOf, test } from "vitest";
import { z } from "zod";
import type { Json } from "../../contract/json.ts";
import type { Run } from "./run.ts";
import type { SafeParseSchema, StandardSchema } from "./schema.ts";
import { Worker } from "./worker.ts";

const worker = new Worker({ url: "http://127.0.0.1:1" });

test("without a schema the payload is JSON, and anything may be returned", () => {
  worker.handle("types-plain", (run) => {
    expectTypeOf(run).toEqualTypeOf<Run<Json>>();
    expectTypeOf(run.scheduledAt).toEqualTypeOf<Date>();
    expectTypeOf(run.progress).parameters.toEqualTypeOf<[fraction: number, message?: string]>();
  });
  worker.handle("types-options", { concurrency: 2 }, async (run) => {
    expectTypeOf(run.payload).toEqualTypeOf<Json>();
    return new Date();
  });
});

test("a payload schema gives the handler what comes out of it", () => {
  const payload = z.object({ to: z.string(), copies: z.string().transform(Number), note: z.string().default("") });
  worker.handle("types-payload", { payload }, (run) => {
    expectTypeOf(run.payload).toEqualTypeOf<{ to: string; copies: number; note: string }>();
  });
});

test("a result schema says what the handler must return", () => {
  const result = z.object({ sent: z.number(), at: z.date().transform(String) });
  worker.handle("types-result", { result }, () => ({ sent: 1, at: new Date() }));
  worker.handle("types-result-later", { result }, async () => ({ sent: 1, at: new Date() }));
  // @ts-expect-error: `sent` is a number
  worker.handle("types-result-wrong", { result }, () => ({ sent: "1", at: new Date() }));
  // @ts-expect-error: nothing is returned
  worker.handle("types-result-missing", { result }, async () => {});
});

test("any schema of the common standard, or with zod's safeParse, gives its types", () => {
  const standard = {} as StandardSchema<string, number>;
  const safeParse = {} as SafeParseSchema<{ n: number }>;
  worker.handle("types-standard", { payload: standard, result: standard }, (run) => {
    expectTypeOf(run.payload).toEqualTypeOf<number>();
    return "1";
  });
  worker.handle("types-safe-parse", { payload: safeParse, result: safeParse }, (run) => {
    expectTypeOf(run.payload).toEqualTypeOf<{ n: number }>();
    return { n: 1 };
  });
  // @ts-expect-error: no schema at all
  worker.handle("types-no-schema", { payload: {} }, () => {});
});
