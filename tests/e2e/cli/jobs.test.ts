import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type JobInput, PunctualClient } from "../../../src/client/index.ts";
import { PROGRAM } from "../../support/command.ts";
import { closedAddress, type Shell, startShell } from "./shell.ts";

let shell: Shell;
let client: PunctualClient;

beforeAll(async () => {
  shell = await startShell();
  const { PUNCTUAL_URL: url, PUNCTUAL_API_KEY: key } = shell.environment();
  client = new PunctualClient({ url, key });
});
afterAll(() => shell?.close());

/** A job that calls the node's own echo. */
async function create(name: string, fields: Partial<JobInput> = {}): Promise<void> {
  await client.jobs.create({ name, target: { type: "http", url: `${shell.url}/dev/echo` }, ...fields });
}

test("a job made by flags is listed and shown, for people and for programs", async () => {
  const empty = await shell.run(["jobs", "list"]);
  expect(empty).toMatchObject({ code: 0, out: "", err: expect.stringContaining("punctual jobs create --name hello") });
  const made = await shell.run([
    ...["jobs", "create", "--name", "report", "--cron", "0 2 * * *", "--tz", "Europe/Berlin", "--tag", "billing"],
    ...["--url", `${shell.url}/dev/echo`, "--payload", '{"format":"pdf"}', "--timeout", "2m", "--max-attempts", "5"],
  ]);
  expect(made).toMatchObject({ code: 0, out: expect.stringContaining("At 02:00, Europe/Berlin time") });
  expect(made.err).toContain("punctual jobs trigger report");
  expect(await shell.json("jobs", "show", "report")).toMatchObject({
    name: "report",
    tags: ["billing"],
    schedule: { cron: "0 2 * * *", timezone: "Europe/Berlin" },
    payload: { format: "pdf" },
    timeout: "2m",
    retry: { maxAttempts: 5, backoff: "exponential" },
  });
  const list = await shell.json("jobs", "list", "--tag", "billing");
  expect(list).toEqual({ items: [expect.objectContaining({ name: "report" })], nextCursor: null });
  const { out } = await shell.run(["jobs", "ls"]);
  expect(out).toMatch(/^NAME +STATE +SCHEDULE +NEXT.*\nreport +active +0 2 \* \* \* Europe\/Berlin +\d{4}-/);
  expect(out).not.toContain("\u001b");
});

test("a job is made from a file or from standard input, and only checked if that is asked for", async () => {
  const text = `name: from-file\nschedule: { every: 1h }\ntarget: { type: http, url: "${shell.url}/dev/echo" }\n`;
  writeFileSync(join(shell.folder, "job.yaml"), text);
  const tried = await shell.json("jobs", "create", "-f", "job.yaml", "--dry-run");
  expect(tried).toMatchObject({ name: "from-file" });
  expect((await shell.run(["jobs", "show", "from-file"])).code).toBe(4);
  expect(await shell.json("jobs", "create", "-f", "job.yaml", "--paused")).toMatchObject({ state: "paused" });
  const piped = await shell.run(["jobs", "create", "-f", "-", "--name", "piped", "--json"], { input: text });
  expect(JSON.parse(piped.out)).toMatchObject({ name: "piped", schedule: { every: "1h" } });
});

test("--all lists everything, one JSON line for each, and a page says that there is more", async () => {
  for (const name of ["many-a", "many-b", "many-c"]) await create(name, { tags: ["many"] });
  const page = await shell.run(["jobs", "list", "--tag", "many", "--sort", "name", "--limit", "2"]);
  expect(page.out.split("\n")).toHaveLength(4);
  expect(page.err).toContain("--all");
  const first = await shell.json("jobs", "list", "--tag", "many", "--sort", "name", "--limit", "2");
  const second = await shell.json("jobs", "list", "--tag", "many", "--sort", "name", "--cursor", first.nextCursor);
  expect(second.items.map(({ name }: { name: string }) => name)).toEqual(["many-c"]);
  const all = await shell.run(["jobs", "list", "--tag", "many", "--sort", "name", "--all", "--json"]);
  const names = all.out
    .trim()
    .split("\n")
    .map((line) => (JSON.parse(line) as { name: string }).name);
  expect(names).toEqual(["many-a", "many-b", "many-c"]);
});

test("jobs are paused and resumed by name, and by what they have in common", async () => {
  for (const name of ["team-a", "team-b"]) await create(name, { schedule: { every: "1h" }, tags: ["team"] });
  expect(await shell.json("jobs", "pause", "team-a", "--reason", "repairs")).toMatchObject({
    state: "paused",
    pause: { reason: "repairs" },
  });
  const resumed = await shell.run(["job", "resume", "team-a"]);
  expect(resumed).toMatchObject({ code: 0, out: "", err: expect.stringContaining("Resumed team-a") });
  expect(await shell.json("jobs", "pause", "--tag", "team", "--dry-run")).toMatchObject({ matched: 2, changed: 0 });
  const unasked = await shell.run(["jobs", "pause", "--tag", "team"]);
  expect(unasked).toMatchObject({ code: 2, err: expect.stringMatching(/Pause 2 jobs\?.*--yes/) });
  expect(await shell.json("jobs", "pause", "--tag", "team", "--yes")).toMatchObject({ matched: 2, changed: 2 });
  expect((await shell.json("jobs", "list", "--tag", "team", "--state", "paused")).items).toHaveLength(2);
});

test("a delete is asked for twice: by --yes where nobody can be asked", async () => {
  for (const name of ["old-a", "old-b", "old-c"]) await create(name, { tags: ["old"] });
  const unasked = await shell.run(["jobs", "delete", "old-a"]);
  expect(unasked).toMatchObject({ code: 2, err: expect.stringContaining('Delete "old-a"?') });
  expect(await shell.run(["jobs", "delete", "old-a", "--yes"])).toMatchObject({ code: 0, out: "" });
  expect((await shell.run(["jobs", "show", "old-a"])).code).toBe(4);
  // Nothing is deleted if one of the names is wrong.
  expect((await shell.run(["jobs", "delete", "old-b", "old-x", "--yes"])).code).toBe(4);
  expect(await shell.json("jobs", "rm", "--tag", "old", "--yes")).toMatchObject({ matched: 2, changed: 2 });
});

test("single fields are changed by --set, with the difference shown, and against the version that was seen", async () => {
  await create("edited", { schedule: { cron: "0 2 * * *" } });
  const set = await shell.run(["jobs", "edit", "edited", "--set", "schedule.cron=0 3 * * *", "--set", "tags=[a, b]"]);
  expect(set).toMatchObject({ code: 0, err: expect.stringMatching(/- {2}cron: 0 2 .*\n\+ {2}cron: 0 3 /) });
  expect(await shell.json("jobs", "show", "edited")).toMatchObject({ version: 2, tags: ["a", "b"] });
  const same = await shell.run(["jobs", "edit", "edited", "--set", "timeout=5m"]);
  expect(same).toMatchObject({ code: 0, err: "Nothing was changed.\n" });
  const wrong = await shell.run(["jobs", "edit", "edited", "--set", "schedule.cron=99 * * * *"]);
  expect(wrong).toMatchObject({ code: 2, err: expect.stringContaining('"99" is out of range') });
});

test("the editor is opened with the job, and again with the message if it was not accepted", async () => {
  await create("in-editor", { schedule: { cron: "0 2 * * *" } });
  // Makes a mistake at first, and corrects it when it is shown the message.
  const editor = join(shell.folder, "editor.sh");
  const seen = join(shell.folder, "seen");
  writeFileSync(
    editor,
    `#!/bin/sh\ncat "$1" >> ${seen}\nif grep -q 'not saved' "$1"; then sed -i 's/cron: 99/cron: 4/' "$1"; else sed -i 's/cron: 0 2/cron: 99 2/' "$1"; fi\n`,
  );
  chmodSync(editor, 0o755);
  const ended = await shell.run(["jobs", "edit", "in-editor"], { env: { EDITOR: editor } });
  expect(ended).toMatchObject({ code: 0, err: expect.stringContaining("Saved in-editor as version 2") });
  expect(await shell.json("jobs", "show", "in-editor")).toMatchObject({ schedule: { cron: "4 2 * * *" } });
  const shown = readFileSync(seen, "utf8");
  expect(shown).toContain("name: in-editor");
  expect(shown).not.toMatch(/^(id|version|state|nextFireAt):/m);
  expect(shown).toMatch(/# It was not saved:\n# .*"99" is out of range/);
});

test("a star without quotes is wrong usage in a file, and opens the editor again", async () => {
  await create("starred", { schedule: { cron: "0 2 * * *" } });
  const text = "name: x\nschedule: { cron: *daily }\ntarget: { type: worker, handler: x }\n";
  const made = await shell.run(["jobs", "create", "-f", "-"], { input: text });
  expect(made).toMatchObject({ code: 2, err: expect.stringContaining("a value that begins with * needs quotes") });
  const editor = join(shell.folder, "star-editor.sh");
  writeFileSync(
    editor,
    `#!/bin/sh\nif grep -q 'needs quotes' "$1"; then sed -i "s/cron: .*/cron: '*\\/5 * * * *'/" "$1"; else sed -i 's/cron: .*/cron: *x/' "$1"; fi\n`,
  );
  chmodSync(editor, 0o755);
  const edited = await shell.run(["jobs", "edit", "starred"], { env: { EDITOR: editor } });
  expect(edited).toMatchObject({ code: 0, err: expect.stringContaining("Saved starred as version 2") });
  expect(await shell.json("jobs", "show", "starred")).toMatchObject({ schedule: { cron: "*/5 * * * *" } });
});

test("a text that is left as it was changes nothing, and one that cannot be saved is not lost", async () => {
  await create("careful");
  const untouched = await shell.run(["jobs", "edit", "careful"], { env: { EDITOR: "true" } });
  expect(untouched).toMatchObject({ code: 0, err: "Nothing was changed.\n" });
  expect(await shell.run(["jobs", "edit", "careful"], { env: { EDITOR: "false" } })).toMatchObject({ code: 1 });
  // Somebody else changes the job while the editor is open.
  const program = `${process.execPath} ${PROGRAM}`;
  const editor = join(shell.folder, "slow-editor.sh");
  writeFileSync(
    editor,
    `#!/bin/sh\n${program} jobs edit careful --set priority=60\necho 'priority: 70' > "$1.new"\ngrep -v '^priority' "$1" >> "$1.new"\nmv "$1.new" "$1"\n`,
  );
  chmodSync(editor, 0o755);
  const late = await shell.run(["jobs", "edit", "careful"], { env: { EDITOR: editor } });
  expect(late.code).toBe(1);
  expect(late.err).toContain("Your text is kept in ");
  const kept = /kept in (\S+)/.exec(late.err)![1]!;
  expect(readFileSync(kept, "utf8")).toContain("priority: 70");
  expect(await shell.json("jobs", "show", "careful")).toMatchObject({ priority: 60 });
});

test("a trigger prints the execution's id, and the same key is the same execution", async () => {
  await create("once");
  const first = await shell.run(["jobs", "trigger", "once", "--key", "k", "--payload", '{"n":1}']);
  expect(first.out).toMatch(/^[0-9a-f-]{36}\n$/);
  const again = await shell.run(["jobs", "trigger", "once", "--key", "k"]);
  expect(again).toMatchObject({ code: 0, out: first.out, err: expect.stringContaining("seen before") });
  const later = await shell.json("jobs", "trigger", "once", "--delay", "1h");
  expect(later).toMatchObject({ state: "scheduled", jobName: "once" });
});

test("--wait follows the execution to its end, and the exit code tells how it ended", async () => {
  await create("good");
  const good = await shell.run(["jobs", "trigger", "good", "--wait"]);
  expect(good).toMatchObject({ code: 0, err: expect.stringContaining("good succeeded") });
  // Longer than any timer.
  for (const timeout of ["30d", "3650d"])
    expect(await shell.run(["jobs", "trigger", "good", "--wait", "--timeout", timeout])).toMatchObject({ code: 0 });
  await shell.json("jobs", "create", "--name", "bad", "--url", await closedAddress(), "--max-attempts", "1");
  const bad = await shell.run(["jobs", "trigger", "bad", "--wait"]);
  expect(bad).toMatchObject({ code: 3, err: expect.stringContaining("bad failed") });
  const json = await shell.run(["jobs", "trigger", "bad", "--wait", "--json"]);
  expect(json.code).toBe(3);
  expect(JSON.parse(json.out)).toMatchObject({ state: "failed", attempts: [{ outcome: "failed" }] });
});

test("--timeout ends the waiting and not the execution", async () => {
  await shell.json("jobs", "create", "--name", "nobody", "--handler", "nobody-offers-this");
  const ended = await shell.run(["jobs", "trigger", "nobody", "--wait", "--timeout", "500ms"]);
  expect(ended).toMatchObject({ code: 1, err: expect.stringContaining("still scheduled after 500ms") });
});

test.each([
  [["jobs", "create", "--name", "x"], "Say what to run"],
  [["jobs", "create", "--name", "x", "--url", "https://a", "--cron", "99 * * * *"], "out of range"],
  [["jobs", "create", "--name", "x", "--url", "https://a", "--payload", "{"], "--payload is not JSON"],
  [["jobs", "list", "--state", "asleep"], '"asleep" is none of active, paused'],
  [["jobs", "list", "--limit", "1000"], "from 1 to 200"],
  [["jobs", "list", "--colour"], "unknown option"],
  [["jobs", "lst"], "Did you mean"],
  [["jobs", "pause"], "Say which"],
  [["jobs", "pause", "a", "--tag", "b"], "not both"],
  [["jobs", "trigger", "x", "--timeout", "5s"], "goes with --wait"],
  [["jobs", "show"], "missing required argument 'job'"],
])("%j ends with 2 and says %j", async (args, message) => {
  const { code, out, err } = await shell.run(args);
  expect({ code, out }).toEqual({ code: 2, out: "" });
  expect(err).toContain(message);
  expect(err).not.toMatch(/\n\s+at /);
});
