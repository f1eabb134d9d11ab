import { expect, test } from "vitest";
import { describeFailure } from "./failure.ts";

test("an error is kept with its code or class, message, stack and causes", () => {
  const refused = Object.assign(new Error("connect ECONNREFUSED 127.0.0.1:5432"), { code: "ECONNREFUSED" });
  const failure = describeFailure(
    new TypeError("no customers", { cause: new Error("query failed", { cause: refused }) }),
  );
  expect(failure).toMatchObject({ code: "TypeError", message: "no customers" });
  expect(failure.stack).toContain("failure.test.ts");
  expect(failure.cause).toBe("Error: query failed\nError [ECONNREFUSED]: connect ECONNREFUSED 127.0.0.1:5432");
  expect(describeFailure(refused).code).toBe("ECONNREFUSED");
});

test("a code that is no text, or empty, does not hide the class", () => {
  expect(describeFailure(Object.assign(new RangeError("x"), { code: 7 })).code).toBe("RangeError");
  expect(describeFailure(Object.assign(new RangeError("x"), { code: "" })).code).toBe("RangeError");
});

test("several errors in one are all named", () => {
  const many = new AggregateError([new Error("first"), new Error("second")], "both failed");
  expect(describeFailure(new Error("outer", { cause: many })).cause).toBe(
    "AggregateError: both failed; Error: first; Error: second",
  );
});

test("of several errors thrown as one each is a cause, and the first speaks for one without words of its own", () => {
  const refused = ["::1", "127.0.0.1"].map((host) =>
    Object.assign(new Error(`connect ECONNREFUSED ${host}:5432`), { code: "ECONNREFUSED" }),
  );
  // As Node.js throws it.
  const failure = describeFailure(Object.assign(new AggregateError(refused), { code: "ECONNREFUSED" }));
  expect(failure).toMatchObject({ code: "ECONNREFUSED", message: "connect ECONNREFUSED ::1:5432" });
  expect(failure.cause).toBe(
    "Error [ECONNREFUSED]: connect ECONNREFUSED ::1:5432\nError [ECONNREFUSED]: connect ECONNREFUSED 127.0.0.1:5432",
  );
  const named = new AggregateError(["a text"], "both failed", { cause: new Error("why") });
  expect(describeFailure(named)).toMatchObject({ message: "both failed", cause: "a text\nError: why" });
  expect(describeFailure(new AggregateError([])).message).toBe("the handler threw an error without a message");
});

test.each([
  ["a text", "just a text", "the handler threw just a text"],
  ["nothing", undefined, "the handler threw undefined"],
  ["null", null, "the handler threw null"],
  ["an object", { status: 500 }, 'the handler threw {"status":500}'],
  ["a number", 404, "the handler threw 404"],
  ["a symbol", Symbol("odd"), "the handler threw Symbol(odd)"],
])("whoever throws %s is understood", (_, thrown, message) => {
  expect(describeFailure(thrown)).toEqual({ code: "thrown", message });
});

test("whatever is thrown, describing it never throws", () => {
  const circular: Record<string, unknown> = {};
  circular.self = circular;
  const booby = new Error("x");
  Object.defineProperty(booby, "message", {
    get: () => {
      throw new Error("gotcha");
    },
  });
  const ring = new Error("ring");
  ring.cause = ring;
  expect(describeFailure(circular).code).toBe("thrown");
  expect(describeFailure(Object.create(null)).code).toBe("thrown");
  expect(describeFailure(booby)).toEqual({
    code: "thrown",
    message: "the handler threw something that cannot be shown",
  });
  expect(describeFailure(ring).cause!.split("\n")).toHaveLength(9);
});

test("texts are cut to what is kept, and what the database cannot keep is replaced", () => {
  const failure = describeFailure(new Error(`a\u0000b\uD800c${"x".repeat(100_000)}`));
  expect(failure.message).toHaveLength(8_192);
  expect(failure.message.startsWith("a\uFFFDb\uFFFDcx")).toBe(true);
  expect(failure.stack!.length).toBeLessThanOrEqual(16_384);
  expect(describeFailure(new Error("")).message).toBe("the handler threw an error without a message");
});
