// Very much at once, while somebody reads the list.

import { expect, test } from "vitest";
import { useBrowser } from "../support/chromium.ts";
import { useDevServer } from "../support/dev-server.ts";

const EXECUTIONS = 2_000;
const BATCH = 1_000;

const browser = useBrowser();
const server = useDevServer();

test("two thousand executions at once neither move the rows that are read nor make the page ask without end", async () => {
  const { client, url } = server();
  await client.jobs.create({ name: "steady", schedule: null, target: { type: "http", url: `${url}/dev/echo` } });
  await client.triggers.create(Array.from({ length: 40 }, () => ({ job: "steady" })));
  await expect.poll(async () => (await client.executions.counts()).succeeded, { timeout: 60_000 }).toBe(40);
  const { page } = await browser.enter(server(), "/executions");
  const third = page.getByRole("checkbox", { name: /^Choose steady/ }).nth(2);
  await third.hover();
  const before = { name: await third.getAttribute("aria-label"), box: await third.boundingBox() };
  let asked = 0;
  page.on("request", (request) => {
    if (request.url().includes("/api/")) asked += 1;
  });
  const began = Date.now();
  for (let at = 0; at < EXECUTIONS; at += BATCH)
    await client.triggers.create(Array.from({ length: BATCH }, () => ({ job: "steady" })));
  await page.getByRole("button", { name: /new$/ }).waitFor();
  const done = async () => (await client.executions.counts()).succeeded === 40 + EXECUTIONS;
  await expect.poll(done, { timeout: 120_000, interval: 500 }).toBe(true);
  const seconds = (Date.now() - began) / 1_000;

  expect({ name: await third.getAttribute("aria-label"), box: await third.boundingBox() }).toEqual(before);
  expect(asked / seconds).toBeLessThan(6);
  await page.getByRole("button", { name: /new$/ }).click();
  await expect.poll(() => third.getAttribute("aria-label")).not.toBe(before.name);
});
