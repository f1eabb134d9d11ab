import { expect, test } from "vitest";
import { PunctualError } from "../contract/errors.ts";
import { Punctual } from "./index.ts";
import { type PunctualOptions, readOptions } from "./options.ts";

const GIVEN: PunctualOptions = { app: "shop", release: "42", database: "postgres://ada:secret@localhost/shop" };

function refused(options: object): PunctualError {
  try {
    readOptions({ ...GIVEN, ...options } as PunctualOptions);
  } catch (error) {
    if (error instanceof PunctualError) return error;
    throw error;
  }
  throw new Error("the options were accepted");
}

test("three options are enough, and the rest has defaults", () => {
  expect(readOptions(GIVEN)).toMatchObject({
    project: "default",
    concurrency: 100,
    drainMs: 10_000,
    leaseMs: 15_000,
    undeclaredAfterMs: 600_000,
    log: "silent",
  });
  expect(readOptions({ ...GIVEN, database: "embedded", release: 42 })).toMatchObject({ release: "42" });
});

test("everything that is wrong is told at once, with the values seen", () => {
  const error = refused({ app: "my shop", release: "", concurrency: 0, drain: "soon", colour: "red" });
  expect(error.details.map(({ path }) => path).sort()).toEqual(["app", "colour", "concurrency", "drain", "release"]);
  expect(error.message).toContain("new Punctual has 5 problems");
  expect(error.message).toContain("app: must start with a letter or digit");
  expect(error.message).toContain('"my shop"');
  expect(error.message).toContain('"soon" is not a duration');
  expect(error.message).toContain('unknown field "colour"');
});

test("a database that is none is refused without its password", () => {
  const error = refused({ database: "mysql://ada:secret@localhost/shop" });
  expect(error.message).toContain("database");
  expect(JSON.stringify([error.message, error.details])).not.toContain("secret");
  expect(refused({ database: undefined }).message).toContain("database");
});

test("a log is a level or an object that can be told", () => {
  expect(readOptions({ ...GIVEN, log: console }).log).toBe(console);
  expect(refused({ log: "loud" }).message).toContain("neither a level");
  expect(refused({ log: { info: () => {} } }).message).toContain("debug, info, warn and error");
});

test("what is wrong with jobs is told when the program starts, all of it, before the database is asked", async () => {
  const p = new Punctual({ ...GIVEN, database: "postgres://nobody@127.0.0.1:1/nowhere" });
  p.job("cleanup", { schedule: { cron: "0 25 * * *" }, priority: 200 }, async () => {});
  p.job("re port", { concurrency: 0 }, async () => {});
  p.job("report", {}, undefined as never);
  p.job("twice", {}, async () => {});
  p.job("twice", {}, async () => {});
  const error: PunctualError = await p.start().then(
    () => Promise.reject(new Error("it started")),
    (thrown) => thrown,
  );
  expect(error).toBeInstanceOf(PunctualError);
  const paths = error.details.map(({ path }) => path);
  expect(paths).toEqual(
    expect.arrayContaining([
      "jobs.cleanup.priority",
      "jobs.re port.name",
      "jobs.re port.concurrency",
      "jobs.report.handler",
      "jobs.twice.name",
    ]),
  );
  expect(error.message).toContain("200");
});
