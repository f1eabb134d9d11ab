// Members, keys, secrets, signing keys and the audit, as people see to them.

import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { accessProblems, expectAllWell, NARROW, useBrowser, type Visit, WIDE } from "../support/chromium.ts";
import { type DevServer, startDevServer } from "../support/dev-server.ts";

const browser = useBrowser();

async function signedIn(server: DevServer, section: string): Promise<Visit> {
  const visit = await browser.visit({ acceptDownloads: true });
  await visit.page.goto(server.link);
  await visit.page.getByRole("navigation", { name: "Pages" }).waitFor();
  await open(visit.page, server, section);
  return visit;
}

async function open(page: Page, server: DevServer, section: string): Promise<void> {
  await page.goto(`${server.url}/settings/${section}`);
  await page.getByRole("heading", { name: "Settings", exact: true }).waitFor();
}

async function inRow(page: Page, row: string, action: string): Promise<void> {
  await page.getByRole("button", { name: new RegExp(`^Actions for ${row}`) }).click();
  await page.getByRole("menuitem", { name: action }).click();
}

test("a new key is shown once, is not lost by one press of Escape, works, and does not when it is revoked", async () => {
  const server = await startDevServer();
  const visit = await signedIn(server, "keys");
  const { page } = visit;
  const callWith = async (key: string) =>
    (await fetch(`${server.url}/api/v1/jobs`, { headers: { authorization: `Bearer ${key}` } })).status;

  await page.getByRole("button", { name: "New key" }).click();
  await page.getByLabel("Name").fill("billing service");
  await page.getByRole("button", { name: "Create" }).click();
  const made = page.getByRole("dialog", { name: "The key billing service" });
  const key = (await made.getByRole("region", { name: "the key", exact: true }).textContent())!.trim();
  expect(await accessProblems(page)).toEqual([]);
  await page.keyboard.press("Escape");
  await made.getByText("loses it from sight").waitFor();
  expect(await callWith(key)).toBe(200);
  await made.getByRole("button", { name: "I have kept it" }).click();
  await made.waitFor({ state: "detached" });

  await inRow(page, "billing service", "Rotate…");
  await page.getByRole("button", { name: "Rotate" }).click();
  const next = (await made.getByRole("region", { name: "the key", exact: true }).textContent())!.trim();
  expect(next).not.toBe(key);
  await made.getByRole("button", { name: "I have kept it" }).click();
  await page.getByText("replaced, ends").waitFor();
  expect([await callWith(key), await callWith(next)]).toEqual([200, 200]);

  await page.getByRole("button", { name: "Actions for billing service" }).first().click();
  await page.getByRole("menuitem", { name: "Revoke…" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
  await page.getByText("The key billing service is revoked.").waitFor();
  expect(await callWith(next)).toBe(401);
  await expectAllWell(visit, "after seeing to keys");
});

test("what is wrong with a form stands at its field, which then has the focus", async () => {
  const server = await startDevServer();
  const { page } = await signedIn(server, "signing-keys");
  await page.getByRole("button", { name: "New signing key" }).click();
  await page.getByLabel("Name").fill("partner");
  await page.getByLabel("Secret", { exact: true }).fill("whsec_short");
  await page.getByRole("button", { name: "Create" }).click();
  const secret = page.getByLabel("Secret", { exact: true });
  await page.getByText("Must be whsec_ and base64 of 24 to 64 bytes.").waitFor();
  expect(await secret.getAttribute("aria-invalid")).toBe("true");
  expect(await secret.evaluate((field) => field === field.ownerDocument.activeElement)).toBe(true);
});

test("a signing key's secret is shown to whoever says that they want it, and the audit has it", async () => {
  const server = await startDevServer();
  const { page } = await signedIn(server, "signing-keys");
  await inRow(page, "default", "Show the secret…");
  await page.getByRole("button", { name: "Show it" }).click();
  const shown = (await page.getByRole("region", { name: "the secret" }).textContent())!.trim();
  const [key] = (await server.client.signingKeys.list()).items;
  expect(shown).toBe(await server.client.signingKeys.secret(key!.id));
  await open(page, server, "audit");
  await page.getByRole("button", { name: "signing_key.reveal" }).first().waitFor();
});

test("a secret that jobs use is deleted only by somebody who was told their names", async () => {
  const server = await startDevServer();
  await server.client.secrets.put("REPORTS_TOKEN", "s3cret-value");
  const headers = { authorization: "Bearer {{secrets.REPORTS_TOKEN}}" };
  const target = { type: "http", url: `${server.url}/dev/echo`, headers } as const;
  await server.client.jobs.put("nightly-report", { schedule: null, target });
  const { page } = await signedIn(server, "secrets");
  expect(await page.content()).not.toContain("s3cret-value");

  await inRow(page, "REPORTS_TOKEN", "Replace the value…");
  await page.getByLabel("Value", { exact: true }).fill("another-value");
  await page.getByRole("button", { name: "Replace" }).click();
  await page.getByText("REPORTS_TOKEN has a new value, version 2.").waitFor();

  await inRow(page, "REPORTS_TOKEN", "Delete…");
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await page.getByRole("dialog").getByText("is used by 1 job (nightly-report)").waitFor();
  expect((await server.client.secrets.list()).items).toHaveLength(1);
  await page.getByRole("button", { name: "Delete it all the same" }).click();
  await page.getByText("There are no secrets yet.").waitFor();
});

test("somebody who is invited chooses a password, and sees what the role includes", async () => {
  const server = await startDevServer();
  const { page } = await signedIn(server, "members");
  await page.getByRole("button", { name: "Add somebody" }).click();
  await page.getByLabel("E-mail").fill("ann@example.com");
  await page.getByRole("button", { name: "Add", exact: true }).click();
  const link = (await page.getByRole("region", { name: "the invitation link" }).textContent())!.trim();
  await page.getByRole("button", { name: "I have kept it" }).click();
  await page.getByText("ann@example.com").waitFor();

  const ann = await browser.visit();
  await ann.page.goto(link);
  await ann.page.getByRole("heading", { name: "Choose a password" }).waitFor();
  expect(await accessProblems(ann.page)).toEqual([]);
  await ann.page.getByLabel("New password").fill("a long pass phrase");
  await ann.page.getByLabel("The same again").fill("another pass phrase");
  await ann.page.getByRole("button", { name: "Sign in" }).click();
  await ann.page.getByText("It is not the same as above.").waitFor();
  await ann.page.getByLabel("The same again").fill("a long pass phrase");
  await ann.page.getByRole("button", { name: "Sign in" }).click();
  await ann.page.getByRole("navigation", { name: "Pages" }).waitFor();

  await open(ann.page, server, "members");
  await ann.page.getByText("ann (you)").waitFor();
  const sections = await ann.page.getByRole("navigation", { name: "Settings" }).getByRole("link").allTextContents();
  expect(sections).toEqual(["Project", "Members", "Secrets", "Signing keys", "Your account"]);
  expect(await ann.page.getByRole("button", { name: "Add somebody" }).count()).toBe(0);
  await open(ann.page, server, "audit");
  await ann.page.getByText("Your role does not include the audit.").waitFor();

  await inRow(page, "ann", "Change the role…");
  await page.getByLabel("Role", { exact: true }).selectOption("admin");
  await page.getByRole("button", { name: "Change", exact: true }).click();
  await page.getByText("ann is admin now.").waitFor();
  await ann.page.reload();
  await ann.page.getByRole("button", { name: "Export as NDJSON" }).waitFor();
});

test("a person changes their password and ends their other sessions", async () => {
  const server = await startDevServer();
  const { link } = await server.client.members.add({ email: "ann@example.com", role: "viewer" });
  const first = await browser.visit();
  await first.page.goto(link!);
  await first.page.getByLabel("New password").fill("a long pass phrase");
  await first.page.getByLabel("The same again").fill("a long pass phrase");
  await first.page.getByRole("button", { name: "Sign in" }).click();
  await first.page.getByRole("navigation", { name: "Pages" }).waitFor();
  const second = await browser.visit();
  await second.page.goto(`${server.url}/settings/account`);
  await second.page.getByLabel("E-mail").fill("ann@example.com");
  await second.page.getByLabel("Password").fill("a long pass phrase");
  await second.page.getByRole("button", { name: "Sign in" }).click();
  await second.page.getByText("(this one)").waitFor();

  await second.page.getByRole("button", { name: /^End the session of/ }).click();
  await second.page.getByText("The session is over.").waitFor();
  await first.page.goto(`${server.url}/jobs`);
  await first.page.getByRole("heading", { name: "Sign in" }).waitFor();

  await second.page.getByLabel("Current password").fill("something else");
  await second.page.getByLabel("New password").fill("quite another phrase");
  await second.page.getByLabel("The same again").fill("quite another phrase");
  await second.page.getByRole("button", { name: "Change the password" }).click();
  await second.page.getByText("Is not the password.").waitFor();
  await second.page.getByLabel("Current password").fill("a long pass phrase");
  await second.page.getByRole("button", { name: "Change the password" }).click();
  await second.page.getByText("The password is changed").waitFor();
});

test("the audit is filtered by its address, opened, and exported as it is filtered", async () => {
  const server = await startDevServer();
  await server.client.secrets.put("A_TOKEN", "s3cret-value");
  await server.client.apiKeys.create({ name: "a program", scopes: ["read"] });
  const { page } = await signedIn(server, "audit");
  await page.getByRole("button", { name: "secret.put" }).waitFor();
  await page.getByLabel("About").selectOption("API keys");
  await page.getByRole("button", { name: "secret.put" }).waitFor({ state: "detached" });
  expect(new URL(page.url()).searchParams.get("action")).toBe("api_key");
  await page.reload();
  await page.getByRole("button", { name: "api_key.create" }).click();
  await page.getByRole("dialog").getByText('"a program"').first().waitFor();
  expect(await accessProblems(page)).toEqual([]);
  await page.keyboard.press("Escape");

  const downloading = page.waitForEvent("download");
  await page.getByRole("button", { name: "Export as NDJSON" }).click();
  const path = await (await downloading).path();
  const lines = readFileSync(path, "utf8").trim().split("\n");
  expect(lines.map((line) => JSON.parse(line).action)).toEqual(["api_key.create"]);
});

test("an instance admin makes, renames and deletes a project, the last by typing its name", async () => {
  const server = await startDevServer();
  const { page } = await signedIn(server, "project");
  await page.getByRole("button", { name: "New project" }).click();
  await page.getByLabel("Name").fill("billing");
  await page.getByRole("button", { name: "Create" }).click();
  await page.getByRole("button", { name: "Open billing" }).click();
  await page.getByRole("button", { name: "Project billing; change" }).waitFor();

  await page.goto(`${server.url}/settings/project`);
  await page.getByRole("button", { name: "Rename" }).click();
  await page.getByLabel("New name").fill("invoices");
  await page.getByRole("dialog").getByRole("button", { name: "Rename" }).click();
  await page.getByRole("button", { name: "Project invoices; change" }).waitFor();

  await page.getByRole("button", { name: "Delete" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox").fill("billing");
  await dialog.getByRole("button", { name: "Delete the project" }).click();
  await dialog.getByText("That is not invoices.").waitFor();
  await dialog.getByRole("textbox").fill("invoices");
  await dialog.getByRole("button", { name: "Delete the project" }).click();
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await page.getByRole("navigation", { name: "Pages" }).waitFor();
  expect((await server.client.projects.list()).items.map(({ name }) => name)).toEqual(["default"]);
});

test.each(["light", "dark"] as const)("every section is well in the %s theme, wide and narrow", async (theme) => {
  const server = await startDevServer();
  await server.client.secrets.put("A_TOKEN", "s3cret-value");
  await server.client.apiKeys.create({ name: "a program", scopes: ["read"], expiresIn: "30d" });
  await server.client.members.add({ email: "ann@example.com", role: "viewer" });
  const visit = await signedIn(server, "project");
  await visit.page.emulateMedia({ colorScheme: theme });
  for (const viewport of [WIDE, NARROW]) {
    await visit.page.setViewportSize(viewport);
    for (const section of ["project", "members", "keys", "secrets", "signing-keys", "audit", "account"]) {
      await open(visit.page, server, section);
      await visit.page.getByRole("table").first().waitFor();
      const what = `${section} at ${viewport.width}`;
      expect({ what, problems: await accessProblems(visit.page) }).toEqual({ what, problems: [] });
      await expectAllWell(visit, what);
    }
  }
});
