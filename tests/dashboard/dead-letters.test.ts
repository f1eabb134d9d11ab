// What failed for good waits until somebody decides.

import { expect, test } from "vitest";
import { useBrowser } from "../support/chromium.ts";
import { useDevServer } from "../support/dev-server.ts";

const WAIT = { timeout: 30_000 };

const browser = useBrowser();
const server = useDevServer();

/** A job that fails, and so many executions of it that have. */
async function failed(name: string, status: number, count: number): Promise<void> {
  const { client, url } = server();
  const target = { type: "http" as const, url: `${url}/dev/echo?status=${status}` };
  await client.jobs.create({ name, schedule: null, target, retry: { maxAttempts: 1 } });
  for (let at = 0; at < count; at += 1) {
    const { id } = await client.jobs.trigger(name);
    await client.executions.waitFor(id);
  }
}

test("a group of dead letters is counted before it is run again, and each of its letters then does", async () => {
  await failed("pays", 503, 2);
  const { page } = await browser.enter(server(), "/dead-letters");
  const group = page.getByRole("row").filter({ hasText: "pays" });
  await group.getByText("the target answered 503 Service Unavailable").waitFor();
  await server().client.jobs.patch("pays", { target: { type: "http", url: `${server().url}/dev/echo` } });
  await group.getByRole("button", { name: "Retry all of this group" }).click();
  const dialog = page.getByRole("dialog", { name: "Run again" });
  await dialog.getByText(/^2 dead letters will run again/).waitFor();
  await dialog.getByRole("button", { name: "Retry 2" }).click();
  await page.getByText("2 dead letters will run again", { exact: true }).waitFor();
  await group.waitFor({ state: "detached" });
  const { items } = await server().client.deadLetters.list({ status: "retried" });
  expect(items).toHaveLength(2);
  await page.goto(`${server().url}/executions?job=pays&state=succeeded`);
  await expect.poll(() => page.getByRole("checkbox", { name: /^Choose pays/ }).count(), WAIT).toBe(2);
});

test("a group that is discarded leaves the open ones, and is found among the discarded", async () => {
  await failed("mails", 502, 1);
  const { page } = await browser.enter(server(), "/dead-letters");
  const group = page.getByRole("row").filter({ hasText: "mails" });
  await group.getByRole("button", { name: "Discard all of this group" }).click();
  await page.getByRole("dialog", { name: "Discard" }).getByRole("button", { name: "Discard 1" }).click();
  await group.waitFor({ state: "detached" });
  await page.getByRole("link", { name: "Discarded" }).click();
  await page.getByRole("row").filter({ hasText: "mails" }).first().waitFor();
});
