import { afterAll, beforeAll, expect, test } from "vitest";
import { type Shell, startShell } from "./shell.ts";

let shell: Shell;

beforeAll(async () => {
  shell = await startShell();
});
afterAll(() => shell?.close());

test("a member is added with a link that is shown once, changed, and removed", async () => {
  expect((await shell.run(["members", "list"])).err).toContain("punctual members add");
  const added = await shell.run(["members", "add", "ann@example.com", "--role", "editor"]);
  expect(added).toMatchObject({ code: 0, err: expect.stringMatching(/Send them this link: .* shown only now/) });
  expect(added.out).toMatch(/^http:\S+\/#password=[\w-]{43}\n$/);
  expect((await shell.run(["members", "list"])).out).toMatch(/EMAIL +ROLE .*\nann@example\.com +editor +ann /);

  const { id } = (await shell.json("members", "list")).items[0];
  const changed = await shell.run(["members", "change", "Ann@Example.com", "--role", "admin"]);
  expect(changed).toMatchObject({ code: 0, out: "", err: "ann@example.com is now admin instead of editor.\n" });
  expect(await shell.json("members", "change", id, "--role", "viewer")).toMatchObject({ id, role: "viewer" });

  expect((await shell.run(["members", "remove", id])).err).toContain("Remove ann@example.com");
  expect(await shell.run(["members", "remove", id, "--yes"])).toMatchObject({ code: 0, out: "" });
  expect((await shell.run(["members", "remove", "ann@example.com", "--yes"])).code).toBe(4);
  const again = await shell.run(["members", "add", "ann@example.com", "--role", "viewer"]);
  expect(again).toMatchObject({ code: 0, out: "", err: expect.stringContaining("They need no link") });
});

test("a member that cannot be is refused, with the way out", async () => {
  expect((await shell.run(["members", "add", "x@example.com"])).err).toContain("--role");
  const role = await shell.run(["members", "add", "x@example.com", "--role", "owner"]);
  expect(role).toMatchObject({ code: 2, err: expect.stringContaining("viewer, operator, editor, admin") });
  const address = await shell.run(["members", "add", "nonsense", "--role", "viewer"]);
  expect(address).toMatchObject({ code: 2, err: expect.stringContaining("must be an e-mail address") });
  const stranger = await shell.run(["members", "change", "nobody@example.com", "--role", "viewer"]);
  expect(stranger).toMatchObject({ code: 4, err: expect.stringContaining("punctual members list") });
});

test("the audit is a table, a page of JSON, or a line for each, with the same filters", async () => {
  await shell.json("projects", "create", "audited");
  const inProject = ["--project", "audited"];
  await shell.json("jobs", "create", "--name", "report", "--handler", "h", ...inProject);
  await shell.json("jobs", "pause", "report", ...inProject);
  const table = await shell.run(["audit", ...inProject]);
  expect(table.out).toMatch(/TIME +ACTOR +ACTION +OBJECT.*\n.* job\.pause +job report .*\n.* job\.create +job report /);
  const paused = await shell.json("audit", "list", "--action", "job.pause", "--since", "1h", ...inProject);
  expect(paused.items).toMatchObject([{ action: "job.pause", object: { name: "report" } }]);
  expect((await shell.run(["audit", "--until", "1h", ...inProject])).err).toContain("Nothing in the audit matches");
  const exported = await shell.run(["audit", "--export", "--object", "report", ...inProject]);
  const lines = exported.out.trimEnd().split("\n");
  expect(lines.map((line) => JSON.parse(line).action)).toEqual(["job.pause", "job.create"]);
  expect((await shell.run(["audit", "--all", "--json", ...inProject])).out).toBe(exported.out);
  const by = JSON.parse(lines[0]!).actor.name;
  const instance = await shell.json("audit", "--instance", "--action", "project", "--actor", by);
  expect(instance.items).toMatchObject([{ action: "project.create", object: { name: "audited" } }]);
});

test("the audit refuses what it cannot filter by", async () => {
  expect((await shell.run(["audit", "--since", "yesterday"])).err).toContain("2h for two hours ago");
  expect((await shell.run(["audit", "--action", "Nope"])).code).toBe(2);
  expect((await shell.run(["audit", "--export", "--limit", "3"])).err).toContain("cannot be used with");
  expect((await shell.run(["audit", "lisst"])).code).toBe(2);
});

test("whoami tells whose key it is, where it comes from, and what it may do", async () => {
  const told = await shell.run(["whoami"]);
  expect(told.out).toMatch(/Project +default\nMay +read, operate, write, .*instance/);
  expect(told.out).toMatch(/Key +from PUNCTUAL_API_KEY\n$/);
  expect(await shell.json("whoami")).toMatchObject({ kind: "key", instanceAdmin: true, project: { name: "default" } });
  const { key } = await shell.json("keys", "create", "reader", "--scope", "read");
  expect((await shell.run(["whoami"], { env: { PUNCTUAL_API_KEY: key } })).out).toMatch(
    /Name +reader\n.*\n.*\nMay +read\n/,
  );
  expect((await shell.run(["whoami"], { env: { PUNCTUAL_API_KEY: "wrong" } })).code).toBe(1);
});
