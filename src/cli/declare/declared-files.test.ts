import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readDeclaredFiles } from "./declared-files.ts";
import { describePlace } from "./documents.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "punctual-files-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function write(name: string, content: string | Buffer): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

test("a folder is read in the order of its names, without what is no such file", async () => {
  write("b.yml", "jobs: { two: {} }");
  write("a.yaml", "source: shop\njobs: { one: {} }");
  write("c.json", '{"source": "shop", "jobs": {"three": {}}}');
  write("notes.txt", "not YAML: [");
  write(".hidden.yaml", "not YAML: [");
  mkdirSync(join(folder, "below"));
  const { jobs, sources, problems } = await readDeclaredFiles([folder]);
  expect(problems).toEqual([]);
  expect(jobs.map(({ name, source }) => [name, source])).toEqual([
    ["one", "file:shop"],
    ["two", "file:b"],
    ["three", "file:shop"],
  ]);
  expect(sources).toEqual([
    { source: "file:shop", named: true },
    { source: "file:b", named: false },
  ]);
});

test("a job that two files declare is refused with both places", async () => {
  const [a, b] = [write("a.yaml", "jobs:\n  same: {}\n"), write("b.yaml", "source: b\njobs:\n  same: {}\n")];
  const { problems } = await readDeclaredFiles([a, b]);
  expect(problems.map(({ place, message }) => `${describePlace(place)} ${message}`)).toEqual([
    `${b}:3:3 is declared twice: also at ${a}:2:3`,
  ]);
});

test("problems of all files are told together", async () => {
  const { problems } = await readDeclaredFiles([write("a.yaml", "jobs: ["), write("b.yaml", "jobs: 7")]);
  expect(new Set(problems.map(({ place }) => place.file))).toEqual(
    new Set([join(folder, "a.yaml"), join(folder, "b.yaml")]),
  );
});

test("what cannot be read is said to be so", async () => {
  await expect(readDeclaredFiles([join(folder, "none.yaml")])).rejects.toThrow("there is no such file");
  await expect(readDeclaredFiles([folder])).rejects.toThrow("has no files that end in .yaml");
  await expect(readDeclaredFiles(["-", "-"])).rejects.toThrow("once only");
  await expect(readDeclaredFiles([write("x.yaml", Buffer.from([0xff, 0xfe, 0]))])).rejects.toThrow("not text in UTF-8");
  await expect(readDeclaredFiles([write("y.yaml", Buffer.alloc(9_000_000, "#"))])).rejects.toThrow("larger than 8 MiB");
});
