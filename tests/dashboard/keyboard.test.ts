// Everything by the keys alone.

import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { useBrowser } from "../support/chromium.ts";
import { useDevServer } from "../support/dev-server.ts";

const WAIT = { timeout: 30_000 };

const browser = useBrowser();
const server = useDevServer(async ({ client, url }) => {
  for (const name of ["alpha", "beta", "gamma"])
    await client.jobs.create({ name, schedule: { every: "1d" }, target: { type: "http", url: `${url}/dev/echo` } });
});

/** What has the focus, by its name. */
async function focused(page: Page): Promise<string> {
  return await page.evaluate(`document.activeElement.getAttribute("aria-label") ?? document.activeElement.textContent`);
}

test("the palette finds a job and goes there by Enter, and Escape gives the focus back", async () => {
  const { page } = await browser.enter(server(), "/jobs");
  const search = page.getByRole("button", { name: "Search and do anything" });
  await search.focus();
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: "Search" }).waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await search.and(page.locator(":focus")).waitFor();

  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: "Search" }).fill("gamma");
  await page.getByRole("option", { name: /^gamma/, selected: true }).waitFor();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: /^gamma/, level: 1 }).waitFor();
});

test("j and k move along the jobs, x chooses, Enter opens, and / goes to the filter", async () => {
  const { page } = await browser.enter(server(), "/jobs");
  await page.getByRole("link", { name: "alpha" }).waitFor();
  for (const [key, name] of [
    ["j", "alpha"],
    ["j", "beta"],
    ["j", "gamma"],
    ["k", "beta"],
  ] as const) {
    await page.keyboard.press(key);
    await expect.poll(() => focused(page), WAIT).toBe(name);
  }
  await page.keyboard.press("x");
  await page.getByRole("region", { name: "Chosen jobs" }).getByText("1 chosen").waitFor();
  expect(await page.getByRole("checkbox", { name: "Choose beta" }).isChecked()).toBe(true);
  await page.keyboard.press("Escape");
  await page.getByRole("region", { name: "Chosen jobs" }).waitFor({ state: "detached" });

  await page.keyboard.press("/");
  await page.keyboard.type("alp");
  await expect.poll(() => page.getByRole("searchbox").inputValue(), WAIT).toBe("alp");
  await page.getByRole("link", { name: "gamma" }).waitFor({ state: "detached" });
  await page.keyboard.press("Escape");
  await page.keyboard.press("Tab");
  await page.getByRole("link", { name: "alpha" }).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: /^alpha/, level: 1 }).waitFor();
});

test("the keys that hold are shown by ?, and g with a letter goes to a page", async () => {
  const { page } = await browser.enter(server(), "/jobs");
  await page.getByRole("link", { name: "alpha" }).waitFor();
  await page.keyboard.press("?");
  const help = page.getByRole("dialog", { name: "Keyboard" });
  for (const what of ["Next row", "Choose the row", "Run the job now", "Go to Executions"])
    await help.getByText(what).waitFor();
  await page.keyboard.press("Escape");
  await help.waitFor({ state: "detached" });
  await page.keyboard.press("g");
  await page.keyboard.press("e");
  await page.getByRole("heading", { name: "Executions", level: 1 }).waitFor();
  await page.keyboard.press("g");
  await page.keyboard.press("j");
  await page.getByRole("heading", { name: "Jobs", level: 1 }).waitFor();
});

test("the first press of Tab offers the way past the navigation", async () => {
  const { page } = await browser.enter(server(), "/jobs");
  await page.getByRole("link", { name: "alpha" }).waitFor();
  await page.keyboard.press("Tab");
  expect(await focused(page)).toBe("Skip to the content");
  await page.keyboard.press("Enter");
  expect(await page.evaluate("document.activeElement.tagName")).toBe("MAIN");
});
