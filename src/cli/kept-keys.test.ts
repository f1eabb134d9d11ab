import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { keepKeys, keptEncryptionKey } from "./kept-keys.ts";

function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "punctual-keys-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

test("keys are made once and are the same after every restart", () => {
  const dataDir = join(emptyFolder(), "a", "b");
  const first = keepKeys(dataDir);
  expect(first.encryptionKey).toHaveLength(32);
  expect(keepKeys(dataDir)).toEqual(first);
  expect(keepKeys(join(emptyFolder(), "other")).apiKey).not.toBe(first.apiKey);
});

test("only their owner may read the keys and enter the folder", () => {
  const dataDir = join(emptyFolder(), "data");
  keepKeys(dataDir);
  expect(statSync(dataDir).mode & 0o777).toBe(0o700);
  for (const file of ["api-key", "encryption-key"]) expect(statSync(join(dataDir, file)).mode & 0o777).toBe(0o600);
});

test("whoever only looks makes no key where there is none", () => {
  const dataDir = emptyFolder();
  expect(keptEncryptionKey(dataDir)).toBe(null);
  expect(readdirSync(dataDir)).toEqual([]);
  const { encryptionKey } = keepKeys(dataDir);
  expect(keptEncryptionKey(dataDir)).toEqual(encryptionKey);
});

test("a damaged key file is named, not silently replaced: what it sealed would be lost", () => {
  const dataDir = emptyFolder();
  keepKeys(dataDir);
  const file = join(dataDir, "encryption-key");
  writeFileSync(file, "oops");
  expect(() => keepKeys(dataDir)).toThrow(`${file} does not hold the key`);
  expect(readFileSync(file, "utf8")).toBe("oops");
});
