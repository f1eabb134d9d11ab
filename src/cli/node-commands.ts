// The commands that run a node or look at what it would run with. Their flags come from the table of settings, so that a
// setting is never without one.

import { type Command, Option } from "commander";
import { PunctualError } from "../contract/errors.ts";
import type { SettingProblem, SettingsRead } from "../contract/read-settings.ts";
import { flagOf, SETTINGS, type Setting, type SettingName, type SettingsMode } from "../contract/settings.ts";
import { HELP_GROUPS } from "./command.ts";
import { config } from "./config.ts";
import { EXIT } from "./exit-code.ts";
import { ExpectedError, explain } from "./expected-error.ts";
import { Session } from "./session.ts";
import { describeProblems, type Flags, settingsOf } from "./settings-input.ts";
import { UsageError } from "./usage-error.ts";

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
  command("migrate", "bring the database's schema up to this version", MIGRATE, ["databaseUrl"])
    .option("--json", "as JSON")
    .action(async (flags: Flags) => {
      const { migrate } = await import("./migrate.ts");
      finish(await withValid("migrate", flags, (read, { out }) => migrate(out, read.settings)));
    });
  command("setup-link", "let somebody in who cannot sign in", SETUP_LINK)
    .option("--email <address>", "who is to choose a password; without it: the first admin")
    .option("--admin", "with --email: make them an instance admin")
    .option("--json", "as JSON")
    .action(async (flags: Flags & { email?: string; admin?: boolean }) => {
      const { setupLinkCommand } = await import("./setup-link.ts");
      finish(await withValid("serve", flags, (read, { out }) => setupLinkCommand(out, read.settings, flags)));
    });
  command("shut-out <email>", "take every right from somebody, at once on all nodes", SHUT_OUT)
    .option("--json", "as JSON")
    .action(async (email: string, flags: Flags) => {
      const { shutOutCommand } = await import("./shut-out.ts");
      finish(await withValid("serve", flags, (read, { out }) => shutOutCommand(out, read.settings, email)));
    });
  command("reseal", "seal everything with the first encryption key", RESEAL, ["databaseUrl", "prepared"])
    .option("--json", "as JSON")
    .action(async (flags: Flags) => {
      const { reseal } = await import("./reseal.ts");
      finish(await withValid("reseal", flags, (read, { out }) => reseal(out, read.settings)));
    });
  command("check", "validate settings and database without starting", CHECK)
    .option("--dev", "as dev would see it, instead of serve")
    .option("--json", "as JSON")
    .action(async (flags: Flags) => {
      const { check } = await import("./check.ts");
      finish(
        await withValid(modeOf(flags), flags, (read, { out }) => {
          if (!out.json) tell("please note:", read.warnings);
          return check(out, read.settings, read.warnings);
        }),
      );
    });
  command("config", "print the effective settings, secrets hidden", CONFIG)
    .option("--dev", "as dev would see it, instead of serve")
    .option("--json", "as JSON")
    .action((flags: Flags) => {
      const read = settingsOf(modeOf(flags), flags);
      const session = sessionOf(flags);
      finish(config(read, session.out));
      if (read.kind === "invalid") refuse(session, read.problems);
      if (!session.out.json) tell("please note:", read.warnings);
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
const SETUP_LINK = `
  # the first admin
  $ punctual setup-link
  # somebody who forgot a password, or another instance admin
  $ punctual setup-link --email ann@example.com
  $ punctual setup-link --email bob@example.com --admin`;
const SHUT_OUT = `
  # somebody who left
  $ punctual shut-out ann@example.com`;
const RESEAL = `
  # after a new key was put first on all nodes
  $ PUNCTUAL_ENCRYPTION_KEYS=<new>,<old> punctual reseal`;
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

function sessionOf(flags: Flags): Session {
  return new Session({ json: flags.json === true });
}

async function withValid(
  mode: SettingsMode,
  flags: Flags,
  run: (read: Valid, session: Session) => Promise<number>,
): Promise<number> {
  const session = sessionOf(flags);
  const read = settingsOf(mode, flags);
  if (read.kind === "invalid") return refuse(session, read.problems);
  try {
    return await run(read, session);
  } catch (error) {
    if (error instanceof UsageError) return session.fail(error);
    const sentence = explain(error, read.settings);
    return session.fail(sentence === null ? error : new ExpectedError(sentence, { cause: error }));
  }
}

function refuse(session: Session, problems: readonly SettingProblem[]): number {
  const details = problems.map(({ setting, message }) => ({ path: setting, code: "invalid", message }));
  if (session.out.json) return session.fail(PunctualError.validation(details));
  tell(problems.length === 1 ? "one setting is wrong:" : `${problems.length} settings are wrong:`, problems);
  return EXIT.usage;
}

function tell(what: string, problems: readonly SettingProblem[]): void {
  if (problems.length > 0) process.stderr.write(`punctual: ${what}\n${describeProblems(problems)}`);
}
