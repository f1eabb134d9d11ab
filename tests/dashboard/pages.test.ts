// Every page in both themes, wide and narrow, with nothing in it and with much.

import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { layDemoData } from "../../scripts/screenshots/demo-data.ts";
import { accessProblems, expectAllWell, NARROW, settled, useBrowser, type Visit, WIDE } from "../support/chromium.ts";
import { useDevServer } from "../support/dev-server.ts";
import { isPage, type Place, pagesOf } from "./pages.ts";

const LOOKS = [
  { theme: "light", size: WIDE, axe: true },
  { theme: "dark", size: WIDE, axe: true },
  { theme: "light", size: NARROW, axe: true },
  { theme: "dark", size: NARROW, axe: false },
] as const;
const DAYS = 2;

interface DialogOf {
  name: string;
  path: string;
  open: (page: Page) => Promise<void>;
}

const press = (name: string | RegExp) => async (page: Page) => await page.getByRole("button", { name }).first().click();

const DIALOGS: readonly DialogOf[] = [
  { name: "run now", path: "/jobs/flaky-import", open: press("Run now") },
  { name: "pause", path: "/jobs/flaky-import", open: press("Pause") },
  { name: "more to do", path: "/jobs/flaky-import", open: press("More to do") },
  { name: "actions of a job", path: "/jobs", open: press("Actions for flaky-import") },
  { name: "palette", path: "/", open: async (page) => await page.keyboard.press("Control+k") },
  { name: "keyboard help", path: "/jobs", open: async (page) => await page.keyboard.press("?") },
  { name: "zone", path: "/", open: press(/^Times are shown in/) },
  { name: "account", path: "/", open: press(/^Account of/) },
  { name: "new key", path: "/settings/keys", open: press("New key") },
  { name: "add somebody", path: "/settings/members", open: press("Add somebody") },
  { name: "retry a group", path: "/dead-letters", open: press("Retry all of this group") },
];

const browser = useBrowser();

describe("with nothing in it", () => {
  const server = useDevServer();

  test.each(pagesOf(null))("%s is well", async (path) => {
    const visit = await browser.enter(server(), path);
    await expectWellInEveryLook(visit, path);
  });
});

describe("with much in it", () => {
  const place: Place = { job: "flaky-import", execution: "" };
  const server = useDevServer(async (started) => {
    const { client } = started;
    await layDemoData({ ...started, days: DAYS });
    const { id } = await client.jobs.trigger(place.job);
    await client.executions.waitFor(id);
    place.execution = id;
    await client.jobs.patch(place.job, { priority: 60 });
    await client.secrets.put("PARTNER_TOKEN", "not to be seen");
  });

  test.each(pagesOf({ ...place, execution: "$execution" }))("%s is well", async (pattern) => {
    const path = pattern.replace("$execution", place.execution);
    const visit = await browser.enter(server(), path);
    await expectWellInEveryLook(visit, path);
  });

  test("the timeline tells along its lane what was missed, when and why, and what is planned", async () => {
    const { page } = await browser.enter(server(), "/timeline?q=sync-crm");
    const lane = page.getByRole("slider", { name: "Runs of sync-crm" });
    const said = async () => (await lane.getAttribute("aria-valuetext")) ?? "";
    await lane.focus();
    await page.keyboard.press("End");
    await expect.poll(said).toMatch(/^planned, /);
    const marks = Number(await lane.getAttribute("aria-valuemax"));
    for (let at = marks; at > 0 && !(await said()).startsWith("missed"); at -= 1)
      await page.keyboard.press("ArrowLeft");
    expect(await said()).toMatch(/^missed, \d+ instants?, .*Nobody could start it in time\.$/);
  });

  test.each(DIALOGS)("the dialog $name is well", async ({ path, open }) => {
    const { page } = await browser.enter(server(), path);
    await settled(page);
    await open(page);
    await page.getByRole("dialog").or(page.getByRole("menu")).waitFor();
    expect(await accessProblems(page)).toEqual([]);
    await page.emulateMedia({ colorScheme: "dark" });
    expect(await accessProblems(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").or(page.getByRole("menu")).waitFor({ state: "detached" });
  });
});

async function expectWellInEveryLook(visit: Visit, path: string): Promise<void> {
  const { page } = visit;
  for (const { theme, size, axe } of LOOKS) {
    await page.emulateMedia({ colorScheme: theme });
    await page.setViewportSize(size);
    await settled(page);
    const look = `${path}, ${theme}, ${size.width} wide`;
    await expectAllWell(visit, look);
    expect({ look, nowhere: (await linksOf(page)).filter((link) => !isPage(link)) }).toEqual({ look, nowhere: [] });
    if (axe) expect({ look, problems: await accessProblems(page) }).toEqual({ look, problems: [] });
  }
}

async function linksOf(page: Page): Promise<string[]> {
  return await page
    .locator('a[href^="/"]')
    .evaluateAll((links) => links.map((link) => link.getAttribute("href") ?? ""));
}
