import { PunctualApiError } from "punctual/client";
import { expect, test } from "vitest";
import { fieldProblems, otherProblem, sentence } from "./problems.ts";

function refused(reason: string, details: { path: string; message: string }[] = []): PunctualApiError {
  return new PunctualApiError("POST /api-keys", {
    status: 400,
    code: "validation_failed",
    reason,
    details: details.map((each) => ({ code: "invalid", ...each })),
    requestId: null,
    retryAfterMs: null,
  });
}

test("a problem is told at the field it is about, also if it is about a part of it", () => {
  const error = refused("name: must not be empty (and 1 more)", [
    { path: "name", message: "must not be empty" },
    { path: "scopes.0", message: "is not a scope" },
  ]);
  expect(fieldProblems(error)).toEqual({ name: "Must not be empty.", scopes: "Is not a scope." });
  expect(otherProblem(error, ["name", "scopes"])).toBeNull();
});

test("a problem of a field that the form does not show is told above the form", () => {
  const error = refused("overlap: is too long", [{ path: "overlap", message: "is too long" }]);
  expect(otherProblem(error, ["name"])).toBe("Overlap: is too long.");
});

test("a problem that belongs to no field is told above the form", () => {
  expect(fieldProblems(refused("there is another"))).toEqual({});
  expect(otherProblem(refused("there is another"), ["name"])).toBe("There is another.");
});

test("where nothing is wrong nothing is told", () => {
  expect(otherProblem(null, [])).toBeNull();
});

test("a sentence that ends keeps its end", () => {
  expect(sentence("try again!")).toBe("Try again!");
});
