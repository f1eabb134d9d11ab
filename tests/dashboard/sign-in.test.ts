// The way in: by the link that is printed, by a password, and out again.

import { expect, test } from "vitest";
import { accessProblems, expectAllWell, NARROW, useBrowser } from "../support/chromium.ts";
import { startDevServer } from "../support/dev-server.ts";

const browser = useBrowser();

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

test.each(["light", "dark"] as const)("the form to sign in is well in the %s theme, wide and narrow", async (theme) => {
  const server = await startDevServer();
  for (const viewport of [undefined, NARROW]) {
    const visit = await browser.visit({ colorScheme: theme, ...(viewport ? { viewport } : {}) });
    await visit.page.goto(server.url);
    await visit.page.getByRole("heading", { name: "Sign in" }).waitFor();
    expect(await accessProblems(visit.page)).toEqual([]);
    // That nobody is signed in is answered with 401, which the console shows as a failed request.
    expect(visit.complaints().filter((each) => !each.includes("401"))).toEqual([]);
  }
});
