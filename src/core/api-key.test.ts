import fc from "fast-check";
import { expect, test } from "vitest";
import { formatApiKey, hashSecret, makeApiKey, matchesHash, parseApiKey } from "./api-key.ts";

const CHARACTERS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

function letters(length: number) {
  const letter = fc.constantFrom(...CHARACTERS);
  return fc.array(letter, { minLength: length, maxLength: length }).map((chosen) => chosen.join(""));
}

test("a key has a prefix that scanners find, an id that may be shown and a secret", () => {
  const key = makeApiKey();
  expect(key).toMatch(/^punctual_[0-9A-Za-z]{12}_[0-9A-Za-z]{49}$/);
  const { id, secret } = parseApiKey(key)!;
  expect(key.startsWith(`punctual_${id}_${secret}`)).toBe(true);
  expect(secret).toHaveLength(43);
});

test("no two keys are alike, and every character comes up", () => {
  const keys = Array.from({ length: 500 }, makeApiKey);
  expect(new Set(keys.map((key) => parseApiKey(key)!.id)).size).toBe(500);
  const used = new Set(keys.flatMap((key) => [...parseApiKey(key)!.secret]));
  expect([...used].toSorted().join("")).toBe(CHARACTERS);
});

test("any key is read back as it was put together", () => {
  fc.assert(
    fc.property(letters(12), letters(43), (id, secret) => {
      expect(parseApiKey(formatApiKey({ id, secret }))).toEqual({ id, secret });
    }),
  );
});

test("one changed, lost, added or swapped character is noticed", () => {
  const key = makeApiKey();
  for (let i = "punctual_".length; i < key.length; i++) {
    const other = key[i] === "x" ? "y" : "x";
    expect(parseApiKey(key.slice(0, i) + other + key.slice(i + 1))).toBeNull();
    expect(parseApiKey(key.slice(0, i) + key.slice(i + 1))).toBeNull();
    expect(parseApiKey(key.slice(0, i) + other + key.slice(i))).toBeNull();
    const [a, b] = [key[i], key[i + 1]];
    if (b !== undefined && a !== b) expect(parseApiKey(key.slice(0, i) + b + a + key.slice(i + 2))).toBeNull();
  }
});

test("whatever is not a key is not taken for one, and does no harm", () => {
  const key = makeApiKey();
  for (const text of ["", "punctual_", "punctual__", ` ${key}`, `${key}\n`, key.toLowerCase(), key.repeat(2)])
    expect(parseApiKey(text)).toBeNull();
  fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => parseApiKey(text) === null));
  fc.assert(fc.property(letters(12), letters(49), (id, rest) => parseApiKey(`punctual_${id}_${rest}`) === null));
});

test("only the very secret fits its hash, and the hash does not show it", () => {
  const { secret } = parseApiKey(makeApiKey())!;
  const hash = hashSecret(secret);
  expect(hash).toHaveLength(32);
  expect(matchesHash(secret, hash)).toBe(true);
  expect(matchesHash(parseApiKey(makeApiKey())!.secret, hash)).toBe(false);
  expect(matchesHash(secret, hash.subarray(1))).toBe(false);
  expect(hash.includes(secret)).toBe(false);
});
