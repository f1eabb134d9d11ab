import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { jsonProblem, problemText } from "./json-problem.ts";

describe("what is wrong with a text that should be JSON", () => {
  test.each([
    ["", "Line 1, column 1: a value is missing."],
    ['{\n  "a": 1\n  "b": 2\n}', "Line 3, column 3: a comma or } is missing."],
    ['{"a": 1,}', "Line 1, column 8: there is a comma before the }."],
    ["[1, 2", "Line 1, column 1: this [ is never closed."],
    ["{a: 1}", "Line 1, column 2: the name of a field is missing; it stands in double quotes."],
    ["{'a': 1}", "Line 1, column 2: the name of a field is missing; it stands in double quotes."],
    ['{"a" 1}', "Line 1, column 6: a colon is missing after the name of the field."],
    ['{"a": pdf}', "Line 1, column 7: “pdf” is no value; text stands in double quotes."],
    ["['a']", "Line 1, column 2: text stands in double quotes, not in single ones."],
    ['"a\nb"', "Line 1, column 1: this text is not closed on its line; a line break in a text is written \\n."],
    ['"C:\\path"', "Line 1, column 4: a backslash in a text is written twice."],
    ["[-]", "Line 1, column 2: a digit is missing."],
    ["[01]", "Line 1, column 3: this is not how a number goes on."],
    ["{} {}", "Line 1, column 4: there is something after the end of the value."],
  ])("%j is told in words, with its place", (text, told) => {
    expect(problemText(jsonProblem(text)!)).toBe(told);
  });

  test("nothing is wrong with JSON, whatever it holds", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(jsonProblem(JSON.stringify(value, null, 2))).toBeNull();
      }),
    );
  });

  test("with one character changed anywhere it is wrong exactly when the browser’s parser refuses it", () => {
    const changed = fc
      .tuple(fc.json(), fc.nat(), fc.constantFrom(...'{}[]",:0x\\\n e-.'))
      .map(([text, seed, letter]) => ({ text, at: seed % (text.length + 1), letter }));
    fc.assert(
      fc.property(changed, ({ text, at, letter }) => {
        const broken = text.slice(0, at) + letter + text.slice(at + 1);
        const problem = jsonProblem(broken);
        expect(problem === null).toBe(parses(broken));
        if (problem !== null) expect(problem.message).not.toContain("nested");
      }),
      { numRuns: 2_000 },
    );
  });
});

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
