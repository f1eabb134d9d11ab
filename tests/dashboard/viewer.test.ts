// Somebody who may look, and nothing else.

import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { layDemoData } from "../../scripts/screenshots/demo-data.ts";
import { settled, useBrowser } from "../support/chromium.ts";
import { useDevServer } from "../support/dev-server.ts";
import { choosePassword, inviteViewer } from "./invitation.ts";
import { type Place, pagesOf } from "./pages.ts";

/** Buttons that change what the person sees, and nothing of the project. */
const HARMLESS = [
  /^Skip to the content$/,
  /^(Live|Connecting|Reconnecting|Paused)\b/,
  /^Search and do anything/,
  /^Times are shown in /,
  /^Account of /,
  /^Keyboard/,
  /^Copy /,
  /^Show /,
  /^As a (table|picture)$/,
  /^\d+ more$/,
  /^[\d,]+\+? new$/,
];
/** And those of one page: a day of the calendar, an attempt to look at, an error whose letters are shown. */
const HARMLESS_ON: readonly (readonly [path: RegExp, name: RegExp])[] = [
  [/^\/jobs\/[^/]+$/, /^\w{3}, \d+ \w+ \d{4}: /],
  [/tab=versions$/, /^The whole/],
  [/^\/executions\/./, /^Attempt \d+/],
  [/^\/dead-letters$/, /^the target answered 503/],
  [/^\/settings\/account$/, /^(Change the password|Sign out)/],
];
/** What a role does not include, and the page says so. */
const CLOSED = ["/jobs/new", "/jobs/new?as=json", "/jobs/partner-webhook/edit", "/settings/keys", "/settings/audit"];

const browser = useBrowser();
const place: Place = { job: "partner-webhook", execution: "" };
const server = useDevServer(async (started) => {
  await layDemoData({ ...started, days: 1 });
  const { id } = await started.client.jobs.trigger(place.job);
  await started.client.executions.waitFor(id);
  place.execution = id;
});

test("a viewer walks every page without a control that changes anything, and without being refused anything", async () => {
  const admin = await browser.enter(server(), "/settings/members");
  const link = await inviteViewer(admin.page, "vera@example.com");
  const { page } = await browser.visit();
  const refused: string[] = [];
  page.on("response", (response) => {
    if (response.status() === 403) refused.push(`${response.request().method()} ${response.url()}`);
  });
  await choosePassword(page, link);
  const offered: string[] = [];
  for (const path of pagesOf(place)) {
    await page.goto(`${server().url}${path}`);
    await settled(page);
    if (CLOSED.includes(path)) await page.getByText(/^Your role does not include/).waitFor();
    for (const name of await controlsOf(page)) if (!isHarmless(path, name)) offered.push(`${path}: ${name}`);
  }
  expect(offered).toEqual([]);
  expect(refused).toEqual([]);
});

function isHarmless(path: string, name: string): boolean {
  return (
    HARMLESS.some((each) => each.test(name)) || HARMLESS_ON.some(([where, what]) => where.test(path) && what.test(name))
  );
}

/** The names of all buttons, and of links to where something is written. */
async function controlsOf(page: Page): Promise<string[]> {
  const snapshot = await page.locator("body").ariaSnapshot();
  const buttons = [...snapshot.matchAll(/^\s*- '?button "((?:[^"\\]|\\.)*)"/gm)].map((found) => found[1]!);
  const ways = page.locator('a[href^="/jobs/new"], a[href*="/edit"]');
  return [...buttons, ...(await ways.allTextContents())];
}
