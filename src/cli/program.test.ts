import { readFileSync } from "node:fs";
import { type Command, CommanderError } from "commander";
import { expect, onTestFinished, test, vi } from "vitest";
import { buildProgram } from "./program.ts";

/** Every command that people can call, by the words they type. */
function everyCommand(): [words: string, command: Command][] {
  const program = buildProgram("1.2.3", () => {});
  const walk = (command: Command, words: string[]): [string, Command][] => [
    [words.join(" "), command],
    ...command
      .createHelp()
      .visibleCommands(command)
      .flatMap((inner) => walk(inner, [...words, inner.name()])),
  ];
  return walk(program, ["punctual"]);
}

function helpOf(command: Command): string {
  let text = "";
  command.configureOutput({
    writeOut: (part) => (text += part),
    getOutHelpWidth: () => 80,
    getOutHasColors: () => false,
  });
  command.outputHelp();
  return text;
}

test.each(everyCommand())("the help of %s says what it does and fits 80 columns", (_, command) => {
  expect(command.description()).not.toBe("");
  const wide = helpOf(command)
    .split("\n")
    .filter((line) => line.length > 80);
  expect(wide).toEqual([]);
});

test.each(everyCommand().filter(([, command]) => command.commands.length === 0))(
  "the help of %s has examples that call it",
  (words, command) => {
    const examples = helpOf(command).split("Examples:")[1] ?? "";
    expect(examples).toContain(words);
  },
);

test("the program's help has every command in a group with a heading", () => {
  const help = helpOf(buildProgram("1.2.3", () => {}));
  expect(help).not.toContain("\nCommands:");
  for (const heading of ["Run it:", "Jobs:", "Look:", "Operate:"]) expect(help).toContain(`\n${heading}\n`);
});

test.each([
  [["jobs", "list", "--colour", "--json"], "unknown option '--colour'"],
  [["jobs", "show", "--json"], "missing required argument 'job'"],
  [["jobs", "list", "--limit", "many", "--json"], "whole number from 1 to 200"],
  [["jobs", "lst", "--json"], "unknown command 'lst'"],
])("with --json the parser says in one line of JSON what is wrong with %j", async (args, message) => {
  const said = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  onTestFinished(() => said.mockRestore());
  const program = buildProgram("1.2.3", () => {}, { json: true });
  await expect(program.parseAsync(["node", "punctual", ...args])).rejects.toThrow(CommanderError);
  expect(said).toHaveBeenCalledTimes(1);
  const line = String(said.mock.calls[0]![0]);
  expect(line).toMatch(/^[^\n]+\n$/);
  expect(JSON.parse(line)).toEqual({
    error: { code: "usage", message: expect.stringContaining(message), details: [], requestId: null },
  });
});

/** What is loaded before a command is known: everything that is imported and not merely typed. */
function loadedBy(file: URL, seen = new Set<string>()): Set<string> {
  const from = /^(?:import|export) (?!type )(?:[\w\s{},*]+ from )?"([^"]+)"/gm;
  for (const [, name] of readFileSync(file, "utf8").matchAll(from)) {
    const module = name!.startsWith(".") ? new URL(name!, file).href : name!;
    if (seen.has(module)) continue;
    seen.add(module);
    if (name!.startsWith(".")) loadedBy(new URL(module), seen);
  }
  return seen;
}

test("help comes at once: it loads no engine, no server and no database", () => {
  const loaded = [...loadedBy(new URL("./main.ts", import.meta.url))];
  const packages = loaded.filter((module) => !/^(file|node):/.test(module));
  expect(packages.sort()).toEqual(["commander", "zod"]);
  const root = new URL("../", import.meta.url).href;
  const folders = loaded.flatMap((module) =>
    module.startsWith(root) ? [module.slice(root.length).split("/")[0]] : [],
  );
  expect([...new Set(folders)].sort()).toEqual(["cli", "client", "contract"]);
});
