import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { LogFile } from "./log-file.ts";

function openIn({ bytesMax }: { bytesMax: number }) {
  const folder = mkdtempSync(join(tmpdir(), "punctual-log-"));
  const file = new LogFile(join(folder, "punctual.log"), { bytesMax });
  onTestFinished(() => {
    file.close();
    rmSync(folder, { recursive: true });
  });
  return { folder, file };
}

test("lines are appended to what an earlier run wrote, in a file only its owner may read", () => {
  const { file } = openIn({ bytesMax: 1_000 });
  file.write("one\n");
  file.close();
  file.write("two\n");
  expect(readFileSync(file.path, "utf8")).toBe("one\ntwo\n");
  expect(statSync(file.path).mode & 0o777).toBe(0o600);
});

test("however much is written, two files of bounded size remain", () => {
  const { folder, file } = openIn({ bytesMax: 100 });
  for (let i = 0; i < 100; i++) file.write(`line ${i}\n`);
  expect(readdirSync(folder).sort()).toEqual(["punctual.log", "punctual.log.1"]);
  for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).size).toBeLessThan(120);
  expect(readFileSync(file.path, "utf8")).toMatch(/line 99\n$/);
});
