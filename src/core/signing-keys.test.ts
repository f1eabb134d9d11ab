import { describe, expect, test } from "vitest";
import {
  nextVersion,
  SIGNATURES_MAX,
  type SigningKeyVersion,
  whyNotDeleted,
  whyNotMade,
  whyNotRotated,
} from "./signing-keys.ts";

const END = new Date("2026-12-01T00:00:00Z");

function key(name: string, given: Partial<SigningKeyVersion> = {}): SigningKeyVersion {
  const version = given.version ?? 1;
  return { id: `${name}-${version}`, name, version, use: "project", state: "active", expiresAt: null, ...given };
}

describe("a new key", () => {
  test("is refused under a name that any version has, also one that is over", () => {
    const over = key("main", { version: 2, state: "expired", expiresAt: END });
    expect(whyNotMade([over], { name: "main", use: "named" })).toBe("name_taken");
    expect(whyNotMade([over], { name: "other", use: "project" })).toBeNull();
  });

  test("is refused when as many sign as a call has signatures; those that are over and those of single jobs do not count", () => {
    const full = Array.from({ length: SIGNATURES_MAX }, (_, i) => key(`k${i}`));
    expect(whyNotMade(full, { name: "one-more", use: "project" })).toBe("too_many");
    expect(whyNotMade(full, { name: "one-more", use: "named" })).toBeNull();
    expect(
      whyNotMade([...full.slice(1), key("a", { use: "named" }), key("b", { state: "expired", expiresAt: END })], {
        name: "one-more",
        use: "project",
      }),
    ).toBeNull();
  });
});

describe("a rotation", () => {
  test("takes the newest version and no other", () => {
    const keys = [key("main", { version: 2 }), key("main", { expiresAt: END })];
    expect(whyNotRotated(keys, keys[0]!)).toBeNull();
    expect(whyNotRotated(keys, keys[1]!)).toBe("over");
    expect(nextVersion(keys, "main")).toBe(3);
    expect(nextVersion(keys, "other")).toBe(1);
  });

  test("is refused when a receiver would lose the only signature it knows", () => {
    const versions = Array.from({ length: SIGNATURES_MAX }, (_, i) =>
      key("billing", { use: "named", version: i + 1, expiresAt: i === SIGNATURES_MAX - 1 ? null : END }),
    );
    expect(whyNotRotated(versions, versions.at(-1)!)).toBe("too_many");
    expect(whyNotRotated(versions.slice(1), versions.at(-1)!)).toBeNull();
  });
});

describe("a deletion", () => {
  test("never leaves calls unsigned: neither those of jobs that name the key, nor those of all others", () => {
    const [main, billing] = [key("main"), key("billing", { use: "named" })];
    expect(whyNotDeleted([main, billing], main, { isNamed: false })).toBe("last");
    expect(whyNotDeleted([main, billing, key("other")], main, { isNamed: false })).toBeNull();
    expect(whyNotDeleted([main, billing, key("other")], main, { isNamed: true })).toBe("named");
    expect(whyNotDeleted([main, billing], billing, { isNamed: true })).toBe("named");
    expect(whyNotDeleted([main, billing], billing, { isNamed: false })).toBeNull();
  });

  test("of the successor is refused too, because what it replaced is about to end", () => {
    const [old, next] = [key("main", { expiresAt: END }), key("main", { version: 2 })];
    expect(whyNotDeleted([old, next], next, { isNamed: false })).toBe("last");
    expect(whyNotDeleted([old, next], old, { isNamed: true })).toBeNull();
  });
});
