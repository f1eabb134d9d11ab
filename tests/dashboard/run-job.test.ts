// What an operator does with a job and its executions, and what shows of it without anything being loaded again.

import { expect, test } from "vitest";
import { useBrowser } from "../support/chromium.ts";
import { useDevServer } from "../support/dev-server.ts";

const browser = useBrowser();
const server = useDevServer();

const echo = (query = "") => ({ type: "http" as const, url: `${server().url}/dev/echo${query}` });

test("a paused job says why and by whom, and goes on when it is resumed", async () => {
  await server().client.jobs.create({ name: "to-be-paused", schedule: { every: "1h" }, target: echo() });
  const { page } = await browser.enter(server(), "/jobs/to-be-paused");
  await page.getByRole("button", { name: "Pause", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: "Pause to-be-paused" });
  await dialog.getByLabel("Why").fill("INC-1234");
  await dialog.getByRole("button", { name: "Pause" }).click();
  await page.getByRole("heading", { name: "to-be-paused paused", level: 1 }).waitFor();
  await page.getByText(/^Paused by dev/).waitFor();
  await page.getByText("INC-1234").first().waitFor();
  expect(await server().client.jobs.get("to-be-paused")).toMatchObject({ pause: { reason: "INC-1234" } });
  await page.getByRole("button", { name: "Resume" }).first().click();
  await page.getByRole("heading", { name: "to-be-paused active", level: 1 }).waitFor();
});

test("a run with a payload of its own is followed from running to succeeded on the open page", async () => {
  await server().client.jobs.create({ name: "by-hand", schedule: null, target: echo("?delayMs=3000") });
  const { page } = await browser.enter(server(), "/jobs/by-hand");
  await page.getByRole("button", { name: "Run now" }).click();
  const dialog = page.getByRole("dialog", { name: "Run by-hand" });
  // Until the editor is loaded there is a plain field of the same name.
  const payload = dialog.getByRole("textbox", { name: "Payload" }).and(page.locator("[contenteditable]"));
  await payload.fill('{ "order": 4711 }');
  await dialog.getByRole("button", { name: "Run", exact: true }).click();
  await dialog.getByRole("link", { name: "Open the execution" }).click();
  await page.getByRole("heading", { name: "by-hand running", level: 1 }).waitFor();
  let loads = 0;
  page.on("load", () => {
    loads += 1;
  });
  await page.getByRole("heading", { name: "by-hand succeeded", level: 1 }).waitFor();
  await page.getByRole("region", { name: "payload", exact: true }).getByText("4711").waitFor();
  await page.getByRole("button", { name: /^Attempt 1 succeeded/ }).waitFor();
  expect(loads).toBe(0);
});

test("a slow run is cancelled, with the reason on record", async () => {
  await server().client.jobs.create({ name: "slow", schedule: null, target: echo("?delayMs=60000") });
  const { id } = await server().client.jobs.trigger("slow");
  const { page } = await browser.enter(server(), `/executions/${id}`);
  await page.getByRole("heading", { name: "slow running", level: 1 }).waitFor();
  await page.getByRole("button", { name: "Cancel", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: "Cancel this execution" });
  await dialog.getByLabel("Reason").fill("no longer needed");
  await dialog.getByRole("button", { name: "Cancel the execution" }).click();
  await page.getByRole("heading", { name: "slow cancelled", level: 1 }).waitFor();
  await page
    .getByText(/no longer needed/)
    .first()
    .waitFor();
});

test("an execution that failed is run again from its page, and the new one leads back to it", async () => {
  await server().client.jobs.create({
    name: "fails",
    schedule: null,
    target: echo("?status=500"),
    retry: { maxAttempts: 1 },
  });
  const { id } = await server().client.jobs.trigger("fails");
  await server().client.executions.waitFor(id);
  const { page } = await browser.enter(server(), `/executions/${id}`);
  await page.getByText("the target answered 500 Internal Server Error").first().waitFor();
  await page.getByRole("button", { name: "Run again" }).click();
  await page
    .getByRole("dialog")
    .getByRole("button", { name: /^(Run again|Retry)/ })
    .click();
  await expect.poll(() => page.url(), { timeout: 30_000 }).not.toContain(id);
  await page.getByRole("heading", { name: "fails failed", level: 1 }).waitFor();
  await page
    .getByRole("link")
    .and(page.locator(`[href*="${id}"]`))
    .first()
    .waitFor();
});
