import { expect, test } from "vitest";
import { showPages } from "./listing.ts";
import { Output } from "./output/output.ts";

const COLUMNS = [{ title: "NUMBER", of: (n: number) => String(n), min: 4 }];

/** All of so many numbers, listed as JSON or as a table, with a terminal for what is said beside them. */
async function listAll(count: number, { json }: { json: boolean }) {
  const seen = { out: "", err: "" };
  const stdout = { write: (text: string) => (seen.out += text) };
  const stderr = { write: (text: string) => (seen.err += text), isTTY: true, columns: 80 };
  const out = new Output({ json, colour: false, environment: {}, stdout, stderr });
  const pages = {
    page: async () => ({ items: [], nextCursor: null }),
    all: async function* () {
      for (let n = 1; n <= count; n++) yield n;
    },
  };
  await showPages(out, { all: true }, pages, { columns: COLUMNS, empty: "none" });
  return seen;
}

test.each([{ json: true }, { json: false }])(
  "progress counts what was read and is gone at the end: %j",
  async (how) => {
    const { out, err } = await listAll(400, how);
    expect(err.match(/\d+ read …/g)).toEqual(["200 read …", "400 read …"]);
    expect(err.endsWith("\r\u001b[K")).toBe(true);
    expect(
      out
        .trim()
        .split("\n")
        .slice(how.json ? 0 : 1),
    ).toHaveLength(400);
  },
);
