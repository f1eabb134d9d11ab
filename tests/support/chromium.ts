// A real browser, and what it complains about. One Chromium for each file of tests, a fresh profile for each visit.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { AxeResults } from "axe-core";
import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, expect, onTestFinished } from "vitest";
import { launchBrowser } from "../../scripts/screenshots/browser.ts";
import type { DevServer } from "./dev-server.ts";

export const WIDE = { width: 1440, height: 900 };
export const NARROW = { width: 390, height: 844 };

export interface Browsing {
  /** Somebody whom nobody knows yet. */
  visit(options?: BrowserContextOptions): Promise<Visit>;
  /** Whoever started the server, signed in, at one of its pages. */
  enter(server: DevServer, path: string, options?: BrowserContextOptions): Promise<Visit>;
}

/** Starts the browser before the tests of a file and ends it after them. */
export function useBrowser(): Browsing {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(async () => await browser?.close());
  const visit: Browsing["visit"] = async (options = {}) => {
    const context = await browser.newContext({ viewport: WIDE, ...options });
    onTestFinished(async () => await context.close());
    return await openVisit(context);
  };
  return {
    visit,
    enter: async (server, path, options = {}) => {
      const entered = await visit({ ...options, storageState: await storageStateOf(browser, server) });
      await entered.page.goto(`${server.url}${path}`);
      return entered;
    },
  };
}

type StorageState = Exclude<BrowserContextOptions["storageState"], string | undefined>;
const storageStates = new WeakMap<DevServer, StorageState>();

/** The link of a server works once: who came in by it is remembered. */
async function storageStateOf(browser: Browser, server: DevServer): Promise<StorageState> {
  const known = storageStates.get(server);
  if (known !== undefined) return known;
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(server.link);
  await page.getByRole("button", { name: /^Account of/ }).waitFor();
  const state = await context.storageState();
  await context.close();
  storageStates.set(server, state);
  return state;
}

/** One tab, and everything that went wrong in it. */
export interface Visit {
  page: Page;
  context: BrowserContext;
  /** What the console and the policy complained about since it was last asked. */
  complaints(): string[];
}

async function openVisit(context: BrowserContext): Promise<Visit> {
  const page = await context.newPage();
  page.setDefaultTimeout(30_000);
  let heard: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") heard.push(`${message.type()}: ${message.text()}`);
  });
  page.on("pageerror", (error) => heard.push(`thrown: ${error.message}`));
  await page.exposeFunction("__refusedByPolicy", (what: string) => heard.push(`policy: ${what}`));
  await page.addInitScript(`document.addEventListener("securitypolicyviolation", (event) =>
    __refusedByPolicy([event.violatedDirective, event.blockedURI, event.sourceFile].join(" ")))`);
  return {
    page,
    context,
    complaints: () => {
      const told = heard;
      heard = [];
      return told;
    },
  };
}

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];

/** What axe finds wrong with the page as it is now. */
export async function accessProblems(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  const { violations } = (await page.evaluate(
    `axe.run(document, { runOnly: { type: "tag", values: ${JSON.stringify(RULES)} }, resultTypes: ["violations"] })`,
  )) as AxeResults;
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, any, all, none }) => {
      const reason = [...any, ...all, ...none].map(({ message }) => message).join("; ");
      return `${id}: ${reason}: ${html.slice(0, 300)}`;
    }),
  );
}

/** There is a page, and nothing of it is being loaded any more. */
export async function settled(page: Page): Promise<void> {
  await page.getByRole("heading", { level: 1 }).first().waitFor();
  await expect.poll(() => page.getByRole("status", { name: "Loading" }).count(), { timeout: 30_000 }).toBe(0);
}

/** How far the page reaches beyond the right edge of the window. */
async function overflowPx(page: Page): Promise<number> {
  return await page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth");
}

/** Nothing in the console, nothing refused by the policy, nothing beyond the edge. */
export async function expectAllWell({ page, complaints }: Visit, what: string): Promise<void> {
  expect({ what, complaints: complaints() }).toEqual({ what, complaints: [] });
  // A chart hears of another width of the window a moment after it, and is drawn anew.
  await expect.poll(async () => ({ what, overflowPx: await overflowPx(page) })).toEqual({ what, overflowPx: 0 });
}
