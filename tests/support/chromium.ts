// A real browser, and what it complains about. One Chromium for each file of tests, a fresh profile for each visit.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { AxeResults } from "axe-core";
import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, expect, onTestFinished } from "vitest";
import { launchBrowser } from "../../scripts/screenshots/browser.ts";

export const WIDE = { width: 1440, height: 900 };
export const NARROW = { width: 390, height: 844 };

/** Starts the browser before the tests of a file and ends it after them. */
export function useBrowser(): { visit(options?: BrowserContextOptions): Promise<Visit> } {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(async () => await browser?.close());
  return {
    visit: async (options = {}) => {
      const context = await browser.newContext({ viewport: WIDE, ...options });
      onTestFinished(async () => await context.close());
      return await openVisit(context);
    },
  };
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
  return violations.flatMap(({ id, help, nodes }) => nodes.map(({ html }) => `${id}: ${help}: ${html.slice(0, 160)}`));
}

/** How far the page reaches beyond the right edge of the window. */
async function overflowPx(page: Page): Promise<number> {
  return await page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth");
}

/** Nothing in the console, nothing refused by the policy, nothing beyond the edge. */
export async function expectAllWell({ page, complaints }: Visit, what: string): Promise<void> {
  expect({ what, complaints: complaints() }).toEqual({ what, complaints: [] });
  expect({ what, overflowPx: await overflowPx(page) }).toEqual({ what, overflowPx: 0 });
}
