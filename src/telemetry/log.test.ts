import { expect, test } from "vitest";
import { createLog } from "./log.ts";

function capture(level: "debug" | "info" = "info") {
  const lines: string[] = [];
  const log = createLog({ level, stream: { write: (line) => void lines.push(line) } });
  return { log, lines, last: () => JSON.parse(lines.at(-1)!) as Record<string, unknown> };
}

test("a line is one JSON object with its time, its level, the event's name and its fields", () => {
  const { log, lines, last } = capture();
  log.info("node.joined", { node: "a", roles: ["api"] });
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatch(/^\{.*\}\n$/);
  expect(last()).toEqual({
    level: "info",
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    event: "node.joined",
    node: "a",
    roles: ["api"],
  });
});

test("lines below the level are not written", () => {
  const { log, lines } = capture();
  log.debug("claim.empty");
  expect(lines).toEqual([]);
});

test("a child's fields are on each of its lines, with secrets hidden there too", () => {
  const { log, last } = capture();
  log.child({ node: "a", token: "t0p" }).child({ part: "planner" }).warn("pass.slow", { ms: 900 });
  expect(last()).toMatchObject({ node: "a", token: "[hidden]", part: "planner", event: "pass.slow", ms: 900 });
});

test("an error shows its message, code, stack and causes, and nothing a library hung on it", () => {
  const { log, last } = capture();
  const cause = Object.assign(new Error("refused"), {
    code: "ECONNREFUSED",
    request: { headers: { authorization: "Bearer x" } },
  });
  log.error("database.lost", { error: new Error("cannot renew", { cause }) });
  const error = last().error as Record<string, unknown>;
  expect(error).toEqual({
    message: "cannot renew",
    stack: expect.stringContaining("log.test.ts"),
    cause: { message: "refused", code: "ECONNREFUSED", stack: expect.any(String) },
  });
});

test("secrets never reach a line, whether on top, nested, in a header or in a URL", () => {
  const { log, lines } = capture();
  log.info("a", { secret: "s3cret", apiKey: "s3cret", password: "s3cret" });
  log.info("b", { request: { headers: { authorization: "Bearer s3cret", cookie: "s3cret" } } });
  log.info("c", { url: "postgres://user:s3cret@db/punctual" });
  log.error("d", { error: new Error('cannot connect to "postgres://user:s3c@ret@db/punctual"') });
  expect(lines.join("")).not.toMatch(/s3c|ret@/);
  expect(lines[2]).toContain("postgres://user:[hidden]@db/punctual");
});
