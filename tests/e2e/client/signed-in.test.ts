// The client as a page has it: no key, but somebody who is signed in.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { PunctualClient } from "../../../src/client/index.ts";
import { type ApiServer, KEY, startApi } from "../api/api-server.ts";
import { browserFetch } from "./browser-fetch.ts";

const PASSWORD = "correct horse battery";
const target = { type: "worker", handler: "report" } as const;

let api: ApiServer;
let admin: PunctualClient;
let people = 0;
beforeAll(async () => {
  api = await startApi();
  admin = new PunctualClient({ url: api.url, key: KEY });
});
afterAll(async () => await api.close());

let email: string;
let page: PunctualClient;
let inProject: PunctualClient;
beforeEach(async () => {
  email = `person-${people++}@example.com`;
  const fetch = browserFetch();
  page = new PunctualClient({ url: api.url, fetch });
  inProject = new PunctualClient({ url: api.url, fetch, project: "default" });
  const { link } = await admin.members.add({ email, role: "operator" });
  await page.auth.setup({ token: link!.split("=")[1]!, password: PASSWORD });
});

describe("somebody who is signed in", () => {
  test("is known, and acts in the project that the client names", async () => {
    expect(await page.me()).toMatchObject({ kind: "session", name: email, project: null });
    expect(await inProject.me()).toMatchObject({ project: { name: "default" }, scopes: ["read", "operate"] });
    await expect(page.jobs.list()).rejects.toMatchObject({ code: "project_required" });
    expect((await inProject.jobs.list()).items).toEqual([]);
    await expect(inProject.jobs.create({ target })).rejects.toMatchObject({ code: "forbidden" });
  });

  test("listens to what happens in that project, and follows logs", async () => {
    const heard = inProject.events.stream({ types: "job.created" }).next();
    const name = `heard-by-${email.split("@")[0]}`;
    let made = await admin.jobs.create({ name, target });
    // It may have been made before the stream was there.
    while ((await Promise.race([heard, Promise.resolve(null)])) === null) {
      await admin.jobs.delete(name);
      made = await admin.jobs.create({ name, target });
    }
    expect((await heard).value).toMatchObject({ type: "job.created" });
    const { id } = await inProject.jobs.trigger(made.id, { delay: "1h" });
    await admin.executions.cancel(id);
    for await (const line of inProject.executions.followLogs(id)) expect.fail(`there is no log, but: ${line.message}`);
    await admin.jobs.delete(name);
  });

  test("sees and ends sessions, changes the password, and signs out", async () => {
    const elsewhere = new PunctualClient({ url: api.url, fetch: browserFetch() });
    await elsewhere.auth.login({ email, password: PASSWORD });
    const { items } = await page.sessions.list();
    expect(items.map(({ current }) => current)).toEqual([false, true]);
    await page.sessions.revoke(items[0]!.id);
    await expect(elsewhere.me()).rejects.toMatchObject({ status: 401 });
    await expect(page.changePassword({ current: "another", password: "brand new horse" })).rejects.toMatchObject({
      details: [{ path: "current", code: "wrong_password" }],
    });
    await page.changePassword({ current: PASSWORD, password: "brand new horse" });
    await page.auth.logout();
    await expect(page.me()).rejects.toMatchObject({ status: 401 });
    await page.auth.login({ email, password: "brand new horse" });
    expect((await page.me()).name).toBe(email);
  });
});

describe("members", () => {
  test("are added with a link once, changed and removed", async () => {
    const { items } = await admin.members.list({ limit: 1 });
    expect(items).toMatchObject([{ email, role: "operator" }]);
    const { id } = items[0]!;
    expect(await admin.members.change(id, { role: "viewer" })).toMatchObject({ id, role: "viewer" });
    expect((await inProject.me()).scopes).toEqual(["read"]);
    await admin.members.remove(id);
    await expect(inProject.jobs.list()).rejects.toMatchObject({ code: "not_found" });
    // Who has an account already needs no link.
    expect(await admin.members.add({ email, role: "admin" })).toMatchObject({ id, link: null });
    const read: string[] = [];
    for await (const member of admin.members.all({ limit: 1 })) read.push(member.email);
    expect(read).toHaveLength(people);
  });
});

describe("the audit", () => {
  test("is listed, read to its end, and exported, all with the same filter", async () => {
    const member = (await admin.members.list({ limit: 1 })).items[0]!;
    await admin.members.change(member.id, { role: "editor" });
    await admin.members.change(member.id, { role: "viewer" });
    const filter = { action: "member", object: member.id, from: new Date(Date.now() - 3_600_000) };
    const page = await admin.audit.list({ ...filter, limit: 1 });
    expect(page.items[0]).toMatchObject({ action: "member.change", after: { role: "viewer" } });
    const [all, exported] = [[], []] as string[][];
    for await (const { id } of admin.audit.all({ ...filter, limit: 1 })) all!.push(id);
    for await (const { id } of admin.audit.export(filter)) exported!.push(id);
    expect(all).toHaveLength(3);
    expect(exported).toEqual(all);
    const signedIn = await admin.audit.list({ instance: true, actor: email });
    expect(signedIn.items.map(({ action }) => action)).toEqual(["account.setup"]);
  });
});
