import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../../tests/support/database.ts";
import {
  bigintArray,
  boolArray,
  intArray,
  jsonArray,
  jsonbArray,
  smallintArray,
  textArray,
  timeArray,
  uuidArray,
} from "./array-parameter.ts";
import { isDataError } from "./database.ts";

const ID = "0197a3c4-5d6e-7f80-9102-a3b4c5d6e7f8";
const OTHER = "ffffffff-ffff-8fff-bfff-ffffffffffff";

let t: TestDatabase;

beforeAll(async () => {
  t = await createTestDatabase({ migrated: false });
});
afterAll(async () => await t.drop());

/** What the server takes it for. */
async function read(type: string, parameter: Buffer): Promise<unknown> {
  const { rows } = await t.pool.query(`select to_json($1::${type}[]) as value`, [parameter]);
  return rows[0].value;
}

test("ids, numbers and booleans arrive as they were, and null as null", async () => {
  expect(await read("uuid", uuidArray([ID, null, OTHER, ID.toUpperCase()]))).toEqual([ID, null, OTHER, ID]);
  const ints = [0, -7, null, 2_147_483_647, -2_147_483_648];
  expect(await read("integer", intArray(ints))).toEqual(ints);
  expect(await read("smallint", smallintArray([0, null, 32_767, -32_768]))).toEqual([0, null, 32_767, -32_768]);
  const bigints = [0, -1, null, 1_785_000_000_001, Number.MAX_SAFE_INTEGER - 1, -Number.MAX_SAFE_INTEGER];
  expect(await read("bigint", bigintArray(bigints))).toEqual(bigints);
  expect(await read("boolean", boolArray([true, false, null]))).toEqual([true, false, null]);
});

test("nothing is an array without elements", async () => {
  for (const [type, parameter] of [
    ["uuid", uuidArray([])],
    ["text", textArray([])],
  ] as const)
    expect(await read(type, parameter)).toEqual([]);
});

test("times arrive to the millisecond, however far away", async () => {
  const times = [1_785_000_000_001, null, 0, -1, 946_684_799_999, Date.UTC(9999, 11, 31, 23, 59, 59, 999), -62e12];
  const { rows } = await t.pool.query(
    "select (extract(epoch from at) * 1000)::text as ms from unnest($1::timestamptz[]) at",
    [timeArray(times)],
  );
  expect(rows.map(({ ms }) => (ms === null ? null : Number(ms)))).toEqual(times);
});

test("text arrives as it was, whatever is in it", async () => {
  const texts = [
    "plain",
    "",
    " ",
    "NULL",
    null,
    "a,b",
    "{}",
    '"',
    "\\",
    '\\"',
    "line\nbreak",
    "día · 日 · 🕰",
    "\u0001",
  ];
  expect(await read("text", textArray(texts))).toEqual(texts);
});

test("JSON arrives as it was written", async () => {
  const written = ['{"b":1,  "a":"é\\n"}', null, '"\\u00e9"', "[]", "17"];
  const { rows } = await t.pool.query("select v::text as json from unnest($1::json[]) v", [jsonArray(written)]);
  expect(rows.map(({ json }) => json)).toEqual(written);
  expect(await read("jsonb", jsonbArray(written))).toEqual(
    written.map((text) => (text === null ? null : JSON.parse(text))),
  );
});

test("what is no value of the type is refused as the server refuses it", async () => {
  const wrong = [
    ...[
      "",
      "x",
      ID.slice(1),
      `${ID}0`,
      `${ID},${OTHER}`,
      ID.replaceAll("-", ""),
      ID.replace("0", "g"),
      ID.replace("0", "ю"),
      `${ID.slice(0, 8)}0${ID.slice(9)}`,
    ].map((value) => () => uuidArray([value])),
    ...[1.5, Number.NaN, 2 ** 31, Number.POSITIVE_INFINITY].map((value) => () => intArray([value])),
    () => smallintArray([32_768]),
    () => bigintArray([2 ** 53]),
    () => timeArray([new Date("never").getTime()]),
  ];
  for (const make of wrong) {
    const error = catching(make);
    expect(isDataError(error), String(error)).toBe(true);
  }
  await expect(read("text", textArray(["a\u0000b"]))).rejects.toSatisfy(isDataError);
});

test("an array of another type than the statement's is refused", async () => {
  await expect(read("smallint", intArray([1]))).rejects.toThrow(/element type/);
});

function catching(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}
