// The commands and their flags. Flags come from the table of settings, so that a setting is never without one.

import { Command, Option } from "commander";
import type { SettingProblem, SettingsRead } from "../contract/read-settings.ts";
import {
  flagOf,
  SETTINGS,
  type Setting,
  type SettingName,
  type Settings,
  type SettingsMode,
} from "../contract/settings.ts";
import { config } from "./config.ts";
import { explain } from "./expected-error.ts";
import { describeProblems, type Flags, settingsOf } from "./settings-input.ts";

const EXAMPLES = `
Examples:
  $ punctual dev                                    everything on this machine, nothing to set up
  $ punctual dev --port 8000 --data-dir /tmp/try    somewhere else
  $ export PUNCTUAL_DATABASE_URL=postgres://punctual:…@db:5432/punctual
  $ export PUNCTUAL_ENCRYPTION_KEYS=$(openssl rand -base64 32)
  $ punctual check                                  would it start?
  $ punctual serve                                  a production node; start as many as you like
  $ punctual serve --roles api                      one that only answers requests
  $ punctual config --json                          what it would run with

Every setting can be a flag, an environment variable (PUNCTUAL_PORT) or a line of the JSON file
named by --config ({"port": 7420}), in this order. Keys have no flag.

Exit codes: 0 done, 1 failed, 2 wrong settings or usage.
`;

type Valid = Extract<SettingsRead, { kind: "valid" }>;

/** `finish` is told the exit code of the command that ran. */
export function buildProgram(version: string, finish: (code: number) => void): Command {
  const program = new Command("punctual")
    .description("A distributed job scheduler on PostgreSQL.")
    .version(version, "-V, --version", "print the version")
    .helpOption("-h, --help", "print this help")
    .showHelpAfterError("(--help shows what there is)")
    .addHelpText("after", EXAMPLES)
    .exitOverride();

  const command = (name: string, description: string, settings?: SettingName[]) =>
    withSettings(program.command(name).description(description), settings);
  // Commands are loaded when they are called: most need the whole engine, and help should come at once.
  command("dev", "run everything on this machine, with a database of its own").action(async (flags: Flags) => {
    const { dev } = await import("./dev.ts");
    finish(await withValid("dev", flags, (read) => dev(read.settings, read.warnings)));
  });
  command("serve", "run a production node").action(async (flags: Flags) => {
    const { serve } = await import("./serve.ts");
    finish(await withValid("serve", flags, (read) => serve(read.settings, read.warnings)));
  });
  command("migrate", "bring the database's schema up to this version", ["databaseUrl"]).action(async (flags: Flags) => {
    const { migrate } = await import("./migrate.ts");
    finish(await withValid("migrate", flags, (read) => migrate(read.settings)));
  });
  command("check", "validate the settings and look at the database, without starting")
    .option("--dev", "as dev would see it, instead of serve")
    .action(async (flags: Flags) => {
      const { check } = await import("./check.ts");
      finish(
        await withValid(modeOf(flags), flags, (read) => {
          tell("please note:", read.warnings);
          return check(read.settings);
        }),
      );
    });
  command("config", "print the effective settings and where each came from, secrets hidden")
    .option("--dev", "as dev would see it, instead of serve")
    .option("--json", "as JSON")
    .action((flags: Flags) => {
      const read = settingsOf(modeOf(flags), flags);
      finish(config(read, { json: flags.json === true }));
      if (read.kind === "invalid") refuse(read.problems);
      tell("please note:", read.warnings);
    });
  return program;
}

function withSettings(command: Command, names = Object.keys(SETTINGS) as SettingName[]): Command {
  for (const name of names) {
    const setting = SETTINGS[name] as Setting<never>;
    const flag = flagOf(setting);
    if (flag === null) continue;
    const about = setting.about.replaceAll("`", "");
    command.addOption(new Option(`${flag} <${setting.placeholder}>`, about).helpGroup("Settings:"));
  }
  const file = new Option("--config <file>", "JSON file with settings (PUNCTUAL_CONFIG)");
  return command.addOption(file.helpGroup("Settings:"));
}

function modeOf(flags: Flags): SettingsMode {
  return flags.dev === true ? "dev" : "serve";
}

async function withValid(mode: SettingsMode, flags: Flags, run: (read: Valid) => Promise<number>): Promise<number> {
  const read = settingsOf(mode, flags);
  if (read.kind === "invalid") return refuse(read.problems);
  try {
    return await run(read);
  } catch (error) {
    return fail(error, read.settings);
  }
}

function refuse(problems: readonly SettingProblem[]): number {
  tell(problems.length === 1 ? "one setting is wrong:" : `${problems.length} settings are wrong:`, problems);
  return 2;
}

function tell(what: string, problems: readonly SettingProblem[]): void {
  if (problems.length > 0) process.stderr.write(`punctual: ${what}\n${describeProblems(problems)}`);
}

function fail(error: unknown, settings: Settings): number {
  const sentence = explain(error, settings);
  const stack = error instanceof Error ? error.stack : String(error);
  process.stderr.write(`punctual: ${sentence ?? `this should not have happened:\n${stack}`}\n`);
  return 1;
}
