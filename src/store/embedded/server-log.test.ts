import { closeSync, readFileSync, statSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { emptyDataDir } from "../../../tests/support/embedded-processes.ts";
import { boundLog, openLog, readLogSince } from "./server-log.ts";

test("the log is bounded while the server writes on, and its last lines are kept aside", () => {
  const logFile = join(dirname(emptyDataDir()), "postgres.log");
  const server = openLog(logFile, null);
  writeSync(server.fd, `${"old line\n".repeat(600_000)}last line\n`);
  boundLog(logFile, null);
  expect(statSync(logFile).size).toBe(0);
  expect(statSync(`${logFile}.1`).size).toBe(4 * 1024 * 1024);
  expect(readFileSync(`${logFile}.1`, "utf8").endsWith("last line\n")).toBe(true);
  // Appended at the new end, not behind a hole.
  writeSync(server.fd, "new line\n");
  closeSync(server.fd);
  expect(readFileSync(logFile, "utf8")).toBe("new line\n");
});

test("only what was said since the start is told", () => {
  const logFile = join(dirname(emptyDataDir()), "postgres.log");
  const earlier = openLog(logFile, null);
  writeSync(earlier.fd, "an earlier failure\n");
  closeSync(earlier.fd);
  const { fd, offset } = openLog(logFile, null);
  writeSync(fd, "this failure\n");
  closeSync(fd);
  expect(readLogSince(logFile, offset)).toBe("this failure");
});
