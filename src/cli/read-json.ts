import { readFileSync } from "node:fs";
import { text as readAll } from "node:stream/consumers";
import type { Json } from "../contract/json.ts";
import { UsageError } from "./usage-error.ts";

/** JSON as an argument: written out, `@file`, or `-` for standard input. */
export async function readJson(flag: string, text: string): Promise<Json> {
  const written =
    text === "-" ? await readAll(process.stdin) : text.startsWith("@") ? readFile(flag, text.slice(1)) : text;
  try {
    return JSON.parse(written) as Json;
  } catch (error) {
    throw new UsageError(`${flag} is not JSON: ${(error as Error).message}. Texts need quotes: ${flag} '"text"'`);
  }
}

export function readFile(flag: string, path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    throw new UsageError(`${flag}: ${code === "ENOENT" ? `there is no file ${path}` : (error as Error).message}`);
  }
}
