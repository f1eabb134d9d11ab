import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestDatabase } from "../../support/database.ts";
import { type Shell, startShell } from "./shell.ts";

let shell: Shell;
beforeAll(async () => {
  shell = await startShell();
});
afterAll(async () => await shell.close());

test("the doctor looks at the API that is named, and all is well", async () => {
  const { code, out } = await shell.run(["doctor"]);
  expect(out).toMatch(/^ok +API +\S+ answers in \d+ ms\n/);
  expect(out).toMatch(/^ok +Key +from PUNCTUAL_API_KEY, accepted$/m);
  expect(code).toBe(0);
  const refused = await shell.json("doctor").then(() => shell.run(["doctor"], { env: { PUNCTUAL_API_KEY: "wrong" } }));
  expect(refused).toMatchObject({ code: 1, out: expect.stringMatching(/^problem +Key /m) });
});

test("a database is looked at directly; one that has no nodes, or is away, is a problem with a remedy", async () => {
  const database = await createTestDatabase();
  try {
    const env = { PUNCTUAL_URL: "", PUNCTUAL_DATABASE_URL: database.url };
    const { code, out } = await shell.run(["doctor"], { env });
    expect(code).toBe(1);
    expect(out).toMatch(/^problem +Nodes +none is alive.*\n +→ punctual serve$/m);
    expect(out.split("\n").filter((line) => line.length > 100)).toEqual([]);
    const { findings } = JSON.parse((await shell.run(["doctor", "--json"], { env })).out);
    expect(findings).toContainEqual({ level: "ok", topic: "Migrations", text: "none pending" });
  } finally {
    await database.drop();
  }
  const away = await shell.run(["doctor", "--database", "postgres://u:pw@127.0.0.1:1/x"], {
    env: { PUNCTUAL_URL: "" },
  });
  expect(away.code).toBe(1);
  expect(away.out).toMatch(/^problem +Database +The database at postgres:\/\/\S+ cannot/m);
  expect(away.out).not.toContain("pw");
  const nothing = await shell.run(["doctor"], { env: { PUNCTUAL_URL: "" } });
  expect(nothing.code).toBe(2);
});

test.each([[["--data-dir", "nothing-here"], {}] as const, [[], { PUNCTUAL_DATA_DIR: "nothing-here" }] as const])(
  "the doctor makes no database where dev has none: %j %j",
  async (args, env) => {
    const { code, out } = await shell.run(["doctor", "--dev", ...args], { env: { PUNCTUAL_URL: "", ...env } });
    expect(code).toBe(1);
    expect(out).toMatch(/^problem +Database +there is none in \S+nothing-here\n +→ punctual dev makes one/);
    expect(existsSync(join(shell.folder, "nothing-here"))).toBe(false);
  },
);
