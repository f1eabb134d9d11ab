import { expect, test } from "vitest";
import { PunctualError } from "../contract/errors.ts";
import { readJsonBody } from "./request-body.ts";

function refusal(bytes: string | Buffer): { code: string; path?: string | undefined } {
  try {
    readJsonBody(Buffer.from(bytes));
  } catch (error) {
    expect(error).toBeInstanceOf(PunctualError);
    return { code: (error as PunctualError).code, path: (error as PunctualError).details[0]?.path };
  }
  throw new Error("was accepted");
}

test("an empty body is an empty object", () => {
  expect(readJsonBody(Buffer.alloc(0))).toEqual({});
});

test("what is not JSON in UTF-8 is malformed", () => {
  for (const text of ["{", "nul", "{'a':1}", "\u0000", "[1,]"]) expect(refusal(text).code).toBe("malformed_json");
  expect(refusal(Buffer.from([0x22, 0xff, 0x22])).code).toBe("malformed_json");
});

test("what is malformed is not repeated: it may be nearly a secret", () => {
  for (const text of ["s3cret", '{"value":s3cret-and-more-of-it-than-is-shown}', '{"value":"it"s3cret"}'])
    expect(() => readJsonBody(Buffer.from(text))).toThrow(/^the body is not valid JSON: (?!.*s3cret)/);
});

test("depth, endless numbers and the key of prototypes are refused with their place", () => {
  expect(refusal("[".repeat(100_000) + "]".repeat(100_000)).code).toBe("validation_failed");
  expect(refusal('{"a":[{"b":1e999}]}')).toEqual({ code: "validation_failed", path: "a.0.b" });
  expect(refusal('{"a":{"__proto__":{}}}')).toEqual({ code: "validation_failed", path: "a.__proto__" });
  expect(refusal('{"a":{"\\u005f_proto__":{}}}').path).toBe("a.__proto__");
});

test("everything else comes as it was written", () => {
  const text = '{"constructor":{"prototype":1},"é":"\\ud83d\\ude00","n":[1,-0.5,true,null]}';
  expect(JSON.stringify(readJsonBody(Buffer.from(text)))).toBe(JSON.stringify(JSON.parse(text)));
});

test.each([
  ["a million levels", "[".repeat(1_000_000), "too_deep"],
  ["objects in lists in objects", '{"a":['.repeat(50), "too_deep"],
  ["a million members", `[${"0,".repeat(1_000_000)}0]`, "too_many"],
])("%s are refused before anything is parsed", (_, text, code) => {
  expect(() => readJsonBody(Buffer.from(text))).toThrow(
    expect.objectContaining({ details: [expect.objectContaining({ path: "body", code })] }),
  );
});

test("brackets, commas and quotes in a text are text", () => {
  const value = { text: `[{${"[".repeat(200)}\\","${",".repeat(300_000)}`, end: "\\" };
  expect(readJsonBody(Buffer.from(JSON.stringify(value)))).toEqual(value);
});
