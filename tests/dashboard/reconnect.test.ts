// The server goes away and comes back while somebody looks at the page.

import { expect, test } from "vitest";
import { useBrowser } from "../support/chromium.ts";
import { startDevServer } from "../support/dev-server.ts";

const browser = useBrowser();

test("held still, the page stops listening and says so; let go, it catches up", async () => {
  const server = await startDevServer();
  const target = { type: "http" as const, url: `${server.url}/dev/echo` };
  await server.client.jobs.create({ name: "held", schedule: null, target });
  const { page } = await browser.enter(server, "/jobs/held?tab=executions");
  const stopped = page.waitForEvent("requestfailed", (request) => request.url().includes("/events"));
  await page.getByRole("button", { name: "Live" }).click();
  await stopped;
  await server.client.executions.waitFor((await server.client.jobs.trigger("held")).id);
  await page.getByText(/^Paused: what is shown is from \d\d:\d\d/).waitFor();
  expect(await page.getByRole("main").getByRole("table").getByText("succeeded").count()).toBe(0);
  await page.getByRole("button", { name: "Paused" }).click();
  await page.getByRole("main").getByRole("table").getByText("succeeded").waitFor();
});

test("after kill -9 the page says since when it is not live, keeps what it shows, and catches up by itself", async () => {
  const server = await startDevServer();
  const target = { type: "http" as const, url: `${server.url}/dev/echo` };
  await server.client.jobs.create({ name: "survivor", schedule: null, target });
  await server.client.executions.waitFor((await server.client.jobs.trigger("survivor")).id);
  const { page } = await browser.enter(server, "/jobs/survivor?tab=executions");
  const rows = page.getByRole("main").getByRole("table").getByText("succeeded");
  await expect.poll(() => rows.count(), { timeout: 30_000 }).toBe(1);
  await page.getByRole("button", { name: "Live" }).waitFor();

  await server.kill9();
  await page.getByRole("button", { name: "Reconnecting" }).waitFor();
  await page.getByText(/^No connection to the server since \d\d:\d\d/).waitFor();
  expect(await rows.count()).toBe(1);

  await server.startAgain();
  await server.client.executions.waitFor((await server.client.jobs.trigger("survivor")).id);
  await page.getByRole("button", { name: "Live" }).waitFor();
  await expect.poll(() => rows.count(), { timeout: 30_000 }).toBe(2);
  expect(await page.getByText(/^No connection to the server/).count()).toBe(0);
});
