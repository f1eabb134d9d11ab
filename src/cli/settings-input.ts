import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import { resolve } from "node:path";
import {
  readSettings,
  type SettingProblem,
  type SettingSources,
  type SettingsRead,
} from "../contract/read-settings.ts";
import { fileKeyOf, SETTINGS, type Setting, type SettingName, type SettingsMode } from "../contract/settings.ts";

/** The flags of a command as the parser gives them: a setting's name in the file is also that of its flag. */
export type Flags = Record<string, string | boolean | undefined>;

/** Reads the settings of this process: the command's flags, its environment, the file one of them names. */
export function settingsOf(mode: SettingsMode, flags: Flags): SettingsRead {
  const environment = process.env;
  const path = typeof flags.config === "string" ? flags.config : environment.PUNCTUAL_CONFIG?.trim();
  return readSettings(mode, {
    flags: settingFlags(flags),
    environment,
    file: readNamedFile(path),
    hostname: hostname(),
    ...(process.getuid === undefined ? {} : { root: process.getuid() === 0 }),
  });
}

/** One problem to a line, as it stands in a terminal. */
export function describeProblems(problems: readonly SettingProblem[]): string {
  return problems.map(({ setting, message }) => `  ${setting}: ${message}\n`).join("");
}

function settingFlags(flags: Flags): SettingSources["flags"] {
  const named = (Object.entries(SETTINGS) as [SettingName, Setting<never>][]).map(([name, setting]) => [
    name,
    flags[fileKeyOf(setting)],
  ]);
  return Object.fromEntries(named.filter(([, value]) => typeof value === "string"));
}

function readNamedFile(path: string | undefined): SettingSources["file"] {
  if (path === undefined || path === "") return null;
  try {
    return { path, text: readFileSync(resolve(path), "utf8") };
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    return { path, unreadable: code === "ENOENT" ? "there is no such file" : (error as Error).message };
  }
}
