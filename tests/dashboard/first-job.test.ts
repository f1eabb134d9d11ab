// The first minutes of somebody who has just started the server.

import { expect, test } from "vitest";
import { useBrowser } from "../support/chromium.ts";
import { startDevServer } from "../support/dev-server.ts";

const browser = useBrowser();

test("from the empty page to a first run that succeeded takes a browser and nothing else", async () => {
  const server = await startDevServer();
  const visit = await browser.enter(server, "/");
  const { page } = visit;
  await page.getByRole("heading", { name: "Make your first job" }).waitFor();
  await page.getByRole("link", { name: "New job" }).click();
  await page.getByRole("textbox", { name: "Name" }).fill("first-job");
  await page.getByRole("radio", { name: "At intervals" }).check();
  await page.getByRole("textbox", { name: "Every" }).fill("1");
  await page.getByLabel("Unit").selectOption("seconds");
  await page.getByRole("button", { name: /^Use http.*echo$/ }).click();
  await page.getByRole("button", { name: "Create job" }).click();
  await page.getByRole("heading", { name: /^first-job/, level: 1 }).waitFor();
  // Nothing is pressed from here on: the run shows by itself.
  await page.getByRole("table", { name: "Last executions of first-job" }).getByText("succeeded").first().waitFor();
  await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "Overview" }).click();
  await page.getByRole("link", { name: "first-job" }).first().waitFor();
  // A job that is not finished yet is refused by the server when it is asked, which the console shows as a failed request.
  expect(visit.complaints().filter((each) => !each.includes("400"))).toEqual([]);
});

test("sample jobs show life at once, and are taken away again with one press", async () => {
  const server = await startDevServer();
  const { page } = await browser.enter(server, "/jobs");
  await page.getByRole("button", { name: "Load sample jobs" }).click();
  const jobs = page.getByRole("table", { name: "Jobs" });
  await jobs
    .getByRole("img", { name: /succeeded/ })
    .first()
    .waitFor();
  expect(await jobs.getByRole("checkbox", { name: /^Choose (?!all)/ }).count()).toBe(8);

  await page.getByRole("button", { name: "Sample jobs" }).click();
  await page.getByRole("menuitem", { name: "Remove sample jobs" }).click();
  await page.getByRole("button", { name: "Load sample jobs" }).waitFor();
});
