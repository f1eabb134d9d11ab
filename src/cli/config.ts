import type { SettingsRead } from "../contract/read-settings.ts";
import { columns } from "./columns.ts";

/** `punctual config`: what a node would run with and where each value came from, secrets hidden. */
export function config(read: SettingsRead, { json }: { json: boolean }): number {
  const problems = read.kind === "valid" ? [] : read.problems;
  process.stdout.write(json ? asJson(read, problems) : asText(read));
  return problems.length === 0 ? 0 : 2;
}

function asText({ entries }: SettingsRead): string {
  return columns([
    ["SETTING", "VALUE", "FROM"],
    ...entries.map(({ variable, value, origin }) => [variable, value ?? "-", origin]),
  ]);
}

function asJson({ entries, warnings }: SettingsRead, problems: readonly object[]): string {
  const settings = entries.map(({ variable, value, origin }) => ({ setting: variable, value, origin }));
  return `${JSON.stringify({ settings, problems, warnings }, null, 2)}\n`;
}
