// The file in examples/, planned and applied with the built program on a real node.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Shell, startShell } from "../cli/shell.ts";

const EXAMPLE = fileURLToPath(new URL("../../../examples/punctual.yaml", import.meta.url));

let shell: Shell;
let text: string;
beforeAll(async () => {
  shell = await startShell();
  // The node of this test listens elsewhere.
  text = readFileSync(EXAMPLE, "utf8").replaceAll("http://127.0.0.1:7420", shell.url);
  writeFileSync(join(shell.folder, "punctual.yaml"), text);
});
afterAll(async () => await shell.close());

async function versions(): Promise<Record<string, number>> {
  const { items } = await shell.json("jobs", "list", "--limit", "200");
  return Object.fromEntries(items.map(({ name, version }: { name: string; version: number }) => [name, version]));
}

const NEW = { "nightly-report": 1, invoices: 1, "exchange-rates": 1, "price-increase": 1, "close-books": 1 };

test("the example is planned, applied once, and then nothing is left to change", async () => {
  const planned = await shell.run(["plan", "--detailed-exitcode"]);
  expect(planned).toMatchObject({ code: 5, err: "" });
  expect(planned.out).toContain("5 to create, 0 to change, 0 unchanged");
  expect(await versions()).toEqual({});

  // Nobody is there to be asked.
  const unasked = await shell.run(["apply"]);
  expect(unasked.code).toBe(2);
  expect(unasked.err).toContain("--yes");
  expect(await versions()).toEqual({});

  const applied = await shell.run(["apply", "--yes"]);
  expect(applied).toMatchObject({ code: 0, err: "Done: 5 created.\n" });
  const again = await shell.run(["apply", "--yes"]);
  expect(again).toMatchObject({ code: 0, err: "Nothing to change.\n" });
  expect(await versions()).toEqual(NEW);
  expect((await shell.run(["plan", "--detailed-exitcode"])).code).toBe(0);
});

test("a change by hand is drift, and applying takes it back", async () => {
  const edited = await fetch(`${shell.url}/api/v1/jobs/nightly-report`, {
    method: "PATCH",
    headers: { authorization: `Bearer ${shell.environment().PUNCTUAL_API_KEY}`, "content-type": "application/json" },
    body: '{"priority": 99}',
  });
  expect(edited.status).toBe(200);
  const planned = await shell.atTerminal("plan --no-color");
  expect(planned.text).toMatch(/! nightly-report \(version 2 → 3\)\n {4}drifted: dev changed it by hand/);
  expect(planned.text).toContain("priority: 99 → 50");
  // What progress wrote is gone from the screen when the plan comes.
  const lines = planned.text.split("\n").map((line) => line.split("\u001b[K").at(-1)!);
  expect(lines.filter((line) => line.length > 80)).toEqual([]);

  const refused = await shell.atTerminal("apply", { answers: [["[y/N] ", "n\n"]] });
  expect(refused.text).toContain("Apply 1 change? [y/N]");
  expect(refused.code).toBe(1);
  const applied = await shell.atTerminal("apply", { answers: [["[y/N] ", "y\n"]] });
  expect(applied).toMatchObject({ code: 0, text: expect.stringContaining("Done: 1 changed.") });
  expect(await versions()).toEqual({ ...NEW, "nightly-report": 3 });
});

test("what the file no longer declares is deleted when that is asked for, and nothing else", async () => {
  await shell.json("jobs", "create", "--name", "by-hand", "--every", "1h", "--url", `${shell.url}/dev/echo`);
  const shorter = join(shell.folder, "shorter.yaml");
  writeFileSync(shorter, text.replace(/ {2}price-increase:[\s\S]*?\n\n/, ""));
  const kept = await shell.run(["apply", "-f", shorter, "--yes"]);
  expect(kept.out).toContain("- price-increase");
  expect(kept.err).toBe("Nothing to change.\n");
  const declined = await shell.atTerminal(`apply -f ${shorter} --prune`, { answers: [["[y/N] ", "n\n"]] });
  expect(declined).toMatchObject({ code: 1, text: expect.stringContaining("Nothing was deleted.") });
  expect(declined.text).not.toContain("Nothing was done.");
  expect(Object.keys(await versions())).toContain("price-increase");
  const pruned = await shell.json("apply", "-f", shorter, "--prune", "--yes");
  expect(pruned.results).toMatchObject([{ job: "price-increase", action: "prune", done: true }]);
  expect(Object.keys(await versions()).sort()).toEqual(
    ["by-hand", ...Object.keys(NEW).filter((name) => name !== "price-increase")].sort(),
  );
  // Without a name of its own a file deletes nothing.
  writeFileSync(shorter, "jobs: {}\n");
  const unnamed = await shell.run(["apply", "-f", shorter, "--prune", "--yes"]);
  expect(unnamed.code).toBe(2);
  expect(unnamed.err).toContain('add "source: shorter"');
});

test("everything that is wrong is told at once, and nothing is done", async () => {
  const wrong = `source: wrong
jobs:
  good: { target: { type: worker, handler: x } }
  late: { schedule: { cron: "0 25 * * *" }, target: { type: worker, handler: x } }
  by-hand: { target: { type: worker, handler: x } }
`;
  const { code, out, err } = await shell.run(["apply", "-f", "-", "--yes"], { input: wrong });
  expect(code).toBe(2);
  expect(out).toMatch(/standard input:4:\d+ late schedule\.cron/);
  expect(out).toMatch(/standard input:5:3 by-hand\n.*by hand/);
  expect(err).toContain("nothing was done");
  expect(Object.keys(await versions())).not.toContain("good");
});

test("what is exported is applied without a change, and a crontab and manifests become files that can be planned", async () => {
  const exported = await shell.run(["export", "--source", "file:billing"]);
  expect(exported.code).toBe(0);
  const planned = await shell.run(["plan", "-f", "-", "--detailed-exitcode"], { input: exported.out });
  expect(planned).toMatchObject({ code: 0, out: "0 to create, 0 to change, 4 unchanged\n" });

  const crontab = "# clean up\n*/5 * * * * /opt/clean.sh > /dev/null 2>&1\n@reboot /opt/start\n";
  const imported = await shell.run(["import", "crontab", "-", "--handler", "cron/", "--tz", "UTC"], { input: crontab });
  expect(imported.err).toContain("1 job, 1 commented out");
  const fromCrontab = await shell.run(["plan", "-f", "-"], { input: imported.out });
  expect(fromCrontab.out).toContain("+ clean\n    */5 * * * * (UTC), handler cron/clean");

  const manifest = "kind: CronJob\nmetadata: { name: tidy }\nspec: { schedule: '@hourly' }\n";
  const tidy = await shell.run(["import", "kubernetes", "-", "--target", `${shell.url}/dev/echo?job={name}`], {
    input: manifest,
  });
  const fromManifest = await shell.run(["plan", "-f", "-"], { input: tidy.out });
  expect(fromManifest.out).toContain(`+ tidy\n    @hourly (UTC), POST ${shell.url}/dev/echo?job=tidy`);
});
