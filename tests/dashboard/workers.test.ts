// Who does the work: what jobs want, who offers it, and what the nodes stand on.

import { expect, onTestFinished, test } from "vitest";
import { Worker } from "../../src/client/index.ts";
import { accessProblems, expectAllWell, NARROW, useBrowser, type Visit, WIDE } from "../support/chromium.ts";
import { type DevServer, startDevServer } from "../support/dev-server.ts";

const browser = useBrowser();

async function onWorkers(server: DevServer): Promise<Visit> {
  const visit = await browser.visit();
  await visit.page.goto(server.link);
  await visit.page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "Workers and nodes" }).click();
  await visit.page.getByRole("heading", { name: "Nodes", exact: true }).waitFor();
  return visit;
}

test("where there is no worker the page teaches how to start one", async () => {
  const server = await startDevServer();
  const { page } = await onWorkers(server);
  await page.getByText("No worker is running.").waitFor();
  const code = await page.getByRole("region", { name: "a worker in TypeScript" }).textContent();
  expect(code).toContain(`url: "${server.url}"`);
  expect(await accessProblems(page)).toEqual([]);
});

test("a handler that nobody offers is named with what waits for it, until a worker comes; an operator drains it", async () => {
  const server = await startDevServer();
  const { client, url, apiKey } = server;
  await client.jobs.put("mail", { schedule: null, target: { type: "worker", handler: "send-mail" } });
  await client.jobs.trigger("mail");
  const visit = await onWorkers(server);
  const { page } = visit;
  await page.getByText("no worker has ever offered it: 1 execution waits for it.").waitFor();
  for (const viewport of [WIDE, NARROW]) {
    await page.setViewportSize(viewport);
    expect(await accessProblems(page)).toEqual([]);
    await expectAllWell(visit, `workers at ${viewport.width}`);
  }
  await page.setViewportSize(WIDE);

  const worker = new Worker({ url, key: apiKey, name: "mail-host" });
  worker.handle("send-mail", { concurrency: 3 }, async () => ({ sent: true }));
  await worker.start();
  onTestFinished(async () => await worker.stop());
  const row = page.getByRole("table", { name: "Workers" }).getByRole("row", { name: /mail-host/ });
  await row.getByText("ready").waitFor();
  await row.getByText("× 3", { exact: true }).waitFor();
  await page.getByRole("table", { name: "Handlers" }).getByText("served", { exact: true }).waitFor();
  await page.getByText("no worker has ever offered it").waitFor({ state: "detached" });

  await page.getByRole("button", { name: "Drain mail-host" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Drain" }).click();
  await page.getByText("mail-host takes nothing more.").waitFor();
  await worker.stopped;
});

test("nodes are told of one by one to instance admins, and counted for others", async () => {
  const server = await startDevServer();
  const admin = await onWorkers(server);
  await admin.page.getByRole("table", { name: "Nodes" }).getByText("alive").waitFor();
  const { link } = await server.client.members.add({ email: "ann@example.com", role: "viewer" });
  const { page } = await browser.visit();
  await page.goto(link!);
  await page.getByLabel("New password").fill("a long pass phrase");
  await page.getByLabel("The same again").fill("a long pass phrase");
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("link", { name: "Workers and nodes" }).click();
  await page.getByText("1 alive, 0 lost.").waitFor();
  await page.getByText("instance admins see each of them here").waitFor();
});
