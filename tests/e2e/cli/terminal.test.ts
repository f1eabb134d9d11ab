// What a person sees at a real terminal, 80 columns wide. `script` gives the program one.
import { writeFileSync } from "node:fs";
import { platform } from "node:os";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { PunctualClient, Worker } from "../../../src/client/index.ts";
import { type Answers, closedAddress, type Shell, startShell } from "./shell.ts";

const LONG = "a-name-that-goes-on-and-on-and-would-fill-the-line-by-itself";

/** A dead letter, with an error that has much to say. */
async function failOnce(client: PunctualClient): Promise<void> {
  const url = `${await closedAddress()}/${LONG}/${LONG}`;
  await client.jobs.put("fails", { target: { type: "http", url }, retry: { maxAttempts: 1 } });
  const { id } = await client.jobs.trigger("fails");
  await client.executions.waitFor(id, { timeoutMs: 30_000 });
}

function declaredJobs(url: string): string {
  const target = `target: { type: http, url: "${url}" }`;
  return `source: terminal
jobs:
  ${LONG}:
    schedule: { cron: "*/15 9-17 * * MON-FRI", timezone: America/Argentina/Buenos_Aires }
    description: ${"much to say ".repeat(20)}
    ${target}
  other: { ${target} }
`;
}

describe.skipIf(platform() !== "linux")("at a terminal", () => {
  let shell: Shell;
  let worker: Worker;

  beforeAll(async () => {
    shell = await startShell();
    const { PUNCTUAL_URL: url, PUNCTUAL_API_KEY: key } = shell.environment();
    const client = new PunctualClient({ url, key });
    const target = { type: "http" as const, url: `${shell.url}/dev/echo` };
    await client.jobs.put("a-job-with-a-name-that-goes-on-and-on-and-would-fill-the-line-by-itself", {
      schedule: { cron: "*/15 9-17 * * MON-FRI", timezone: "America/Argentina/Buenos_Aires" },
      target,
      tags: ["billing", "reports"],
    });
    await client.jobs.put("short", { target });
    const { id } = await client.jobs.trigger("short");
    await client.executions.waitFor(id, { timeoutMs: 30_000 });
    await failOnce(client);
    await client.apiKeys.create({ name: LONG, scopes: ["read"] });
    worker = new Worker({ url: url!, key: key!, name: LONG });
    worker.handle(LONG, async () => {});
    await worker.start();
    writeFileSync(join(shell.folder, "punctual.yaml"), declaredJobs(`${shell.url}/dev/echo?${LONG}`));
  });
  afterAll(async () => {
    await worker?.stop();
    await shell?.close();
  });

  test.each([
    "jobs list",
    "jobs show short",
    "jobs create --help",
    "executions list",
    "executions show --job short",
    "executions show --job fails",
    "dead-letters list",
    "dead-letters groups",
    "workers list",
    "handlers",
    "keys list",
    "next '*/15 9-17 * * MON-FRI' --tz America/Argentina/Buenos_Aires",
    "plan",
    "apply --yes",
    `jobs show ${LONG}`,
    "status",
    "doctor",
    "context list",
  ])("no line of %s is broken by 80 columns", async (line) => {
    const { code, text } = await shell.atTerminal(line);
    expect({ code, text }).toMatchObject({ code: 0 });
    // What progress wrote is gone from the screen when the next line comes.
    const lines = text.split("\n").map((seen) => stripVTControlCharacters(seen.split("\u001b[K").at(-1)!));
    expect(lines.length).toBeGreaterThan(1);
    expect(lines.filter((seen) => seen.length > 80)).toEqual([]);
  });

  test("times are told as people say them, states have colours, and names that are too long are cut", async () => {
    const { text } = await shell.atTerminal("jobs list --sort name");
    expect(text).toContain("\u001b[32mactive");
    expect(stripVTControlCharacters(text)).toMatch(/^a-job-with-a-name\S*… +active +\S.*… +in \d+ [smhd] +- +-\n/m);
    expect(stripVTControlCharacters(text)).toMatch(/^short .* succeeded +(now|\d+ [smhd] ago)\n/m);
    expect((await shell.atTerminal("jobs list --no-color")).text).not.toContain("\u001b[3");
  });

  test("a wide terminal shows more columns", async () => {
    const { text } = await shell.atTerminal("jobs list", { columns: 200 });
    expect(stripVTControlCharacters(text)).toMatch(/NAME +STATE +SCHEDULE +NEXT +LAST +RAN +TARGET +TAGS/);
  });

  test.each(["n\n", "\n", "\u0003", "\u0004"])("a delete is asked about, and %j deletes nothing", async (answer) => {
    const question = 'Delete "short"? The history stays. [y/N] ';
    const { code, text } = await shell.atTerminal("jobs delete short", { answers: [[question, answer]] });
    expect(code).toBe(1);
    expect(stripVTControlCharacters(text)).toContain("Nothing was done.");
    expect((await shell.run(["jobs", "show", "short"])).code).toBe(0);
  });

  test("a secret is typed without being shown", async () => {
    const answers: Answers = [["value of TYPED (not shown): ", "x\u007fs3cret\r"]];
    const { code, text } = await shell.atTerminal("secrets set TYPED", { answers });
    expect(code).toBe(0);
    expect(text).not.toContain("s3cret");
    expect(await shell.json("secrets", "list")).toMatchObject({ items: [{ name: "TYPED" }] });
  });

  test("Ctrl-C at the prompt for a secret keeps nothing", async () => {
    const answers: Answers = [["value of NEVER (not shown): ", "s3cret\u0003"]];
    expect(await shell.atTerminal("secrets set NEVER", { answers })).toMatchObject({
      code: 1,
      text: expect.stringContaining("Nothing was done."),
    });
  });
});
