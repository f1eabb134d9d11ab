import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import chromium, { inflate } from "@sparticuz/chromium";
import { type Browser, chromium as driver } from "playwright-core";

/** Its own arguments switch off the policies that a page is to be tried under; these are all that it needs. */
const ARGS = ["--no-sandbox", "--disable-background-networking", "--disable-component-update", "--disable-sync"];

/** A Chromium that npm brought along, with the libraries that a desktop has and a server may not: nothing has to be installed. */
export async function launchBrowser(): Promise<Browser> {
  const executablePath = await chromium.executablePath();
  const packed = dirname(createRequire(import.meta.url).resolve("@sparticuz/chromium"));
  const libraries = await inflate(join(packed, "../../bin/al2023.tar.br"));
  const env = { ...process.env, LD_LIBRARY_PATH: join(libraries, "lib") } as Record<string, string>;
  return await driver.launch({ executablePath, args: ARGS, headless: true, env });
}
