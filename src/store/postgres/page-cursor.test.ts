import { expect, test } from "vitest";
import { cursorId, decodeCursor, encodeCursor } from "./page-cursor.ts";

const ID = "0198a000-0000-7000-8000-000000000001";

test("a cursor comes back as it was given out, to the list that gave it", () => {
  const cursor = encodeCursor("-name", [ID, "a name", null]);
  expect(cursor).toMatch(/^[A-Za-z0-9_-]+$/);
  expect(decodeCursor("-name", cursor)).toEqual([ID, "a name", null]);
  expect(() => decodeCursor("name", cursor)).toThrow(/was not given out by this list/);
});

test("made-up cursors are refused before the database sees them", () => {
  for (const made of ["", "x", "e30", "WzFd", Buffer.from('["desc",{}]').toString("base64url")])
    expect(() => decodeCursor("desc", made)).toThrow(/cursor/);
  for (const part of [undefined, null, 7, "", "' or 1=1"]) expect(() => cursorId(part, "c")).toThrow(/cursor/);
  expect(cursorId(ID, "c")).toBe(ID);
});
