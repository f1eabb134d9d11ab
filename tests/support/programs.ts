// Programs with the library in them, stopped when their test is over.

import { onTestFinished, vi } from "vitest";
import { Punctual, type PunctualOptions } from "../../src/library/index.ts";

export function makeProgram(url: string, options: Partial<PunctualOptions> = {}): Punctual {
  const program = new Punctual({ app: "shop", release: "1", database: url, ...options });
  onTestFinished(() => program.stop());
  return program;
}

/** Waits for something to become true; the limit is for a test that fails, not for one that passes. */
export async function until<T>(look: () => T | Promise<T>): Promise<NonNullable<T>> {
  return (await vi.waitUntil(look, { timeout: 20_000, interval: 10 })) as NonNullable<T>;
}
