import { type Problem, PunctualApiError } from "punctual/client";
import { describe, expect, test } from "vitest";
import { problemAt, problemsOf, unplaced, withMissingName, withoutUnwritten } from "./problems.ts";

const problem = (path: string, message = "is wrong"): Problem => ({ path, code: "x", message });
const refused = (code: string, details: Problem[]) =>
  new PunctualApiError("POST /jobs", { status: 400, code, reason: "no", details, requestId: null, retryAfterMs: null });

describe("what the server says of a draft", () => {
  test("is told of the fields it names; a name that is taken is told of the name", () => {
    expect(problemsOf(refused("validation_failed", [problem("target.url")]))).toEqual([problem("target.url")]);
    expect(problemsOf(refused("name_taken", []))).toMatchObject([{ path: "name", message: "no" }]);
    expect(problemsOf(refused("limit_reached", []))).toMatchObject([{ path: "", message: "no" }]);
  });

  test("that somebody else was faster says nothing of the fields", () => {
    expect(problemsOf(refused("version_mismatch", []))).toEqual([]);
  });

  test("no answer says nothing of the fields", () => {
    expect(problemsOf(new Error("the line is cut"))).toEqual([]);
  });

  test("what is not written yet is not wrong yet", () => {
    const draft = { target: { url: "", method: "GETT" }, description: "x" };
    const all = [problem("name"), problem("target.url"), problem("target.method"), problem("")];
    expect(withoutUnwritten(all, draft).map(({ path }) => path)).toEqual(["target.method", ""]);
  });

  test("a missing name is told at once, and once, unless the job runs once", () => {
    const missing = { target: { type: "http", url: "" } };
    expect(withMissingName([problem("target.url")], missing).map(({ path }) => path)).toEqual(["name", "target.url"]);
    expect(withMissingName([problem("name")], missing)).toEqual([problem("name")]);
    expect(withMissingName([], { name: "a" })).toEqual([]);
    expect(withMissingName([], { schedule: { at: "2027-01-01T00:00:00Z" } })).toEqual([]);
  });

  test("a field tells its own problems and those within it, these with their place", () => {
    const all = [problem("target.headers.a b", '"a b" is no name'), problem("target.headers.x", "has a break")];
    expect(problemAt(all, "target.headers")).toBe('"a b" is no name · x: has a break');
    expect(problemAt(all, "target.header")).toBeNull();
  });

  test("what no field shows is told above the form", () => {
    const draft = { schedule: { cron: "x" }, target: { type: "worker", handler: "a" } };
    const all = ["foo", "schedule", "schedule.cron", "schedule.every", "target.url", "target.handler", "retry.on.0"];
    expect(
      unplaced(
        all.map((path) => problem(path)),
        draft,
      ).map(({ path }) => path),
    ).toEqual(["foo", "schedule", "schedule.every", "target.url"]);
  });
});
