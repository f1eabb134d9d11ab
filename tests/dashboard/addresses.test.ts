// What is looked at stands in the address: it can be kept, sent to somebody, and gone back to.

import { expect, test } from "vitest";
import { useBrowser } from "../support/chromium.ts";
import { useDevServer } from "../support/dev-server.ts";

const WAIT = { timeout: 30_000 };

const browser = useBrowser();
const server = useDevServer(async ({ client, url }) => {
  const target = { type: "http" as const, url: `${url}/dev/echo` };
  await client.jobs.create({ name: "report-daily", tags: ["reports"], schedule: { every: "1d" }, target });
  await client.jobs.create({ name: "report-weekly", tags: ["reports"], schedule: { every: "7d" }, target });
  await client.jobs.create({ name: "cleanup", schedule: { every: "1d" }, target });
});

test("filters, order and tabs survive loading the page again, and back and forward", async () => {
  const { page } = await browser.enter(server(), "/jobs");
  const row = (name: string) => page.getByRole("table", { name: "Jobs" }).getByRole("link", { name, exact: true });
  await row("cleanup").waitFor();
  await page.getByRole("link", { name: "Only reports" }).click();
  await row("cleanup").waitFor({ state: "detached" });
  await page.getByLabel("Order").selectOption("Name, Z first");
  await page.getByRole("searchbox").fill("report");
  await expect.poll(() => new URL(page.url()).search, WAIT).toContain("q=report");
  await page.reload();
  await row("report-daily").waitFor();
  const address = page.url();
  expect(await page.getByRole("searchbox").inputValue()).toBe("report");
  expect(await row("cleanup").count()).toBe(0);

  await row("report-daily").click();
  await page.getByRole("heading", { name: /^report-daily/, level: 1 }).waitFor();
  await page.goBack();
  await row("report-weekly").waitFor();
  expect(page.url()).toBe(address);
  await page.goForward();
  await page.getByRole("heading", { name: /^report-daily/, level: 1 }).waitFor();
});

test("the tab of a job, and that of the executions, stand in the address", async () => {
  const { page } = await browser.enter(server(), "/jobs/cleanup?tab=definition");
  const parts = page.getByRole("navigation", { name: "Parts of the job" });
  await parts.getByRole("link", { name: "Definition" }).and(page.locator("[aria-current=page]")).waitFor();
  await parts.getByRole("link", { name: "Versions" }).click();
  await expect.poll(() => new URL(page.url()).search, WAIT).toBe("?tab=versions");
  await page.goto(`${server().url}/executions?state=failed&order=asc`);
  await page
    .getByRole("link", { name: /^Failed/ })
    .and(page.locator("[aria-current=page]"))
    .waitFor();
  expect(await page.getByLabel("Order").inputValue()).toBe("asc");
});

test("what somebody wrote wrongly into the address is left out, and the page works", async () => {
  const { page } = await browser.enter(server(), "/jobs?state=nonsense&sort=7&tag=reports");
  await page.getByRole("link", { name: "report-daily" }).waitFor();
});

test.each([
  ["/jobs/nobody", "There is no job called “nobody”."],
  ["/executions/01234567-89ab-7def-8000-000000000000", "There is no execution with this id."],
  ["/executions/nonsense", "There is no execution with this id."],
  ["/settings/nonsense", "There are no settings of that name."],
])("%s says that there is no such thing, and the way elsewhere is there", async (path, said) => {
  const { page } = await browser.enter(server(), path);
  await page.getByText(said).waitFor();
  await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "Overview" }).waitFor();
});

test("a link within the page to where there is nothing says so", async () => {
  const { page } = await browser.enter(server(), "/jobs");
  await page.getByRole("link", { name: "cleanup" }).waitFor();
  await page.evaluate(`history.pushState({}, "", "/nowhere"); dispatchEvent(new PopStateEvent("popstate"))`);
  await page.getByRole("heading", { name: "There is no such page", level: 1 }).waitFor();
  await page.getByRole("link", { name: "To the overview" }).click();
  await page.getByRole("heading", { name: "Overview", level: 1 }).waitFor();
});
