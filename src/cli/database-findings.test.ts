import { expect, test } from "vitest";
import { judgeDatabase } from "./database-findings.ts";

const SEEN = {
  version: "18.4",
  major: 18,
  latencyMs: 1.2,
  readOnly: false,
  pendingMigrations: [],
  clockSkewMs: -12.4,
  pooler: "none" as const,
};
const SETTINGS = { databaseUrl: "postgres://me:s3cret@db/punctual", prepared: true };

function fatal(seen: Partial<Parameters<typeof judgeDatabase>[0]>, settings = SETTINGS): string[] {
  return judgeDatabase({ ...SEEN, ...seen }, settings).flatMap((finding) => (finding.fatal ? finding.text : []));
}

test("a database that is fine is described in four lines, without its password", () => {
  expect(judgeDatabase(SEEN, SETTINGS)).toEqual([
    { topic: "Database", text: "PostgreSQL 18.4 at postgres://me:[hidden]@db/punctual, answers in 2 ms" },
    { topic: "Migrations", text: "none pending" },
    { topic: "Clock", text: "the database is 12 ms behind this machine" },
    { topic: "Connection", text: "direct" },
  ]);
});

test("what would keep a node from running is fatal", () => {
  expect(fatal({ major: 14, version: "14.9" })).toEqual([expect.stringContaining("too old: use 15 or newer")]);
  expect(fatal({ readOnly: true })).toEqual([expect.stringContaining("name the primary")]);
  expect(fatal({ pooler: "transaction" })).toEqual([expect.stringContaining("set PUNCTUAL_PREPARED=off")]);
});

test("what is only to be known is not", () => {
  expect(fatal({ pendingMigrations: ["0002_more"], clockSkewMs: 60_000, pooler: "session" })).toEqual([]);
  expect(fatal({ pooler: "transaction" }, { ...SETTINGS, prepared: false })).toEqual([]);
});
