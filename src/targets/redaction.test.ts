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

  const odd = `pä"ss'w<o>r&d/ +!(€)`;
  test.each([
    ["in a URL, encoded more strictly", odd, "p%C3%A4%22ss%27w%3Co%3Er%26d%2F%20%2B%21%28%E2%82%AC%29"],
    ["in a URL, in small letters", odd, "p%c3%a4%22ss'w%3co%3er%26d%2f%20%2b!(%e2%82%ac)"],
    ["in a form", odd, "p%C3%A4%22ss%27w%3Co%3Er%26d%2F+%2B%21%28%E2%82%AC%29"],
    ["in JSON that keeps to ASCII", odd, `p\\u00e4\\"ss'w<o>r&d/ +!(\\u20ac)`],
    ["in JSON with its slashes escaped", odd, `pä\\"ss'w<o>r&d\\/ +!(€)`],
    ["in JSON that can stand in HTML", odd, `pä\\"ss'w\\u003co\\u003er\\u0026d/ +!(€)`.replace("'", "\\u0027")],
    ["in JSON with large letters", odd, `p\\u00E4\\"ss'w<o>r&d/ +!(\\u20AC)`],
    ["in HTML", odd, "pä&quot;ss&#39;w&lt;o&gt;r&amp;d/ +!(€)"],
    ["in HTML, otherwise", odd, "pä&#34;ss&#x27;w&lt;o&gt;r&amp;d/ +!(€)"],
    ["as bytes", odd, Buffer.from(odd).toString("hex")],
    ["read as Latin-1", odd, Buffer.from(odd).toString("latin1")],
  ])("finds a value %s", (_, value, written) => {
    const cleaned = new Redaction([["NAME", value]]).clean(`before ${written} after`);
    expect(cleaned).toBe("before [secret NAME] after");
  });

  test("finds a value in the base64 of longer bytes, wherever it begins", () => {
    const redaction = new Redaction([["NAME", "correct horse battery"]]);
    for (const before of ["", "u", "us", "use", "user:"])
      for (const after of ["", "1", "12", "123"]) {
        const written = Buffer.from(`${before}correct horse battery${after}`).toString("base64");
        const left = Buffer.from(redaction.clean(written).replace(/\[secret NAME\]/, "AAAA"), "base64").toString(
          "latin1",
        );
        expect(redaction.clean(written)).toContain("[secret NAME]");
        expect(left).not.toMatch(/correct|horse|battery/);
      }
  });

  test("finds a value in JSON however it was escaped there, in names too", () => {
    const redaction = new Redaction([["NAME", "s3cret-value"]]);
    const written = JSON.parse('{"\\u0073\\u0033cret-value":[{"a":"x \\u0073\\u0033\\u0063ret-value"},1,null,true]}');
    expect(redaction.cleanJson(written)).toEqual({ "[secret NAME]": [{ a: "x [secret NAME]" }, 1, null, true] });
  });

  test("of nothing changes nothing", () => {
    expect(Redaction.none.clean("anything", true)).toBe("anything");
    expect(Redaction.none.cleanJson({ a: ["anything"] })).toEqual({ a: ["anything"] });
  });
});
