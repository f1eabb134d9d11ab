import { randomBytes } from "node:crypto";
import { describe, expect, test } from "vitest";
import { KeyRing } from "./keyring.ts";

const oldKey = randomBytes(32);
const newKey = randomBytes(32);

describe("a key ring", () => {
  test("opens what it sealed, whatever the text", () => {
    const ring = new KeyRing([newKey]);
    for (const text of ["", "hunter2", "ключ 🔑", "x".repeat(100_000)])
      expect(ring.open(ring.seal(text, "p/A"), "p/A")).toBe(text);
  });

  test("seals the same text differently each time, and never readably", () => {
    const ring = new KeyRing([newKey]);
    const first = ring.seal("hunter2", "p/A").sealed;
    expect(ring.seal("hunter2", "p/A").sealed.equals(first)).toBe(false);
    expect(first.includes("hunter2")).toBe(false);
  });

  test("seals with the first key and opens with all, so that keys can be replaced", () => {
    const before = new KeyRing([oldKey]).seal("hunter2", "p/A");
    const ring = new KeyRing([newKey, oldKey]);
    expect(ring.open(before, "p/A")).toBe("hunter2");
    expect(ring.seal("hunter2", "p/A").keyId).toBe(ring.keyId);
    expect(ring.keyId).toBe(new KeyRing([newKey]).keyId);
    expect(ring.keyId).not.toBe(before.keyId);
  });

  test("says which key is missing, without showing any", () => {
    const sealed = new KeyRing([oldKey]).seal("hunter2", "p/A");
    const open = () => new KeyRing([newKey]).open(sealed, "p/A");
    expect(open).toThrow(`sealed with the encryption key ${sealed.keyId}, which is not in PUNCTUAL_ENCRYPTION_KEYS`);
    expect(open).not.toThrow(newKey.toString("base64"));
  });

  test("does not open a value in another place, or with any single byte changed", () => {
    const ring = new KeyRing([newKey]);
    const { keyId, sealed } = ring.seal("hunter2", "p/A");
    expect(() => ring.open({ keyId, sealed }, "p/B")).toThrow("was changed or belongs to another place");
    for (let at = 0; at < sealed.length; at++) {
      const changed = Buffer.from(sealed);
      changed[at]! ^= 1;
      expect(() => ring.open({ keyId, sealed: changed }, "p/A")).toThrow(/was changed|is damaged/);
    }
    for (let length = 0; length < sealed.length; length++)
      expect(() => ring.open({ keyId, sealed: sealed.subarray(0, length) }, "p/A")).toThrow(/was changed|is damaged/);
  });

  test("cannot be empty or have keys of another length", () => {
    expect(() => new KeyRing([])).toThrow("at least one key");
    expect(() => new KeyRing([newKey, randomBytes(16)])).toThrow("an encryption key has 16 bytes instead of 32");
  });
});
