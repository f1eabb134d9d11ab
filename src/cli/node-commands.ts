// The commands that run a node or look at what it would run with. Their flags come from the table of settings, so that a
// setting is never without one.

import { type Command, Option } from "commander";
import type { SettingProblem, SettingsRead } from "../contract/read-settings.ts";
import {
  flagOf,
  SETTINGS,
  type Setting,
  type SettingName,
  type Settings,
  type SettingsMode,
} from "../contract/settings.ts";
import { HELP_GROUPS } from "./command.ts";
import { config } from "./config.ts";
import { EXIT } from "./exit-code.ts";
import { explain } from "./expected-error.ts";
import { describeProblems, type Flags, settingsOf } from "./settings-input.ts";

const SOURCES = `
Every setting can be a flag, an environment variable (PUNCTUAL_PORT) or a line
of the JSON file named by --config ({"port": 7420}), in this order. Keys have no
flag.`;

type Valid = Extract<SettingsRead, { kind: "valid" }>;

export function nodeCommands(program: Command, finish: (code: number) => void): void {
  const command = (name: string, description: string, examples: string, settings?: SettingName[]) =>
    withSettings(program.command(name).description(description), settings)
      .helpGroup(HELP_GROUPS.run)
      .addHelpText("after", `\nExamples:${examples}\n${SOURCES}`);

  command("dev", "run everything on this machine", DEV).action(async (flags: Flags) => {
    const { dev } = await import("./dev.ts");
    finish(await withValid("dev", flags, (read) => dev(read.settings, read.warnings)));
  });
  command("serve", "run a production node", SERVE).action(async (flags: Flags) => {
    const { serve } = await import("./serve.ts");
    finish(await withValid("serve", flags, (read) => serve(read.settings, read.warnings)));
  });
  command("migrate", "bring the database's schema up to this version", MIGRATE, ["databaseUrl"]).action(
    async (flags: Flags) => {
      const { migrate } = await import("./migrate.ts");
      finish(await withValid("migrate", flags, (read) => migrate(read.settings)));
    },
  );
  command("check", "validate settings and database without starting", CHECK)
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
  command("config", "print the effective settings, secrets hidden", CONFIG)
    .option("--dev", "as dev would see it, instead of serve")
    .option("--json", "as JSON")
    .action((flags: Flags) => {
      const read = settingsOf(modeOf(flags), flags);
      finish(config(read, { json: flags.json === true }));
      if (read.kind === "invalid") refuse(read.problems);
      tell("please note:", read.warnings);
    });
}

const DEV = `
  # everything on this machine, nothing to set up
  $ punctual dev
  # somewhere else
  $ punctual dev --port 8000 --data-dir /tmp/try`;
const SERVE = `
  $ export PUNCTUAL_DATABASE_URL=postgres://punctual:…@db:5432/punctual
  $ export PUNCTUAL_ENCRYPTION_KEYS=$(openssl rand -base64 32)
  # a production node; start as many as you like
  $ punctual serve
  # one that only answers requests
  $ punctual serve --roles api`;
const MIGRATE = `
  $ punctual migrate --database-url postgres://punctual:…@db:5432/punctual`;
const CHECK = `
  # would it start?
  $ punctual check`;
const CONFIG = `
  # what it would run with, and where each value came from
  $ punctual config --json`;

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
  return EXIT.usage;
}

function tell(what: string, problems: readonly SettingProblem[]): void {
  if (problems.length > 0) process.stderr.write(`punctual: ${what}\n${describeProblems(problems)}`);
}

function fail(error: unknown, settings: Settings): number {
  const sentence = explain(error, settings);
  const stack = error instanceof Error ? error.stack : String(error);
  process.stderr.write(`punctual: ${sentence ?? `this should not have happened:\n${stack}`}\n`);
  return EXIT.failed;
}
