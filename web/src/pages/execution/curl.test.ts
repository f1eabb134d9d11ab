import { execFileSync } from "node:child_process";
import type { HttpTarget, Json } from "punctual/client";
import { expect, test } from "vitest";
import { curlOf } from "./curl.ts";

const TARGET: HttpTarget = {
  type: "http",
  url: "https://api.example.com/reports",
  method: "POST",
  headers: {},
  query: {},
  timeout: "30s",
  connectTimeout: "10s",
  successOn: ["2xx"],
  completion: "response",
};

function argumentsOf(
  target: Partial<HttpTarget>,
  payload: Json = {},
  environment: Record<string, string> = {},
): string[] {
  const execution = {
    id: "01a1e156-a2b2-8412-a49a-a50b2591e6fb",
    jobId: "01a1e155-c7f2-7001-b762-328517aed2f1",
    jobName: "nightly",
    scheduledAt: "2026-11-15T22:31:53.778Z",
    retryOf: null,
    payload,
  };
  const text = curlOf({ ...TARGET, ...target }, { execution, attempt: { number: 2 } });
  // The shell itself says what it makes of it: a function in place of the program prints each word.
  const script = `curl() { printf '%s\\0' "$@"; }\n${text}`;
  return execFileSync("sh", ["-c", script], { env: environment }).toString().split("\0").slice(0, -1);
}

test("the payload is the body, and whatever it contains reaches curl as one word", () => {
  const payload = { text: 'it\'s $HOME `id` "x" \\ \n end' };
  const words = argumentsOf({}, payload);
  expect(words[words.indexOf("--data-raw") + 1]).toBe(JSON.stringify(payload));
  expect(words).toContain("https://api.example.com/reports");
  expect(words).toContain("content-type: application/json");
  expect(words).toContain("punctual-attempt: 2");
});

test("a secret is a variable of the shell, in header, address and body", () => {
  const words = argumentsOf(
    {
      headers: { Authorization: "Bearer {{secrets.TOKEN}}" },
      query: { key: "{{secrets.KEY}}" },
      body: { token: "{{secrets.TOKEN}}" },
    },
    {},
    { TOKEN: "t 1", KEY: "k2" },
  );
  expect(words).toContain("authorization: Bearer t 1");
  expect(words).toContain("https://api.example.com/reports?key=k2");
  expect(words.at(-1)).toBe('{"token":"t 1"}');
});

test("placeholders are filled as the server fills them: values keep their type, addresses are encoded", () => {
  const words = argumentsOf(
    {
      url: "https://api.example.com/{{payload.who}}?a=1",
      query: { "q q": "x y {{payload.n}}" },
      body: { n: "{{payload.n}}", all: ["{{ payload }}"], text: "n is {{payload.n}} of {{job.name}}", none: null },
    },
    { who: "a/b c", n: 7 },
  );
  expect(words).toContain("https://api.example.com/a%2Fb%20c?a=1&q%20q=x%20y%207");
  expect(JSON.parse(words.at(-1)!)).toEqual({
    n: 7,
    all: [{ who: "a/b c", n: 7 }],
    text: "n is 7 of nightly",
    none: null,
  });
});

test("a GET has no body and no content type", () => {
  const words = argumentsOf({ method: "GET" }, { a: 1 });
  expect(words).not.toContain("--data-raw");
  expect(words.some((word) => word.startsWith("content-type"))).toBe(false);
});

test("what the job says of the idempotency key holds", () => {
  const keys = (words: string[]) => words.filter((word) => word.startsWith("idempotency-key"));
  expect(keys(argumentsOf({}))).toEqual(["idempotency-key: 01a1e156-a2b2-8412-a49a-a50b2591e6fb"]);
  expect(keys(argumentsOf({ headers: { "Idempotency-Key": null } }))).toEqual([]);
  expect(keys(argumentsOf({ headers: { "idempotency-key": "{{payload.id}}" } }, { id: 5 }))).toEqual([
    "idempotency-key: 5",
  ]);
});
