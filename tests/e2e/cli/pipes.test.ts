// Standard output that is a pipe: with a reader that takes its time, and with one that leaves.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { PunctualClient } from "../../../src/client/index.ts";
import { PROGRAM } from "../../support/command.ts";
import { type Shell, startShell } from "./shell.ts";

const PUNCTUAL = `${process.execPath} ${PROGRAM}`;
const PIPE_BYTES = 65_536;

let shell: Shell;
let client: PunctualClient;

beforeAll(async () => {
  shell = await startShell();
  const { PUNCTUAL_URL: url, PUNCTUAL_API_KEY: key } = shell.environment();
  client = new PunctualClient({ url, key });
});
afterAll(() => shell?.close());

test("a reader that begins late gets everything, also what does not fit into the pipe", async () => {
  const lines = Array.from({ length: 2_000 }, (_, i) => `0 2 * * * /opt/job-${i}.sh\n`);
  writeFileSync(join(shell.folder, "crontab"), lines.join(""));
  // The pause is there for a program that does not wait, so that it is seen to have ended too early.
  const { out } = await shell.startLine(`${PUNCTUAL} import crontab crontab --json | { sleep 2; cat; }`).ended;
  expect(out.length).toBeGreaterThan(2 * PIPE_BYTES);
  expect((JSON.parse(out) as { jobs: unknown[] }).jobs).toHaveLength(2_000);
});

test("a command that changes things does all of them when nobody reads, and tells in its exit code", async () => {
  const names = Array.from({ length: 8 }, (_, i) => `unread-${i}`);
  const target = { type: "http" as const, url: `${shell.url}/dev/echo` };
  for (const name of names) await client.jobs.create({ name, schedule: { every: "1h" }, target });
  const unread = async (args: string) =>
    await shell.startLine(`{ ${PUNCTUAL} ${args}; echo "ended with $?" >&2; } | true`).ended;
  expect((await unread(`jobs pause ${names.join(" ")} --json`)).err).toBe("ended with 0\n");
  for (const name of names) expect(await client.jobs.get(name)).toMatchObject({ state: "paused" });
  expect((await unread(`jobs resume ${names.join(" ")} unread-too --json`)).err).toMatch(
    /not_found.*\nended with 4\n$/,
  );
  for (const name of names) expect(await client.jobs.get(name)).toMatchObject({ state: "active" });
});

test("a command that only looks ends well when nobody reads", async () => {
  const { err } = await shell.startLine(`{ ${PUNCTUAL} jobs list; echo "ended with $?" >&2; } | true`).ended;
  expect(err).toBe("ended with 0\n");
});

test.each(["jobs list --json", "jobs create --name lost --handler lost --json"])(
  "a full disk is told, and no success: %s",
  async (args) => {
    const { code, err } = await shell.startLine(`${PUNCTUAL} ${args} > /dev/full`).ended;
    expect({ code, ...JSON.parse(err) }).toMatchObject({
      code: 1,
      error: { code: "failed", message: expect.stringContaining("Standard output cannot be written: ENOSPC") },
    });
  },
);
