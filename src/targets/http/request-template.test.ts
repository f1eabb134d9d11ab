import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Json } from "../../contract/json.ts";
import type { HttpTarget } from "../../contract/target.ts";
import type { Call } from "../port.ts";
import { RequestTemplate, RequestTemplates } from "./request-template.ts";
import { makeCall } from "./testing/calls.ts";

const origin = "https://api.example.com";

function build(
  target: Record<string, unknown>,
  payload: Json = {},
  secrets: Record<string, string> = {},
  call: Partial<Call<HttpTarget>> = {},
) {
  const made = makeCall({ url: `${origin}/`, ...target }, { ...call, payload });
  const template = new RequestTemplate(made.job, "Punctual/test");
  const request = template.build({ call: { ...made, payload }, secrets: new Map(Object.entries(secrets)) });
  const [requestLine, ...lines] = request.head.split("\r\n").slice(0, -1);
  const headers = Object.fromEntries(lines.map((line) => line.split(/: (.*)/s).slice(0, 2)));
  return { ...request, path: requestLine!.split(" ")[1]!, headers, body: request.body.toString() };
}

const jsonBody = (body: Json, payload: Json, secrets = {}) => JSON.parse(build({ body }, payload, secrets).body);
const anyJson = fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.parse(JSON.stringify(value)) as Json);
const anyText = fc.string({ unit: "grapheme" });

describe("a JSON body", () => {
  test("takes a value with its type where a string is exactly one placeholder, spaces inside the braces aside", () => {
    const payload = { n: 1, t: true, z: null, list: [1, { a: 2 }], text: "x" };
    const body = {
      n: "{{payload.n}}",
      t: "{{ payload.t }}",
      z: "{{payload.z}}",
      list: "{{payload.list}}",
      deep: ["{{payload.list.1.a}}"],
    };
    expect(jsonBody(body, payload)).toEqual({ n: 1, t: true, z: null, list: [1, { a: 2 }], deep: [2] });
    expect(jsonBody("{{payload}}", payload)).toEqual(payload);
  });

  test("takes text where there is anything around the placeholder", () => {
    const payload = { n: 1, t: true, z: null, list: [1], text: 'say "hi"\n' };
    expect(jsonBody(" {{payload.n}}", payload)).toBe(" 1");
    expect(jsonBody("{{payload.n}}{{payload.t}}", payload)).toBe("1true");
    expect(jsonBody("<{{payload.text}}|{{payload.z}}|{{payload.list}}>", payload)).toBe('<say "hi"\n|null|[1]>');
  });

  test("knows the job, the execution and the attempt", () => {
    const body = [
      "{{job.name}}",
      "{{job.id}}",
      "{{execution.id}}",
      "{{execution.scheduledAt}}",
      "{{attempt}}",
      "{{secrets.A}}",
    ];
    const call = makeCall({ url: origin });
    expect(jsonBody(body, {}, { A: "secret" })).toEqual([
      "nightly-report",
      call.jobId,
      call.executionId,
      "2026-12-01T01:00:00.000Z",
      2,
      "secret",
    ]);
  });

  test("keeps its own text, keys and other values as they are", () => {
    const body = { "{{payload.n}}": "{ {payload.n} }", quotes: 'a"b\\c\u2028', list: [1.5, false, null, {}, []] };
    expect(jsonBody(body, {})).toEqual(body);
  });

  test("gives back every value unchanged", () => {
    fc.assert(
      fc.property(anyJson, (value) => {
        expect(jsonBody({ it: "{{payload.value}}", all: "{{payload}}" }, { value })).toEqual({
          it: value,
          all: { value },
        });
      }),
    );
  });

  test("never reads a filled-in value as a template", () => {
    const payload = { a: "{{secrets.A}}", b: "{{payload.a}}" };
    expect(
      jsonBody(["{{payload.a}}", "x{{payload.b}}", "{{secrets.B}}"], payload, { A: "secret", B: "{{secrets.A}}" }),
    ).toEqual(["{{secrets.A}}", "x{{payload.a}}", "{{secrets.A}}"]);
    fc.assert(
      fc.property(anyText, anyText, (text, more) => {
        const value = `${text}{{secrets.A}}${more}`;
        expect(jsonBody(["{{payload}}", "-{{payload}}-"], value)).toEqual([value, `-${value}-`]);
      }),
    );
  });
});

describe("a missing value", () => {
  test.each([
    ["{{payload.missing}}", {}, 'the payload has no "missing" there'],
    ["{{payload.a.b}}", { a: 1 }, 'the payload has no "b" there'],
    ["{{payload.a.b}}", { a: null }, 'the payload has no "b" there'],
    ["{{payload.constructor}}", {}, 'the payload has no "constructor" there'],
    ["{{payload.__proto__}}", {}, 'the payload has no "__proto__" there'],
    ["{{payload.list.2}}", { list: [0, 1] }, 'the payload has no "2" there'],
    ["{{payload.text.length}}", { text: "x" }, 'the payload has no "length" there'],
  ])("for %s refuses the call", (template, payload, message) => {
    for (const target of [
      { body: template },
      { bodyText: template },
      { url: `${origin}/${template}` },
      { headers: { "x-a": template } },
    ])
      expect(() => build(target, payload)).toThrow(message);
  });

  test("for a secret refuses it with the secret's name", () => {
    expect(() => build({ body: "{{secrets.API_TOKEN}}" })).toThrow("there is no secret API_TOKEN");
  });
});

describe("a URL", () => {
  const sent = (url: string, payload: Json = {}, query: Record<string, string> = {}) =>
    build({ url, query }, payload).path;

  test("has its values percent-encoded, so that none can leave its place", () => {
    const payload = { id: "a/b?c=d&e#f g", q: "x&y=z ü+%" };
    expect(sent(`${origin}/users/{{payload.id}}/x?q={{payload.q}}&n=1#part`, payload)).toBe(
      "/users/a%2Fb%3Fc%3Dd%26e%23f%20g/x?q=x%26y%3Dz%20%C3%BC%2B%25&n=1",
    );
  });

  test("gets the parameters of target.query behind its own, names and values encoded", () => {
    expect(sent(`${origin}/a?x=1`, { v: "1&2" }, { "y z": "<{{payload.v}}>", w: "{{payload.v}}" })).toBe(
      "/a?x=1&y%20z=%3C1%262%3E&w=1%262",
    );
    expect(sent(origin, {}, { a: "b" })).toBe("/?a=b");
    expect(sent(`${origin}/?`, {}, {})).toBe("/");
  });

  test("goes to the host it was saved with, whatever is filled in", () => {
    const values = [
      "//127.0.0.1/",
      "@127.0.0.1",
      "\\\\127.0.0.1\\",
      "\r\nhost: 127.0.0.1",
      "http://127.0.0.1/",
      "\t",
      "?#",
    ];
    for (const value of values)
      for (const url of [`${origin}/{{payload}}`, `${origin}?{{payload}}`, `${origin}/a@{{payload}}`]) {
        const request = build({ url }, value);
        expect(request.shownUrl.startsWith(`${origin}/`)).toBe(true);
        expect(request.head.match(/^host: .*$/gim)).toEqual(["host: api.example.com"]);
        expect(request.path).toMatch(/^\/[^\s\\]*$/);
        expect(new URL(request.path.replace(/^\/+/, "/"), origin).origin).toBe(origin);
      }
  });

  test("is normalised in its fixed text only", () => {
    expect(sent("https://API.example.com:443/a/../b/./c d/{{payload.x}}", { x: "ü" })).toBe("/b/c%20d/%C3%BC");
  });

  test.each([".", ".."])("refuses the value %j as a whole segment, because it means another path", (value) => {
    expect(() => sent(`${origin}/users/{{payload.id}}/delete`, { id: value })).toThrow("would change the path");
    expect(() => sent(`${origin}/users/{{payload.id}}`, { id: value })).toThrow("would change the path");
    expect(() => sent(`${origin}/users/.{{payload.id}}?x`, { id: "." })).toThrow("would change the path");
    expect(sent(`${origin}/users/v{{payload.id}}?up={{payload.id}}`, { id: value })).toBe(
      `/users/v${value}?up=${value}`,
    );
  });

  test("with any value arrives as that value", () => {
    fc.assert(
      fc.property(anyText, anyText, (id, q) => {
        fc.pre(id !== "." && id !== "..");
        const url = new URL(
          origin + sent(`${origin}/u/{{payload.id}}/x?q={{payload.q}}`, { id, q }, { r: "{{payload.q}}" }),
        );
        expect(url.origin).toBe(origin);
        expect(url.pathname.split("/").map(decodeURIComponent)).toEqual(["", "u", id, "x"]);
        expect([...url.searchParams]).toEqual([
          ["q", q],
          ["r", q],
        ]);
      }),
    );
  });

  test("may contain text that looks like the marks used for its holes", () => {
    expect(sent(`${origin}/hole0z/{{payload.a}}/hole1z`, { a: 5 }, { hole: "holeq0z" })).toBe(
      "/hole0z/5/hole1z?hole=holeq0z",
    );
  });

  test("is shown without its secrets and not at any length", () => {
    const { shownUrl, path } = build(
      { url: `${origin}/{{secrets.A}}?x={{payload.x}}` },
      { x: "y".repeat(5000) },
      { A: "ab" },
    );
    expect(path).toBe(`/ab?x=${"y".repeat(5000)}`);
    expect(shownUrl).toBe(`${`${origin}/[secret A]?x=`.padEnd(2048, "y")}…`);
  });
});

describe("a header", () => {
  test.each(["a\r\nx-evil: 1", "a\nb", "a\rb", "a\u0001b", "€", "\u007f"])("refuses the value %j", (value) => {
    expect(() => build({ headers: { "x-a": "v {{payload}}" } }, value)).toThrow(
      "the header x-a would contain a line break or another",
    );
  });

  test.each(["content-type", "idempotency-key", "accept", "user-agent"])(
    "refuses a second header within %s, also from a secret",
    (name) => {
      const refused = `the header ${name} would contain a line break`;
      expect(() => build({ headers: { [name]: "{{payload}}" } }, "a\r\n\r\nGET /admin HTTP/1.1")).toThrow(refused);
      expect(() => build({ headers: { [name]: "{{secrets.A}}" } }, {}, { A: "a\r\nhost: b" })).toThrow(refused);
    },
  );

  test("does not repeat a refused value, which may be a secret", () => {
    expect(() => build({ headers: { "x-a": "{{secrets.A}}" } }, {}, { A: "top\nsecret" })).toThrow(/^(?!.*top)/);
  });

  test("carries Latin-1 and tabs", () => {
    expect(build({ headers: { "X-Name": "ü\t{{payload}}" } }, "é").headers).toMatchObject({ "x-name": "ü\té" });
  });

  test("given twice in different case is sent once", () => {
    expect(build({ headers: { "X-A": "1", "x-a": "2" } }).headers).toMatchObject({ "x-a": "2" });
  });
});

describe("what is filled in", () => {
  const long = "x".repeat(200_000);

  test("cannot grow beyond a bound, however often a long value is named", () => {
    const many = "{{payload}}".repeat(50);
    expect(() => build({ bodyText: many }, long)).toThrow(
      "target.body is longer than 1048576 characters once filled in",
    );
    expect(() => build({ body: { a: many } }, long)).toThrow("target.body is longer");
    expect(() => build({ headers: { "x-a": many } }, long)).toThrow("the header x-a is longer than 16384 characters");
    expect(() => build({ url: `${origin}/{{payload}}` }, long)).toThrow("target.url is longer than 16384 characters");
  });
});

test("a template is compiled once per job version", () => {
  const templates = new RequestTemplates("Punctual/test");
  const { job } = makeCall({ url: origin });
  expect(templates.of(job)).toBe(templates.of(job));
  expect(templates.of({ ...job })).not.toBe(templates.of(job));
});

test("the secrets a call needs are known beforehand, each once", () => {
  const target = {
    url: `${origin}/{{secrets.A}}`,
    query: { q: "{{secrets.B}}" },
    headers: { authorization: "{{secrets.C}} {{secrets.A}}" },
    body: { x: ["{{secrets.D}}", "{{payload.x}}"] },
  };
  expect(new RequestTemplate(makeCall(target).job, "x").secrets.sort()).toEqual(["A", "B", "C", "D"]);
});
