import chromium from "@sparticuz/chromium";
import { type Browser, chromium as driver } from "playwright-core";

/** Its own arguments switch off the policies that a page is to be tried under; these are all that it needs. */
const ARGS = ["--no-sandbox", "--disable-background-networking", "--disable-component-update", "--disable-sync"];

/** A Chromium that npm brought along: nothing has to be installed. */
export async function launchBrowser(): Promise<Browser> {
  return await driver.launch({ executablePath: await chromium.executablePath(), args: ARGS, headless: true });
}
