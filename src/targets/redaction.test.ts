import fc from "fast-check";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { FormIndex } from "./form-index.ts";
import { Redaction } from "./redaction.ts";
import { Redactions, SECRET_CHARACTERS_MAX } from "./redactions.ts";
import { ALL_FORMS_CHARACTERS_MAX, formsOf } from "./secret-forms.ts";

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

  /** Few letters, so that everything overlaps. */
  const tangled = fc.string({ unit: fc.constantFrom("a", "b"), minLength: 4, maxLength: 9 });
  const tangledText = fc.string({ unit: fc.constantFrom("a", "b", " "), maxLength: 60 });

  test("leaves nothing of a value that overlaps another, and takes away nothing else", () => {
    fc.assert(
      fc.property(fc.array(tangled, { maxLength: 6 }), tangledText, fc.boolean(), (values, text, isCut) => {
        const covered = coveredBy(values, text, isCut);
        const kept = [...text].filter((_, at) => !covered[at]).join("");
        const redaction = new Redaction(values.map((value, index) => [`S${index}`, value]));
        expect(redaction.clean(text, isCut).replace(/\[secret S\d\]/g, "")).toBe(kept);
      }),
      { numRuns: 1_000 },
    );
  });

  test("cuts a text through no value, and gets on", () => {
    fc.assert(
      fc.property(fc.array(tangled, { maxLength: 6 }), tangledText, fc.nat(60), (values, text, wanted) => {
        fc.pre(wanted > 0 && wanted <= text.length);
        const cut = new Redaction(values.map((value, index) => [`S${index}`, value])).cutPoint(text, wanted);
        const isAcross = (value: string, at: number) => at > cut - value.length && text.startsWith(value, at);
        const places = Array.from({ length: cut }, (_, at) => at);
        expect(values.filter((value) => places.some((at) => isAcross(value, at)))).toEqual([]);
        expect(cut).toBeGreaterThan(0);
      }),
      { numRuns: 1_000 },
    );
  });

  test("of nothing changes nothing", () => {
    expect(Redaction.none.clean("anything", true)).toBe("anything");
    expect(Redaction.none.cleanJson({ a: ["anything"] })).toEqual({ a: ["anything"] });
  });
});

/** By character: it belongs to a value, or to the beginning of one that the end cuts off. Tried one by one. */
function coveredBy(values: string[], text: string, isCut: boolean): boolean[] {
  const covered = Array.from(text, () => false);
  for (const value of values.flatMap((value) => formsOf(value)))
    for (let at = 0; at <= text.length - 4; at++) {
      const isCutHere = isCut && value.startsWith(text.slice(at));
      if (text.startsWith(value, at) || isCutHere) covered.fill(true, at, at + value.length);
    }
  return covered.slice(0, text.length);
}

describe("at the limits of what one target may use", () => {
  const odd = `"'<>&/+ ä€!(`;
  const distinct = (length: number, index: number) => `${odd}${index}-`.padEnd(length - odd.length, `k${index}y`) + odd;
  const secretsOf = (count: number, length: number) =>
    Array.from({ length: count }, (_, index): [string, string] => [`S${index}`, distinct(length, index)]);

  test.each([
    ["many of the longest that are looked for in all forms", secretsOf(32, ALL_FORMS_CHARACTERS_MAX), 32 * 256],
    ["many long ones", secretsOf(32, SECRET_CHARACTERS_MAX / 32), 32 * 16],
    ["one that is as long as all", secretsOf(1, SECRET_CHARACTERS_MAX), 16],
  ])("%s: all are taken out, and the forms are few", (_, secrets, formsMax) => {
    const redaction = new Redaction(secrets);
    expect(redaction.size.forms).toBeLessThanOrEqual(formsMax);
    expect(redaction.size.characters).toBeLessThanOrEqual(16 * 1024 * 1024);
    for (const [name, value] of secrets)
      for (const form of [
        value,
        JSON.stringify(value).slice(1, -1),
        encodeURIComponent(value),
        Buffer.from(value).toString("base64").replace(/=+$/, ""),
        Buffer.from(value).toString("hex"),
      ]) {
        expect(redaction.clean(`before ${form} after`)).toBe(`before [secret ${name}] after`);
        expect(redaction.clean(`before ${form.slice(0, form.length / 2)}`, true)).toMatch(/^before \[secret S\d+\]$/);
      }
  });

  test("a text is looked up once per place at most, however many forms there are, and hardly where none begins", () => {
    const [longestAt, cutAt] = [vi.spyOn(FormIndex.prototype, "longestAt"), vi.spyOn(FormIndex.prototype, "cutAt")];
    onTestFinished(() => void vi.restoreAllMocks());
    // Each place may be the beginning of each value, and none is.
    const worst = secretsOf(32, ALL_FORMS_CHARACTERS_MAX).map(([name, value]): [string, string] => [
      name,
      `${"a".repeat(900)}${value}`.slice(0, ALL_FORMS_CHARACTERS_MAX),
    ]);
    const redaction = new Redaction(worst);
    expect(redaction.size.forms).toBeGreaterThan(1_000);
    expect(redaction.clean(`${"a".repeat(16_383)}.`, true)).toHaveLength(16_384);
    expect(longestAt.mock.calls.length).toBeLessThanOrEqual(16_384);
    expect(cutAt.mock.calls.length).toBeLessThanOrEqual(redaction.reach);
    longestAt.mockClear();
    redaction.clean("Nothing of this is secret. ".repeat(600));
    expect(longestAt.mock.calls.length).toBeLessThan(1_000);
  });

  test("forms are made once for the same values, also when they were read again, and what is kept is bounded", () => {
    const make = vi.fn((secrets: ReadonlyMap<string, string>) => new Redaction(secrets));
    const redactions = new Redactions(make);
    const kept = redactions.of(new Map([["A", "first value"]]));
    expect(redactions.of(new Map([["A", "first value"]]))).toBe(kept);
    expect(redactions.of(new Map([["A", "second value"]])).clean("second value")).toBe("[secret A]");
    expect(make).toHaveBeenCalledTimes(2);
    for (let round = 0; round < 20; round++) redactions.of(new Map([[`L${round}`, "€".repeat(SECRET_CHARACTERS_MAX)]]));
    make.mockClear();
    redactions.of(new Map([["L19", "€".repeat(SECRET_CHARACTERS_MAX)]]));
    expect(make).not.toHaveBeenCalled();
    redactions.of(new Map([["A", "first value"]]));
    expect(make).toHaveBeenCalledTimes(1);
  });
});
