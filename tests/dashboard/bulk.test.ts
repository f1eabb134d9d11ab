// One action on many things: how many they are is said before anything is done.

import { expect, test } from "vitest";
import { useBrowser } from "../support/chromium.ts";
import { useDevServer } from "../support/dev-server.ts";

const WAIT = { timeout: 30_000 };
/** More than a page of the list has. */
const MANY = 130;

const browser = useBrowser();
const server = useDevServer();

async function makeJobs(count: number, prefix: string, tag: string): Promise<void> {
  const { client, url } = server();
  const target = { type: "http" as const, url: `${url}/dev/echo?status=500` };
  const retry = { maxAttempts: 1 };
  const make = (at: number) =>
    client.jobs.create({ name: `${prefix}-${at}`, tags: [tag], schedule: { every: "1d" }, target, retry });
  await Promise.all(Array.from({ length: count }, (_, at) => make(at)));
}

test("thirty jobs are chosen by a filter, counted, paused, and no other is", async () => {
  await makeJobs(30, "nightly", "night");
  await makeJobs(3, "daily", "day");
  const { page } = await browser.enter(server(), "/jobs?tag=night");
  await page.getByRole("checkbox", { name: "Choose all rows that are loaded" }).check();
  const bar = page.getByRole("region", { name: "Chosen jobs" });
  await bar.getByText("30 chosen").waitFor();
  await bar.getByRole("button", { name: "Pause" }).click();
  const dialog = page.getByRole("dialog", { name: "Pause jobs" });
  await dialog.getByText("30 jobs will be paused.").waitFor();
  expect(await server().client.jobs.counts({ tag: ["night"] })).toMatchObject({ active: 30, paused: 0 });
  await dialog.getByLabel("Reason").fill("the database moves");
  await dialog.getByRole("button", { name: "Pause 30 jobs" }).click();
  await page.getByText("30 jobs paused").waitFor();
  expect(await server().client.jobs.counts({ tag: ["night"] })).toMatchObject({ active: 0, paused: 30 });
  expect(await server().client.jobs.counts({ tag: ["day"] })).toMatchObject({ active: 3, paused: 0 });
});

test("all that match are chosen, also those further down that are not loaded, and deleted after the number is typed", async () => {
  await makeJobs(MANY, "surplus", "surplus");
  const { page } = await browser.enter(server(), "/jobs?tag=surplus");
  await page.getByRole("checkbox", { name: "Choose all rows that are loaded" }).check();
  const bar = page.getByRole("region", { name: "Chosen jobs" });
  await bar.getByRole("button", { name: `Choose all ${MANY} that match` }).click();
  await bar.getByText(`All ${MANY} that match are chosen`).waitFor();
  await bar.getByRole("button", { name: "Delete" }).click();
  const dialog = page.getByRole("dialog", { name: "Delete jobs" });
  const agree = dialog.getByRole("button", { name: `Delete ${MANY} jobs` });
  expect(await agree.isEnabled()).toBe(false);
  await dialog.getByLabel(`Type ${MANY} to agree`).fill(String(MANY));
  await agree.click();
  await page.getByText(`${MANY} jobs deleted`).waitFor();
  expect(await server().client.jobs.counts({ tag: ["surplus"] })).toMatchObject({ active: 0, deleted: MANY });
});

test("if their number changed meanwhile nothing is done, and the new number is shown", async () => {
  const { client } = server();
  await makeJobs(3, "shrinking", "few");
  const { page } = await browser.enter(server(), "/jobs?tag=few");
  await page.getByRole("checkbox", { name: "Choose all rows that are loaded" }).check();
  await page.getByRole("region", { name: "Chosen jobs" }).getByRole("button", { name: "Pause" }).click();
  const dialog = page.getByRole("dialog", { name: "Pause jobs" });
  await dialog.getByText("3 jobs will be paused.").waitFor();
  await client.jobs.delete("shrinking-1");
  await dialog.getByRole("button", { name: "Pause 3 jobs" }).click();
  await dialog.getByText("Meanwhile the number changed, and nothing was done.").waitFor();
  expect(await client.jobs.counts({ tag: ["few"] })).toMatchObject({ active: 2, paused: 0 });
  await dialog.getByRole("button", { name: "Pause 2 jobs" }).click();
  await page.getByText("2 jobs paused").waitFor();
});

test("executions that failed are chosen one by one and run again", async () => {
  const { client } = server();
  await makeJobs(1, "bounces", "post");
  for (let at = 0; at < 3; at += 1) await client.executions.waitFor((await client.jobs.trigger("bounces-0")).id);
  const { page } = await browser.enter(server(), "/executions?job=bounces-0&state=failed");
  const boxes = page.getByRole("checkbox", { name: /^Choose bounces-0/ });
  await expect.poll(() => boxes.count(), WAIT).toBe(3);
  await boxes.nth(0).check();
  await boxes.nth(2).check();
  const bar = page.getByRole("region", { name: "Chosen executions" });
  await bar.getByText("2 chosen").waitFor();
  await bar.getByRole("button", { name: "Retry" }).click();
  const dialog = page.getByRole("dialog", { name: "Run again" });
  await dialog.getByText(/^2 executions will run again/).waitFor();
  await dialog.getByRole("button", { name: "Retry 2" }).click();
  await page.getByText("2 executions will run again", { exact: true }).waitFor();
  await expect.poll(async () => (await client.executions.list({ trigger: ["retry"] })).items.length, WAIT).toBe(2);
});
