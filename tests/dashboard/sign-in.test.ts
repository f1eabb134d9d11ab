// The way in: by the link that is printed, by a password, and out again.

import { expect, test } from "vitest";
import { accessProblems, expectAllWell, NARROW, useBrowser } from "../support/chromium.ts";
import { startDevServer, useDevServer } from "../support/dev-server.ts";
import { choosePassword, inviteViewer, PASSWORD, signIn } from "./invitation.ts";

const browser = useBrowser();
const server = useDevServer();

test("the printed link signs in once, the cookie is nobody else's, and signing out ends it", async () => {
  const server = await startDevServer();
  const visit = await browser.visit();
  const { page, context } = visit;
  await page.goto(server.link);
  await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "Jobs" }).waitFor();
  // Neither the address nor the history keeps the token.
  expect(page.url()).not.toContain("sign-in");
  const [cookie] = await context.cookies();
  expect(cookie).toMatchObject({ httpOnly: true, sameSite: "Strict" });
  expect(await page.evaluate("document.cookie")).toBe("");
  await expectAllWell(visit, "after signing in");

  const second = await browser.visit();
  await second.page.goto(server.link);
  await second.page.getByRole("heading", { name: "Sign in" }).waitFor();
  await second.page.getByText("works once").first().waitFor();

  await page.getByRole("button", { name: /^Account of/ }).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  await page.goto(`${server.url}/jobs`);
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
});

test("whoever is invited chooses a password, signs in with it, and is told at the field when it is wrong", async () => {
  const admin = await browser.enter(server(), "/settings/members");
  const link = await inviteViewer(admin.page, "vera@example.com");
  await admin.page.getByRole("cell", { name: /vera@example.com/ }).waitFor();
  const { page } = await browser.visit();
  await choosePassword(page, link);

  const { page: later } = await browser.visit();
  await later.goto(server().url);
  await signIn(later, "vera@example.com", "something else entirely");
  await later.getByRole("textbox", { name: "Password" }).and(later.locator("[aria-invalid=true]")).waitFor();
  await signIn(later, "vera@example.com", PASSWORD);
  await later.getByRole("heading", { name: "Overview", level: 1 }).waitFor();
});

test("whose session ends is asked to sign in, and comes back to the same page", async () => {
  const admin = await browser.enter(server(), "/settings/members");
  const link = await inviteViewer(admin.page, "walter@example.com");
  const { page, context } = await browser.visit();
  await choosePassword(page, link);
  await page.goto(`${server().url}/executions?state=failed`);
  await page.getByText("No execution matches.").waitFor();
  await context.clearCookies();
  // Something happens, the page reads it, and the server does not know who asks.
  await server().client.jobs.create({ name: "something", schedule: null, target: { type: "http", url: server().url } });
  await server().client.jobs.trigger("something");
  await page.getByText("Your session is over. Sign in again.").waitFor();
  await signIn(page, "walter@example.com", PASSWORD);
  await page.getByRole("heading", { name: "Executions", level: 1 }).waitFor();
  expect(new URL(page.url()).search).toBe("?state=failed");
});

test.each(["light", "dark"] as const)("the form to sign in is well in the %s theme, wide and narrow", async (theme) => {
  for (const viewport of [undefined, NARROW]) {
    const visit = await browser.visit({ colorScheme: theme, ...(viewport ? { viewport } : {}) });
    await visit.page.goto(server().url);
    await visit.page.getByRole("heading", { name: "Sign in" }).waitFor();
    expect(await accessProblems(visit.page)).toEqual([]);
    // That nobody is signed in is answered with 401, which the console shows as a failed request.
    expect(visit.complaints().filter((each) => !each.includes("401"))).toEqual([]);
  }
});
