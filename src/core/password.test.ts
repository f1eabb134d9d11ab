import { expect, test } from "vitest";
import { Passwords, TooManyPasswords } from "./password.ts";

const LIGHT = { ln: 4, r: 8, p: 1 };

test("a password matches what was made of it, and nothing else does", async () => {
  const passwords = new Passwords(LIGHT);
  const kept = await passwords.hash("correct horse");
  expect(await passwords.matches("correct horse", kept)).toBe(true);
  for (const wrong of ["", "correct hors", "correct horse ", "Correct horse", kept])
    expect(await passwords.matches(wrong, kept), wrong).toBe(false);
});

test("two of the same are kept differently, and neither has the password in it", async () => {
  const passwords = new Passwords(LIGHT);
  const [one, two] = [await passwords.hash("correct horse"), await passwords.hash("correct horse")];
  expect(one).not.toBe(two);
  expect(one).toMatch(/^\$scrypt\$ln=4,r=8,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
});

test("one that was kept at another cost still matches", async () => {
  const kept = await new Passwords({ ln: 5, r: 4, p: 2 }).hash("correct horse");
  expect(await new Passwords(LIGHT).matches("correct horse", kept)).toBe(true);
});

test("without being told otherwise it costs what guessing should", async () => {
  expect(await new Passwords().hash("correct horse")).toMatch(/^\$scrypt\$ln=16,r=8,p=2\$/);
});

test("the same letters are the same password, however they were composed", async () => {
  const passwords = new Passwords(LIGHT);
  expect(await passwords.matches("cafe\u0301", await passwords.hash("caf\u00e9"))).toBe(true);
});

test("nobody has no password that matches, not even an empty one", async () => {
  const passwords = new Passwords(LIGHT);
  for (const guess of ["", "null", "$scrypt$"]) expect(await passwords.matches(guess, null)).toBe(false);
});

test("what was not kept by us is a mistake of the program, not a wrong password", async () => {
  for (const kept of ["", "plain text", "$2b$12$abc", "$scrypt$ln=4,r=8,p=1$short$short"])
    await expect(new Passwords(LIGHT).matches("x", kept)).rejects.toThrow("unknown form");
});

test("those who would wait behind too many are turned away, the others are served", async () => {
  const passwords = new Passwords(LIGHT);
  const outcomes = await Promise.allSettled(Array.from({ length: 60 }, () => passwords.hash("correct horse")));
  const refused = outcomes.filter((outcome) => outcome.status === "rejected");
  // Two at a time, and fifty who wait.
  expect(refused).toHaveLength(8);
  for (const { reason } of refused) expect(reason).toBeInstanceOf(TooManyPasswords);
  expect(await passwords.matches("correct horse", await passwords.hash("correct horse"))).toBe(true);
});
