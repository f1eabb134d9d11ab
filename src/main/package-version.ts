import { readFileSync } from "node:fs";

/** As the package says; the file stands two folders up, from the source and from what is built of it. */
export function packageVersion(): string {
  const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  return (JSON.parse(text) as { version: string }).version;
}
