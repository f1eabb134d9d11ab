import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { expect, onTestFinished, test, vi } from "vitest";
import { saveContext } from "../contexts.ts";
import { buildProgram } from "../program.ts";
import { completions } from "./completions.ts";

async function words(...typed: string[]): Promise<string[]> {
  return (
    await completions(
      buildProgram("1.2.3", () => {}),
      typed,
    )
  ).map(([word]) => word);
}

test("commands are completed, and the commands within them", async () => {
  expect(await words("j")).toEqual(["jobs"]);
  expect(await words("jobs", "p")).toEqual(["pause"]);
  expect(await words("dl", "")).toEqual(["list", "groups", "retry", "discard"]);
});

test("flags are completed once a dash is typed", async () => {
  expect(await words("jobs", "create", "--ha")).toEqual(["--handler"]);
  expect(await words("jobs", "list", "")).not.toContain("--json");
  expect(await words("jobs", "list", "--")).toContain("--help");
});

test("the values of a flag are completed", async () => {
  expect(await words("jobs", "create", "--overlap", "queue")).toEqual(["queue_one", "queue_all"]);
  expect(await words("keys", "create", "x", "--scope", "w")).toEqual(["write", "work"]);
});

test("names of contexts come from the file, and a server that is not there costs nothing", async () => {
  const folder = mkdtempSync(`${tmpdir()}/punctual-completion-`);
  onTestFinished(() => rmSync(folder, { recursive: true }));
  vi.stubEnv("XDG_CONFIG_HOME", folder);
  onTestFinished(() => void vi.unstubAllEnvs());
  saveContext("production", { url: "http://127.0.0.1:1", apiKey: "k" });
  expect(await words("jobs", "list", "--context", "p")).toEqual(["production"]);
  expect(await words("context", "use", "")).toEqual(["production"]);
  expect(await words("jobs", "show", "")).toEqual([]);
});
