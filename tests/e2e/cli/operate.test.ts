import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Shell, startShell } from "./shell.ts";

let shell: Shell;

beforeAll(async () => {
  shell = await startShell();
});
afterAll(() => shell?.close());

test("a secret is piped in or taken from the environment, and its value is never shown", async () => {
  expect((await shell.run(["secrets", "list"])).err).toContain("punctual secrets set API_TOKEN");
  const piped = await shell.run(["secrets", "set", "TOKEN"], { input: "s3cret-1\n" });
  expect(piped).toMatchObject({ code: 0, out: "", err: expect.stringContaining("{{secrets.TOKEN}}") });
  const changed = await shell.run(["secrets", "set", "TOKEN", "--from-env", "MINE", "--json"], {
    env: { MINE: "s3cret-2" },
  });
  expect(JSON.parse(changed.out)).toMatchObject({ name: "TOKEN", version: 2 });
  const list = await shell.run(["secrets", "list"]);
  expect(list.out).toMatch(/NAME +VERSION.*\nTOKEN +2 /);
  for (const { out, err } of [piped, changed, list]) expect(out + err).not.toContain("s3cret");
  expect((await shell.run(["secrets", "delete", "TOKEN"])).code).toBe(2);
  expect((await shell.run(["secrets", "delete", "TOKEN", "--yes"])).code).toBe(0);
  expect((await shell.run(["secrets", "delete", "TOKEN", "--yes"])).code).toBe(4);
  expect((await shell.run(["secrets", "set", "EMPTY"], { input: "" })).code).toBe(2);
  expect((await shell.run(["secrets", "set", "X", "--from-env", "NOT_SET"])).err).toContain("NOT_SET is not set");
  // As an argument it would stand in the list of processes and in the shell's history.
  expect((await shell.run(["secrets", "set", "X", "value"])).code).toBe(2);
});

test("a key that was made works within its scopes, is replaced, and is revoked", async () => {
  const made = await shell.run(["keys", "create", "reader", "--scope", "read", "--expires", "90d"]);
  expect(made).toMatchObject({ code: 0, err: expect.stringContaining("shown only now") });
  const key = made.out.trim();
  const as = (args: string[], apiKey = key) => shell.run(args, { env: { PUNCTUAL_API_KEY: apiKey } });
  expect((await as(["jobs", "list"])).code).toBe(0);
  const refused = await as(["secrets", "set", "X", "--from-env", "HOME"]);
  expect(refused).toMatchObject({ code: 1, err: expect.stringContaining("The key comes from PUNCTUAL_API_KEY") });
  const list = await shell.json("keys", "list");
  const { id } = list.items.find(({ name }: { name: string }) => name === "reader");
  const rotated = await shell.json("keys", "rotate", id, "--overlap", "1h");
  expect((await as(["jobs", "list"], rotated.key)).code).toBe(0);
  expect((await shell.run(["keys", "list"])).out).toMatch(/reader +active +read /);
  expect((await shell.run(["keys", "revoke", rotated.id, "--yes"])).code).toBe(0);
  const locked = await as(["jobs", "list"], rotated.key);
  expect(locked).toMatchObject({ code: 1, err: expect.stringContaining("not revoked?") });
  expect((await shell.run(["keys", "create", "x"])).err).toContain("--scope");
  expect((await shell.run(["keys", "create", "x", "--scope", "everything"])).err).toContain("read, operate");
  expect((await shell.run(["keys", "create", "x", "--scope", "read", "--expires", "soon"])).code).toBe(2);
});

test("a project is made, acted in, renamed and deleted", async () => {
  expect(await shell.json("projects", "create", "billing")).toMatchObject({ name: "billing" });
  const target = ["--handler", "h"];
  await shell.json("jobs", "create", "--name", "only-here", ...target, "--project", "billing");
  expect((await shell.json("jobs", "list", "--project", "billing")).items).toHaveLength(1);
  expect((await shell.json("jobs", "list")).items).toEqual([]);
  const other = await shell.run(["jobs", "list"], { env: { PUNCTUAL_PROJECT: "nowhere" } });
  expect(other).toMatchObject({ code: 4 });
  expect(await shell.json("projects", "rename", "billing", "invoicing")).toMatchObject({ name: "invoicing" });
  expect((await shell.run(["projects", "list"])).out).toMatch(/invoicing +[0-9a-f-]{36}/);
  await shell.run(["jobs", "delete", "only-here", "--yes", "--project", "invoicing"]);
  expect((await shell.run(["projects", "delete", "invoicing"])).code).toBe(2);
  expect(await shell.run(["projects", "delete", "invoicing", "--yes"])).toMatchObject({ code: 0, out: "" });
  expect((await shell.run(["projects", "delete", "invoicing", "--yes"])).code).toBe(4);
});

test("a signing key is made and its secret shown to whoever verifies", async () => {
  const { id } = await shell.json("signing-keys", "create", "november");
  expect((await shell.run(["signing-keys", "secret", id])).out).toMatch(/^whsec_\S+\n$/);
  const rotated = await shell.run(["signing-keys", "rotate", id, "--overlap", "7d"]);
  expect(rotated).toMatchObject({ code: 0, err: expect.stringContaining("version 2 of november, and for 7d") });
  expect((await shell.run(["signing-keys", "list"])).out).toMatch(
    /november +2 +project +active +-[\s\S]*november +1 +project/,
  );
  expect((await shell.run(["signing-keys", "rotate", id])).code).toBe(1);
  expect((await shell.run(["signing-keys", "delete", id, "--yes"])).code).toBe(0);
  expect((await shell.run(["signing-keys", "secret", id])).code).toBe(4);
});

test("contexts are kept with their keys, chosen, and forgotten", async () => {
  const { PUNCTUAL_API_KEY: key } = shell.environment();
  // Nothing in the environment: the contexts alone decide.
  const run = (args: string[], input?: string) =>
    shell.run(args, { env: { PUNCTUAL_URL: "", PUNCTUAL_API_KEY: "" }, ...(input === undefined ? {} : { input }) });
  const nowhere = await run(["jobs", "list"]);
  expect(nowhere).toMatchObject({ code: 2, err: expect.stringContaining("There is no Punctual to talk to") });
  expect((await run(["context", "list"])).err).toContain("punctual context set");
  expect((await run(["context", "set", "here", "--server", shell.url], `${key}\n`)).code).toBe(0);
  expect((await run(["context", "set", "there", "--server", "https://p.example.com"], "other\n")).code).toBe(0);
  const file = join(shell.folder, ".config/punctual/contexts.json");
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(JSON.parse(readFileSync(file, "utf8")).contexts.here).toEqual({ url: shell.url, apiKey: key });
  expect((await run(["jobs", "list"])).code).toBe(0);
  const list = await run(["context", "list"]);
  expect(list.out).toMatch(/\n\* +here +http/);
  expect(list.out).not.toContain(key);
  expect(JSON.parse((await run(["context", "list", "--json"])).out).items).toContainEqual({
    name: "there",
    url: "https://p.example.com",
    project: null,
    current: false,
  });
  expect((await run(["context", "use", "there"])).code).toBe(0);
  expect((await run(["jobs", "list", "--context", "here"])).code).toBe(0);
  expect(await run(["context", "use", "nowhere"])).toMatchObject({
    code: 2,
    err: expect.stringContaining("here, there"),
  });
  expect((await run(["context", "delete", "there"])).code).toBe(0);
  expect((await run(["jobs", "list", "--context", "there"])).code).toBe(2);
  expect((await run(["context", "set", "bad name", "--server", shell.url], key)).code).toBe(2);
  expect((await run(["context", "set", "bad", "--server", "nowhere"], key)).code).toBe(2);
});
