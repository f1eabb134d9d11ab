import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { contextsFile, deleteContext, readContexts, saveContext, useContext } from "./contexts.ts";

function contextsIn(): string {
  const folder = mkdtempSync(join(tmpdir(), "punctual-contexts-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return contextsFile({ XDG_CONFIG_HOME: folder });
}

const LOCAL = { url: "http://127.0.0.1:7420", apiKey: "k" };

test("the first context becomes the current one, in a file only its owner may read", () => {
  const path = contextsIn();
  saveContext("local", LOCAL, path);
  expect(JSON.parse(readFileSync(path, "utf8"))).toEqual({ current: "local", contexts: { local: LOCAL } });
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test("other contexts and the choice among them stay", () => {
  const path = contextsIn();
  saveContext("production", { url: "https://p", apiKey: "p" }, path);
  saveContext("local", { ...LOCAL, url: "old" }, path);
  saveContext("local", LOCAL, path);
  expect(JSON.parse(readFileSync(path, "utf8"))).toEqual({
    current: "production",
    contexts: { production: { url: "https://p", apiKey: "p" }, local: LOCAL },
  });
});

test.each(["{", "[]", '"text"'])("a file that holds %s is left alone", (text) => {
  const path = contextsIn();
  saveContext("local", LOCAL, path);
  writeFileSync(path, text);
  expect(() => saveContext("local", LOCAL, path)).toThrow();
  expect(readFileSync(path, "utf8")).toBe(text);
});

test("a context can be chosen and forgotten; the current one leaves no other in its place", () => {
  const path = contextsIn();
  saveContext("local", LOCAL, path);
  saveContext("production", { url: "https://p", apiKey: "p" }, path);
  expect(useContext("production", path)).toBe(true);
  expect(readContexts(path).current).toBe("production");
  expect(deleteContext("production", path)).toBe(true);
  expect(readContexts(path)).toEqual({ current: "", contexts: { local: LOCAL } });
  expect(useContext("production", path)).toBe(false);
  expect(deleteContext("production", path)).toBe(false);
});
