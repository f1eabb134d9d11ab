// Unpacks the browser before any test asks for it: two processes that unpack it at once would find each other's half of it.

import { rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { launchBrowser } from "../../scripts/screenshots/browser.ts";

export async function setup(): Promise<void> {
  try {
    await tryBrowser();
  } catch {
    // A run that was killed while unpacking left half of it; the package takes what is there for the whole.
    for (const name of ["chromium", "al2023"]) rmSync(join(tmpdir(), name), { recursive: true, force: true });
    await tryBrowser();
  }
}

async function tryBrowser(): Promise<void> {
  const browser = await launchBrowser();
  await browser.close();
}
