import { once } from "node:events";
import { createServer } from "node:net";
import { expect, test } from "vitest";
import { PunctualApiError, PunctualClient, PunctualConnectionError } from "../client/index.ts";
import { ExpectedError } from "./expected-error.ts";
import { describeFailure } from "./failure.ts";
import { UsageError } from "./usage-error.ts";

const REMOTE = {
  url: "http://127.0.0.1:7420",
  apiKey: "k",
  project: null,
  urlFrom: 'the context "local" in /home/me/contexts.json',
  keyFrom: "PUNCTUAL_API_KEY",
};

function refused(failure: Partial<PunctualApiError>) {
  return new PunctualApiError("GET /api/v1/jobs", {
    status: 400,
    code: "validation_failed",
    reason: "no",
    details: [],
    requestId: "r-1",
    retryAfterMs: null,
    ...failure,
  });
}

/** Where something listened a moment ago. */
async function closedAddress(): Promise<string> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, "close");
  return `http://127.0.0.1:${port}`;
}

test("one problem is told in one line, with the value seen and the request's id", () => {
  const details = [{ path: "timeout", code: "invalid", message: "is not a duration", value: 5 }];
  const { text, exitCode } = describeFailure(refused({ reason: "timeout: is not a duration", details }), REMOTE);
  expect(text).toBe("timeout: is not a duration (it is 5)\n  (request r-1)");
  expect(exitCode).toBe(2);
});

test("several problems have a line each, and a value is not said twice", () => {
  const details = [
    { path: "schedule.cron", code: "invalid_cron", message: '"99 * * * *" has no minute 99', value: "99 * * * *" },
    { path: "name", code: "invalid", message: "must start with a letter", value: "-x" },
  ];
  expect(describeFailure(refused({ details }), REMOTE).text).toBe(
    '2 things are wrong:\n  schedule.cron: "99 * * * *" has no minute 99\n  name: must start with a letter (it is "-x")\n  (request r-1)',
  );
});

test.each([
  [404, "not_found", 4],
  [400, "validation_failed", 2],
  [409, "wrong_state", 1],
  [412, "version_mismatch", 1],
  [500, "internal", 1],
  [503, "unavailable", 1],
])("a refusal with %i %s ends with %i", (status, code, exitCode) => {
  expect(describeFailure(refused({ status, code }), REMOTE).exitCode).toBe(exitCode);
});

test("a key that is not accepted is told with where it came from", () => {
  const { text } = describeFailure(refused({ status: 401, code: "unauthenticated" }), REMOTE);
  expect(text).toContain("The key comes from PUNCTUAL_API_KEY. Is it the right one for http://127.0.0.1:7420");
});

test("words of a server cannot repaint the terminal", () => {
  expect(describeFailure(refused({ reason: "\u001b[2J" }), REMOTE).text).toContain("␛[2J");
});

test("a server that is not there is named, with where its address came from and what to do", async () => {
  const url = await closedAddress();
  const error = await new PunctualClient({ url, key: "k", retries: 0 }).me().catch((cause: unknown) => cause);
  expect(error).toBeInstanceOf(PunctualConnectionError);
  expect(describeFailure(error, { ...REMOTE, url })).toMatchObject({
    text: `Punctual at ${url} (from the context "local" in /home/me/contexts.json) cannot be reached: nothing listens there. Start it with: punctual dev`,
    exitCode: 1,
  });
});

test("what people did wrong has exit code 2, what went wrong has 1, and neither shows a stack", () => {
  expect(describeFailure(new UsageError("Name one."), null)).toMatchObject({ text: "Name one.", exitCode: 2 });
  expect(describeFailure(new ExpectedError("It ended."), null)).toMatchObject({ text: "It ended.", exitCode: 1 });
});

test("a mistake in the program is not explained away", () => {
  const { text, exitCode } = describeFailure(new TypeError("x is not a function"), REMOTE);
  expect(text).toMatch(/should not have happened:\n.*x is not a function\n\s+at /);
  expect(exitCode).toBe(1);
});
