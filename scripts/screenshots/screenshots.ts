// The pictures of the manual, made from the demo data: `npm run screenshots` starts a server of its own, lays out jobs with a
// past, and takes each page. Run it when a page changes; what it writes is part of the change.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright-core";
import { PunctualClient } from "../../src/client/index.ts";
import { startEmbedded } from "../../src/store/embedded/embedded.ts";
import { launchBrowser } from "./browser.ts";
import { layDemoData } from "./demo-data.ts";

const OUT = fileURLToPath(new URL("../../docs/screenshots/", import.meta.url));
const PROGRAM = fileURLToPath(new URL("../../bin/punctual", import.meta.url));
const WIDE = { width: 1440, height: 900 };
const NARROW = { width: 390, height: 844 };
/** So that some jobs have run, failed and been retried before the eyes of the page. */
const LIFE_MS = 50_000;

interface Shot {
  name: string;
  path: string;
  theme: "light" | "dark";
  narrow?: boolean;
}

const folder = mkdtempSync(join(tmpdir(), "punctual-screenshots-"));
// Where root starts it, the database has a user of its own, who has to get in.
chmodSync(folder, 0o755);
const database = await startEmbedded({ dataDir: join(folder, "database") });
const dev = spawn(process.execPath, [PROGRAM, "dev", "--port", "0", "--data-dir", join(folder, "data")], {
  cwd: folder,
  env: { PATH: process.env.PATH, HOME: folder, PUNCTUAL_DATABASE_URL: database.url },
  stdio: ["ignore", "pipe", "inherit"],
});
let browser: Browser | null = null;
try {
  const { url, link, apiKey } = await started(dev);
  const jobs = await layDemoData({ url, apiKey, databaseUrl: database.url });
  await new PunctualClient({ url, key: apiKey }).jobs.pause("spring-campaign", {
    reason: "until legal has looked at it",
  });
  await sleep(LIFE_MS);
  mkdirSync(OUT, { recursive: true });
  browser = await launchBrowser();
  await takeAll(browser, { url, link }, await shots(new PunctualClient({ url, key: apiKey }), jobs.length));
} finally {
  await browser?.close();
  const ended = once(dev, "close");
  dev.kill("SIGTERM");
  await ended;
  await database.stop();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}

async function shots(client: PunctualClient, jobs: number): Promise<Shot[]> {
  const failed = await client.executions.list({ state: ["failed"], limit: 1 });
  const flaky = await client.jobs.executions("flaky-import", { state: ["succeeded"], limit: 1 });
  const execution = flaky.items[0] ?? failed.items[0];
  if (jobs === 0 || execution === undefined) throw new Error("there is nothing to show");
  return [
    { name: "overview", path: "/?window=24h", theme: "light" },
    { name: "overview-dark", path: "/?window=24h", theme: "dark" },
    { name: "jobs", path: "/jobs?sort=name", theme: "light" },
    { name: "job", path: "/jobs/charge-subscriptions", theme: "light" },
    { name: "new-job", path: "/jobs/nightly-report/edit", theme: "light" },
    { name: "executions", path: "/executions", theme: "dark" },
    { name: "execution", path: `/executions/${execution.id}`, theme: "light" },
    { name: "timeline", path: "/timeline", theme: "light" },
    { name: "timeline-dark", path: "/timeline", theme: "dark" },
    { name: "dead-letters", path: "/dead-letters", theme: "light" },
    { name: "phone-overview", path: "/?window=24h", theme: "light", narrow: true },
    { name: "phone-jobs", path: "/jobs?sort=name", theme: "dark", narrow: true },
  ];
}

async function takeAll(browser: Browser, { url, link }: { url: string; link: string }, all: Shot[]): Promise<void> {
  const entry = await browser.newContext();
  const page = await entry.newPage();
  await page.goto(link);
  await page.getByRole("navigation").first().waitFor();
  const storageState = await entry.storageState();
  await entry.close();
  for (const { name, path, theme, narrow } of all) {
    const context = await browser.newContext({
      storageState,
      locale: "en-GB",
      timezoneId: "Europe/Berlin",
      colorScheme: theme,
      viewport: narrow ? NARROW : WIDE,
      deviceScaleFactor: narrow ? 2 : 1,
    });
    const shot = await context.newPage();
    await shot.goto(`${url}${path}`);
    await shot.getByText("Live", { exact: true }).waitFor();
    await settled(shot);
    await shot.screenshot({ path: join(OUT, `${name}.png`) });
    await context.close();
    process.stdout.write(`${name}.png\n`);
  }
}

/** Nothing is being loaded any more, and the charts are drawn. */
async function settled(page: Page): Promise<void> {
  await page.getByRole("heading", { level: 1 }).first().waitFor();
  while ((await page.getByRole("status", { name: "Loading" }).count()) > 0) await sleep(50);
  await sleep(1_500);
}

async function started(child: ChildProcess) {
  let text = "";
  const fact = (name: string) => new RegExp(`^  ${name} +(\\S+)$`, "m").exec(text)?.[1];
  for await (const chunk of child.stdout!) {
    text += String(chunk);
    const [url, link, apiKey] = [fact("Address"), fact("Sign in"), fact("API key")];
    if (url && link && apiKey) return { url, link, apiKey };
  }
  throw new Error(`dev did not start:\n${text}`);
}
