import { expect, test } from "vitest";
import { readQuery } from "./request-query.ts";

test("names and values are decoded; a name given twice is a list", () => {
  expect({ ...readQuery("a=1&b=x%20y+z&c&=d&a=2&&e=%3D") }).toEqual({
    a: ["1", "2"],
    b: "x y z",
    c: "",
    "": "d",
    e: "=",
  });
  expect({ ...readQuery("") }).toEqual({});
});

test("no name reaches the prototype", () => {
  const query = readQuery("__proto__=1&constructor=2");
  expect(Object.getPrototypeOf(query)).toBeNull();
  expect(Object.keys(query)).toEqual(["__proto__", "constructor"]);
});

test("what is not UTF-8 is refused", () => {
  for (const text of ["a=%ff", "%", "%zz=1", "a=%ed%a0%80"])
    expect(() => readQuery(text)).toThrow(/percent-encoded UTF-8/);
});
