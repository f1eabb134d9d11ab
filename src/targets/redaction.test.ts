import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Redaction } from "./redaction.ts";

describe("redaction", () => {
  test("puts the name in place of the value, wherever and however often it is", () => {
    const redaction = new Redaction([
      ["A", "s3cret"],
      ["B", "p@ss word"],
    ]);
    expect(redaction.clean("s3cret s3crets3cret p%40ss%20word")).toBe("[secret A] [secret A][secret A] [secret B]");
  });

  test("takes the longest first, so that a secret within a secret leaves nothing", () => {
    const redaction = new Redaction([
      ["SHORT", "abcd"],
      ["LONG", "xabcdy"],
    ]);
    expect(redaction.clean("xabcdy abcd")).toBe("[secret LONG] [secret SHORT]");
  });

  test("leaves values alone that are too short to be secrets", () => {
    expect(new Redaction([["A", "1"]]).clean("1 + 1")).toBe("1 + 1");
    expect(new Redaction([["A", ""]]).clean("text")).toBe("text");
  });

  test("finds a secret that the end of the text cuts off", () => {
    const redaction = new Redaction([["A", "0123456789"]]);
    expect(redaction.clean("x 012345", true)).toBe("x [secret A]");
    expect(redaction.clean("x 012345", false)).toBe("x 012345");
    expect(redaction.clean("x 012", true)).toBe("x 012");
  });

  test("leaves no value in any text, as it is or encoded", () => {
    const value = fc.string({ unit: "grapheme", minLength: 8 }).filter((text) => !"[secret NAME]".includes(text));
    fc.assert(
      fc.property(value, fc.string(), fc.string(), (secret, before, after) => {
        const redaction = new Redaction([["NAME", secret]]);
        for (const form of [
          secret,
          encodeURIComponent(secret),
          JSON.stringify(secret),
          Buffer.from(secret).toString("base64"),
        ])
          expect(redaction.clean(before + form + after)).toContain("[secret NAME]");
      }),
    );
  });

  test("of nothing changes nothing", () => {
    expect(Redaction.none.clean("anything", true)).toBe("anything");
  });
});
