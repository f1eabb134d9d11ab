import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { UsageError } from "../usage-error.ts";
import { type CreateFlags, writtenJob } from "./create.ts";

function fileWith(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), "punctual-create-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "job.yaml");
  writeFileSync(path, text);
  return path;
}

test("flags make a job that calls an address", async () => {
  const flags: CreateFlags = {
    name: "report",
    cron: "0 2 * * *",
    tz: "Europe/Berlin",
    url: "https://example.com",
    method: "put",
    header: ["x-team: a:b", "accept:text/plain"],
    body: '{"a":1}',
    payload: "[1]",
    tag: ["a", "b"],
    maxAttempts: 5,
    paused: true,
  };
  expect(await writtenJob(flags, [])).toEqual({
    name: "report",
    schedule: { cron: "0 2 * * *", timezone: "Europe/Berlin" },
    target: {
      type: "http",
      url: "https://example.com",
      method: "PUT",
      headers: { "x-team": "a:b", accept: "text/plain" },
      body: { a: 1 },
    },
    payload: [1],
    tags: ["a", "b"],
    retry: { maxAttempts: 5 },
    paused: true,
  });
});

test("flags make a job for a worker, and one that runs a program", async () => {
  expect(await writtenJob({ name: "mail", handler: "send" }, [])).toEqual({
    name: "mail",
    target: { type: "worker", handler: "send" },
  });
  expect(await writtenJob({ delay: "5m", command: "pg_dump" }, ["-Fc", "shop"])).toEqual({
    schedule: { delay: "5m" },
    target: { type: "shell", command: "pg_dump", args: ["-Fc", "shop"] },
  });
});

test("a file is read as YAML or JSON, and flags win over it", async () => {
  const yaml = fileWith("name: a\nschedule: {cron: '0 2 * * *'}\ntarget: {type: http, url: https://a}\n");
  expect(await writtenJob({ file: yaml, name: "b", every: "5m", method: "get" }, [])).toEqual({
    name: "b",
    schedule: { every: "5m" },
    target: { type: "http", url: "https://a", method: "GET" },
  });
  const json = fileWith('{"name":"a","target":{"type":"worker","handler":"h"}}');
  expect(await writtenJob({ file: json }, [])).toEqual({ name: "a", target: { type: "worker", handler: "h" } });
});

test.each<[string, CreateFlags, string[], string]>([
  ["nothing to run", { name: "a" }, [], "Say what to run"],
  ["two targets", { url: "https://a", handler: "b" }, [], "--url and --handler"],
  ["two schedules", { url: "https://a", cron: "@daily", every: "5m" }, [], "--cron and --every"],
  ["a zone alone", { url: "https://a", tz: "UTC" }, [], "goes with --cron"],
  ["arguments without a program", { url: "https://a" }, ["x"], '"x" is not understood'],
  ["a header without a colon", { url: "https://a", header: ["x"] }, [], 'write it as "name: value"'],
  ["a payload that is no JSON", { url: "https://a", payload: "{x" }, [], "--payload is not JSON"],
  ["a payload file that is not there", { url: "https://a", payload: "@/no/file" }, [], "there is no file /no/file"],
  ["standard input twice", { url: "https://a", payload: "-", body: "-" }, [], "once only"],
  ["a file that is not there", { file: "/no/job.yaml" }, [], "there is no file /no/job.yaml"],
])("%s is refused", async (_, flags, args, message) => {
  await expect(writtenJob(flags, args)).rejects.toThrow(message);
});

test.each([
  ["name: [", "neither JSON nor YAML"],
  ["name: a\nschedule:\n  cron: * * * * *\n", "line 3, column 9: this is not YAML: Alias cannot be an empty string"],
  ["name: a\nschedule:\n  cron: */5 * * * *\n", "a value that begins with * needs quotes"],
  ["name: a\nschedule: *daily\n", 'line 2, column 11: "*daily" refers to an anchor that is not there; a value that'],
  ["name: &a\n  b: *a\n", "contains itself"],
  ["- a\n- b\n", "holds no job"],
  ["", "holds no job"],
  ["name: a\n---\nname: b\n", "punctual apply -f"],
  ["jobs:\n  - name: a\n", "punctual apply -f"],
])("a file with %j is refused with the way out", async (text, message) => {
  const refused = expect(writtenJob({ file: fileWith(text) }, [])).rejects;
  await refused.toThrow(UsageError);
  await refused.toThrow(message);
});
