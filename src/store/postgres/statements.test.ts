import { readdirSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../../tests/support/database.ts";
import type { Statement } from "./database.ts";

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase({ migrated: true });
});
afterAll(async () => await database.drop());

async function allStatements(): Promise<[string, Statement][]> {
  const files = readdirSync(new URL(".", import.meta.url)).filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"));
  const found: [string, Statement][] = [];
  for (const file of files) {
    const module = (await import(new URL(file, import.meta.url).href)) as Record<string, unknown>;
    for (const [name, value] of Object.entries(module)) found.push(...statementsIn(`${file} ${name}`, value));
  }
  return found;
}

function statementsIn(place: string, value: unknown): [string, Statement][] {
  if (typeof value !== "object" || value === null) return [];
  if ("text" in value && "name" in value && typeof value.text === "string") return [[place, value as Statement]];
  if (Object.getPrototypeOf(value) !== Object.prototype) return [];
  return Object.entries(value).flatMap(([key, inner]) => statementsIn(`${place}.${key}`, inner));
}

test("every statement can be prepared on a migrated database", async () => {
  const statements = await allStatements();
  expect(statements.length).toBeGreaterThan(50);
  const client = await database.pool.connect();
  const refused: string[] = [];
  try {
    for (const [place, { name, text }] of statements) {
      if (/^analyze/.test(text)) continue;
      await client.query(`prepare "${name}" as ${text}`).catch((error) => refused.push(`${place}: ${error.message}`));
    }
  } finally {
    client.release();
  }
  expect(refused).toEqual([]);
});

test("no two statements share a name", async () => {
  const names = (await allStatements()).map(([, { name }]) => name);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});

test("no statement selects or returns all columns, which would break while a column is being added", async () => {
  const wide = (await allStatements()).filter(([, { text }]) => /returning \*|select \*\s+from punctual|[a-z]\.\* from punctual/i.test(text));
  expect(wide.map(([place]) => place)).toEqual([]);
});
