// The manual says what the code does: tables that repeat the code are compared with it, and links lead somewhere.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Command } from "commander";
import { expect, test } from "vitest";
import { EXIT } from "../../src/cli/exit-code.ts";
import { buildProgram } from "../../src/cli/program.ts";
import { shown } from "../../src/contract/read-settings.ts";
import { flagOf, SETTINGS, type Setting } from "../../src/contract/settings.ts";
import { MOVES } from "../../src/core/states.ts";
import { Metrics } from "../../src/telemetry/metrics.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

function read(path: string): string {
  return readFileSync(join(ROOT, path), "utf8");
}

/** The lines between `<!-- name -->` and `<!-- /name -->`. */
function section(path: string, name: string): string[] {
  const found = new RegExp(`<!-- ${name} -->\n([^]*?)\n?<!-- /${name} -->`).exec(read(path));
  return (found?.[1] ?? "").split("\n");
}

test("docs/states.md has exactly the moves of the code", () => {
  const rows = Object.entries(MOVES).map(([state, moves]) => {
    const listed = Object.entries(moves).map(([move, to]) => `${move} → \`${to}\``);
    return `| \`${state}\` | ${listed.join(", ") || "none: it is final"} |`;
  });
  expect(section("docs/states.md", "moves")).toEqual(["| from | moves |", "|---|---|", ...rows]);
});

test("docs/operating.md has exactly the settings of the code, with their defaults", () => {
  const rows = (Object.values(SETTINGS) as Setting<unknown>[]).map((setting) => {
    const { variable, preset, about } = setting;
    const [serve, dev] = [shown(setting, preset.serve), shown(setting, preset.dev)].map((text) => text ?? "not set");
    const flag = flagOf(setting as Setting<never>);
    return `| \`${variable}\` | ${flag === null ? "none" : `\`${flag}\``} | ${serve}${dev === serve ? "" : ` (dev: ${dev})`} | ${about} |`;
  });
  expect(section("docs/operating.md", "settings")).toEqual([
    "| variable | flag | default | meaning |",
    "|---|---|---|---|",
    ...rows,
  ]);
});

test("docs/operating.md has exactly the metrics of the code", async () => {
  const metrics = (await new Metrics().registry.getMetricsAsJSON()).filter(({ name }) => name.startsWith("punctual_"));
  const { text } = await new Metrics().render();
  const rows = metrics.map(({ name, help }) => {
    const type = new RegExp(`# TYPE ${name} (\\w+)`).exec(text)![1];
    return `| \`${name}\` | ${type} | ${help} |`;
  });
  expect(section("docs/operating.md", "metrics")).toEqual(["| metric | type | what |", "|---|---|---|", ...rows]);
});

test("docs/cli.md has every command of the program, with an example, and its exit codes", () => {
  const rows = commandsOf(buildProgram("", () => {})).map(([words, command]) => {
    const [example] = /(?<=^ {2}\$ ).*punctual .*/m.exec(helpOf(command).split("Examples:")[1] ?? "") ?? [""];
    return `| \`${words}\` | ${command.description()} | \`${example.replaceAll("|", "\\|")}\` |`;
  });
  expect(section("docs/cli.md", "commands")).toEqual([
    "| command | what it does | example |",
    "|---|---|---|",
    ...rows,
  ]);
  const codes = section("docs/cli.md", "exit-codes").flatMap((line) => /^\| (\d) \|/.exec(line)?.[1] ?? []);
  expect(codes).toEqual(Object.values(EXIT).map(String));
});

/** Those that do something, by the words that call them. */
function commandsOf(command: Command, words: string[] = []): [words: string, command: Command][] {
  const inner = command.createHelp().visibleCommands(command);
  if (inner.length === 0) return [[words.join(" "), command]];
  return inner.flatMap((one) => commandsOf(one, [...words, one.name()]));
}

function helpOf(command: Command): string {
  let text = "";
  command.configureOutput({
    writeOut: (part) => {
      text += part;
    },
  });
  command.outputHelp();
  return text;
}

test("docs/dependencies.md has exactly the packages of package.json, with their licences", () => {
  const manifest = JSON.parse(read("package.json")) as Record<string, Record<string, string> | undefined>;
  const { dependencies, optionalDependencies, devDependencies } = manifest;
  const wanted = Object.keys({ ...dependencies, ...optionalDependencies, ...devDependencies }).sort();
  const rows = [...read("docs/dependencies.md").matchAll(/^\| `(.+?)` \|.*\| ([^|]+) \|$/gm)];
  expect(rows.map(([, name]) => name).sort()).toEqual(wanted);
  for (const [, name, licence] of rows) {
    const installed = join("node_modules", name!, "package.json");
    // Of the optional ones only that of this machine is there.
    if (!existsSync(join(ROOT, installed))) continue;
    expect({ name, licence }).toEqual({ name, licence: (JSON.parse(read(installed)) as { license: string }).license });
  }
});

const PAGES = [
  "README.md",
  "CHANGELOG.md",
  ...readdirSync(join(ROOT, "docs"), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".md"))
    .map((path) => join("docs", path)),
];

test.each(PAGES)("every link of %s, and every source file it names, is there", (page) => {
  const text = read(page);
  const links = [...text.matchAll(/\]\((?!https?:|#)([^)#]+)[^)]*\)/g)].map(([, link]) => join(dirname(page), link!));
  const files = [...text.matchAll(/`((?:src|tests)\/[\w./-]+)`/g)].map(([, path]) => path!);
  expect([...links, ...files].filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
});
