// Coming in when something is amiss: a session that is over, a server that is away, too many wrong passwords, no project.

import { expect, test } from "vitest";
import { PunctualClient } from "../../src/client/index.ts";
import { accessProblems, NARROW, useBrowser, type Visit } from "../support/chromium.ts";
import { type DevServer, startDevServer } from "../support/dev-server.ts";

const browser = useBrowser();
const PASSWORD = "a long pass phrase";

/** Ann has chosen her password and is in. */
async function ann(server: DevServer): Promise<Visit> {
  const { link } = await server.client.members.add({ email: "ann@example.com", role: "viewer" });
  const visit = await browser.visit();
  await visit.page.goto(link!);
  await visit.page.getByLabel("New password").fill(PASSWORD);
  await visit.page.getByLabel("The same again").fill(PASSWORD);
  await visit.page.getByRole("button", { name: "Sign in" }).click();
  await visit.page.getByRole("navigation", { name: "Pages" }).waitFor();
  return visit;
}

async function signIn({ page }: Visit, password: string): Promise<void> {
  await page.getByLabel("E-mail").fill("ann@example.com");
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
}

test("whoever's session ended is told so, signs in again, and is back on the page they were on", async () => {
  const server = await startDevServer();
  const visit = await ann(server);
  const { page, context } = visit;
  await page.goto(`${server.url}/settings/members`);
  await page.getByText("ann (you)").waitFor();
  await context.clearCookies();
  await page.getByRole("navigation", { name: "Settings" }).getByRole("link", { name: "Secrets" }).click();
  await page.getByText("Your session is over. Sign in again.").waitFor();
  expect(await page.getByLabel("E-mail").evaluate((field) => field === field.ownerDocument.activeElement)).toBe(true);
  await signIn(visit, PASSWORD);
  await page.getByRole("heading", { name: "Secrets" }).waitFor();
  expect(new URL(page.url()).pathname).toBe("/settings/secrets");
});

test("a page that nobody touches notices that its session was ended elsewhere", async () => {
  const server = await startDevServer();
  const { page } = await ann(server);
  await page.getByText("Live", { exact: true }).waitFor();
  const cookies = await page.context().cookies();
  const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join("; ");
  const headers = { cookie, origin: server.url, "content-type": "application/json" };
  expect((await fetch(`${server.url}/api/v1/auth/logout`, { method: "POST", headers, body: "{}" })).status).toBe(204);
  await page.getByText("Your session is over. Sign in again.").waitFor();
});

test("a wrong password is told at its field; after too many of them the page counts down", async () => {
  const server = await startDevServer();
  await ann(server);
  const visit = await browser.visit();
  const { page } = visit;
  await page.goto(server.url);
  await signIn(visit, "not the password");
  await page.getByText("The address or the password is wrong.").waitFor();
  expect(await page.getByLabel("Password").evaluate((field) => field === field.ownerDocument.activeElement)).toBe(true);
  const login = { method: "POST", headers: { "content-type": "application/json" } };
  const wrong = JSON.stringify({ email: "ann@example.com", password: "not the password" });
  for (let tries = 0; tries < 10; tries += 1) await fetch(`${server.url}/api/v1/auth/login`, { ...login, body: wrong });
  await signIn(visit, PASSWORD);
  await page.getByText(/The next is possible in \d/).waitFor();
  expect(await page.getByRole("button", { name: "Sign in" }).isDisabled()).toBe(true);
  expect(await accessProblems(page)).toEqual([]);
});

test("a link that was used lets its own browser in again, and tells others how to get another", async () => {
  const server = await startDevServer();
  const { page } = await browser.visit();
  await page.goto(server.link);
  await page.getByRole("navigation", { name: "Pages" }).waitFor();
  await page.goto("about:blank");
  await page.goto(server.link);
  await page.getByRole("navigation", { name: "Pages" }).waitFor();
  const other = await browser.visit();
  await other.page.goto(server.link);
  await other.page.getByText("punctual setup-link").waitFor();
});

test("a server that is away when the page is opened is waited for, and the link is kept meanwhile", async () => {
  const server = await startDevServer();
  const { page, context } = await browser.visit({ viewport: NARROW });
  await context.route("**/api/**", (route) => route.abort());
  await page.goto(server.link);
  await page.getByRole("heading", { name: "Punctual cannot be reached" }).waitFor();
  expect(await accessProblems(page)).toEqual([]);
  await context.unroute("**/api/**");
  await page.getByRole("button", { name: "Pages" }).waitFor();
});

test("somebody without a project is told so, and comes in once they are added to one", async () => {
  const server = await startDevServer();
  const visit = await ann(server);
  const { page } = visit;
  const [member] = (await server.client.members.list()).items;
  await server.client.members.remove(member!.id);
  await page.reload();
  await page.getByRole("heading", { name: "You are in no project yet" }).waitFor();
  expect(await accessProblems(page)).toEqual([]);
  await server.client.members.add({ email: "ann@example.com", role: "viewer" });
  await page.getByRole("button", { name: "Look again" }).click();
  await page.getByRole("navigation", { name: "Pages" }).waitFor();
});

test("an address that names a project one has no part in says so, and shows one's own", async () => {
  const server = await startDevServer();
  const { page } = await ann(server);
  await page.goto(`${server.url}/settings/project?project=secret-plans`);
  await page.getByText("There is no project “secret-plans” that you have a part in.").waitFor();
  expect(new URL(page.url()).search).toBe("");
  await page.getByRole("heading", { name: "This project" }).waitFor();
});

test("where somebody has several projects the address says of which it is, and stays so", async () => {
  const server = await startDevServer();
  await server.client.projects.create({ name: "second" });
  const second = new PunctualClient({ url: server.url, key: server.apiKey, project: "second" });
  const { page } = await ann(server);
  await second.members.add({ email: "ann@example.com", role: "viewer" });
  await page.goto(`${server.url}/jobs`);
  const named = () => new URL(page.url()).searchParams.get("project");
  await expect.poll(named, { timeout: 30_000 }).toBe("default");
  await page.goto(`${server.url}/jobs?project=second`);
  await page.getByRole("link", { name: "Executions" }).first().click();
  await page.getByRole("heading", { name: "Executions", level: 1 }).waitFor();
  expect(named()).toBe("second");
});

test("the palette leads to settings and jobs by the keyboard alone, and the help names the keys", async () => {
  const server = await startDevServer();
  await server.client.jobs.put("nightly-report", {
    schedule: null,
    target: { type: "http", url: `${server.url}/dev/echo` },
  });
  const { page } = await browser.visit();
  await page.goto(server.link);
  await page.getByRole("navigation", { name: "Pages" }).waitFor();
  // Until it is gone from the page the keys belong to it.
  const palette = page.getByRole("dialog", { name: "Search and do anything" });
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: "Search" }).fill("audit");
  await page.getByRole("option", { name: /^Audit/ }).waitFor();
  expect(await accessProblems(page)).toEqual([]);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Audit" }).waitFor();
  await palette.waitFor({ state: "detached" });
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: "Search" }).fill("nightly");
  await page.getByRole("option", { name: /^nightly-report/ }).waitFor();
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/jobs\/[0-9a-f-]{36}/);
  await palette.waitFor({ state: "detached" });
  await page.keyboard.press("?");
  await page.getByRole("dialog", { name: "Keyboard" }).getByText("Go to Jobs").waitFor();
  expect(await accessProblems(page)).toEqual([]);
});
