// Reads the settings from where people put them: a flag wins over the environment, the environment over the file, the
// file over what the table presets. All problems are gathered, so that nobody has to start ten times to find ten slips.

import { jwtProblems } from "./jwt-settings.ts";
import { oidcProblems } from "./oidc-settings.ts";
import { coversTooMuch, isOwnMachine } from "./setting-values.ts";
import {
  fileKeyOf,
  flagOf,
  SETTINGS,
  type Setting,
  type SettingName,
  type Settings,
  type SettingsMode,
} from "./settings.ts";

export interface SettingSources {
  flags: Partial<Record<SettingName, string>>;
  environment: Readonly<Record<string, string | undefined>>;
  /** The file somebody named, or why it could not be read. */
  file: { path: string; text: string } | { path: string; unreadable: string } | null;
  /** The node's name where none is set. */
  hostname: string;
  /** Whether the process runs as root; left out where that means nothing. */
  root?: boolean;
}

export interface SettingProblem {
  /** The variable's name, or the file's path when the file itself is the problem. */
  setting: string;
  message: string;
}

/** One line of `punctual config`: the value as it may be shown, and who set it. */
interface SettingEntry {
  name: SettingName;
  variable: string;
  value: string | null;
  origin: string;
}

export type SettingsRead = { entries: SettingEntry[]; warnings: SettingProblem[] } & (
  | { kind: "valid"; settings: Settings }
  | { kind: "invalid"; problems: SettingProblem[] }
);

interface Given {
  text: string;
  origin: string;
}

const NAMES = Object.keys(SETTINGS) as SettingName[];
/** Variables that mean something to Punctual without being a node's setting. */
const OTHER_VARIABLES = ["PUNCTUAL_CONFIG", "PUNCTUAL_URL", "PUNCTUAL_API_KEY", "PUNCTUAL_PROJECT"];
const LATER_VARIABLES = ["PUNCTUAL_REDIS_URL"];

export function readSettings(mode: SettingsMode, sources: SettingSources): SettingsRead {
  const file = readFile(sources.file);
  const read = NAMES.map((name) => readOne(name, mode, { sources, file: file.values }));
  const settings = Object.freeze(
    Object.fromEntries(read.map(({ name, value }) => [name, value])),
  ) as unknown as Settings;
  const refused = read.flatMap(({ name, problem }) => (problem === null ? [] : { name, message: problem }));
  // A value that was refused for itself is not judged again by what stands in its place.
  const found = unsafe(settings, mode).filter(
    ({ name, or = [] }) => !refused.some((other) => [name, ...or].includes(other.name)),
  );
  const problems = [...file.problems, ...refused.map(named), ...found.map(named)];
  const warnings = [...unknownVariables(sources.environment), ...doubtful(settings, mode, sources).map(named)];
  const entries = read.map(({ entry }) => entry);
  return problems.length === 0
    ? { kind: "valid", settings, entries, warnings }
    : { kind: "invalid", problems, entries, warnings };
}

function readOne(
  name: SettingName,
  mode: SettingsMode,
  { sources, file }: { sources: SettingSources; file: ReadonlyMap<SettingName, Given> },
): { name: SettingName; value: unknown; problem: string | null; entry: SettingEntry } {
  const setting = SETTINGS[name] as Setting<unknown>;
  const preset = name === "nodeName" ? sources.hostname : setting.preset[mode === "dev" ? "dev" : "serve"];
  const given = findGiven(name, sources, file);
  const reading = given === null ? { value: preset } : setting.kind.read(given.text);
  const read = "refused" in reading ? preset : reading.value;
  const value = frozen(mode === "dev" && name === "egressAllow" ? withLoopback(read as string[]) : read);
  const origin = given?.origin ?? "default";
  const entry = { name, variable: setting.variable, value: shown(setting, value), origin };
  return "refused" in reading
    ? { name, value, problem: `${reading.refused} (${origin})`, entry: { ...entry, value: "(refused)" } }
    : { name, value, problem: null, entry };
}

function findGiven(name: SettingName, sources: SettingSources, file: ReadonlyMap<SettingName, Given>): Given | null {
  const setting = SETTINGS[name] as Setting<never>;
  const flag = sources.flags[name];
  if (flag !== undefined) return { text: flag.trim(), origin: `flag ${flagOf(setting)}` };
  // An empty variable is one that a compose file or a script left empty, not a value.
  const variable = sources.environment[setting.variable]?.trim() ?? "";
  if (variable !== "") return { text: variable, origin: "environment" };
  return file.get(name) ?? null;
}

function withLoopback(allowed: readonly string[]): readonly string[] {
  return [...new Set([...allowed, ...(SETTINGS.egressAllow.preset.dev ?? [])])];
}

function frozen(value: unknown): unknown {
  return Array.isArray(value) ? Object.freeze(value) : value;
}

/** As it may be shown to anybody: secrets hidden; null for what is not set. */
export function shown(setting: Setting<unknown>, value: unknown): string | null {
  if (value === null) return setting.kind.none ?? null;
  return setting.kind.show(value) || null;
}

// ---------------------------------------------------------------------------------------------------------------
// The file: a JSON object of settings by name
// ---------------------------------------------------------------------------------------------------------------

function readFile(file: SettingSources["file"]): { values: Map<SettingName, Given>; problems: SettingProblem[] } {
  const values = new Map<SettingName, Given>();
  if (file === null) return { values, problems: [] };
  const problem = (message: string) => ({ setting: file.path, message });
  if ("unreadable" in file) return { values, problems: [problem(`cannot be read: ${file.unreadable}`)] };
  const content = parseObject(file.text);
  if (content === null) return { values, problems: [problem('is not a JSON object, such as {"port": 7420}')] };
  const problems: SettingProblem[] = [];
  for (const [key, value] of Object.entries(content)) {
    const name = NAMES.find((known) => fileKeyOf(SETTINGS[known] as Setting<never>) === key);
    const text = textOf(value);
    if (name === undefined) problems.push(problem(`"${key}" is not a setting${nearest(key, NAMES.map(fileKey))}`));
    else if (text === null) problems.push(problem(`"${key}" is neither text, number, true, false nor a list of texts`));
    else if (text !== "") values.set(name, { text, origin: `file ${file.path}` });
  }
  return { values, problems };
}

function fileKey(name: SettingName): string {
  return fileKeyOf(SETTINGS[name] as Setting<never>);
}

function parseObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}

function textOf(value: unknown): string | null {
  if (value === null) return "";
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") return String(value).trim();
  return Array.isArray(value) && value.every((item) => typeof item === "string") ? value.join(",") : null;
}

// ---------------------------------------------------------------------------------------------------------------
// What is wrong although each value is fine by itself
// ---------------------------------------------------------------------------------------------------------------

interface Finding {
  name: SettingName;
  /** What would do as well. */
  or?: readonly SettingName[];
  message: string;
}

/** What a mode refuses to run with. */
function unsafe(settings: Settings, mode: SettingsMode): Finding[] {
  const found: Finding[] = [];
  const find = (name: SettingName, message: string) => found.push({ name, message });
  if (mode !== "dev" && settings.databaseUrl === null)
    find("databaseUrl", "is not set; name the database, such as postgres://user:password@host:5432/punctual");
  if (mode === "migrate") return found;
  if (mode !== "reseal") found.push(...jwtProblems(settings), ...oidcProblems(settings));
  if (mode !== "reseal" && settings.roles.length === 0) find("roles", "names no role; leave it out for all of them");
  if (mode === "dev") return found;
  if (settings.encryptionKeys.length === 0)
    find("encryptionKeys", "is not set; make one with: openssl rand -base64 32");
  if (mode === "reseal") return found;
  if (settings.trustProxy === true)
    find(
      "trustProxy",
      '"on" lets every client choose its own address; give the number of proxies in front (1), or their addresses',
    );
  for (const entry of settings.egressAllow.filter(coversTooMuch))
    find(
      "egressAllow",
      `"${entry}" allows nearly every address, private ones too; name the ranges or hosts that are meant`,
    );
  return found;
}

/** What works, but perhaps not as meant. */
function doubtful(settings: Settings, mode: SettingsMode, { root }: SettingSources): Finding[] {
  const found: Finding[] = [];
  if (mode === "migrate" || mode === "reseal") return found;
  if (mode === "dev" && !isLoopback(settings.host))
    found.push({
      name: "host",
      message: `"${settings.host}" is reachable by others, and dev lets targets be on this machine; use serve for that`,
    });
  if (!settings.prepared && settings.listenUrl === null)
    found.push({
      name: "listenUrl",
      message: "is not set: through a pooler no wake-ups arrive, and changes act on other nodes up to a second later",
    });
  if (mode === "serve" && !isLoopback(settings.host) && settings.publicUrl === null)
    found.push({ name: "publicUrl", message: "is not set: callback URLs will name this machine's host and port" });
  if (settings.jwtJwksUrl?.startsWith("http:") && !isOwnMachine(new URL(settings.jwtJwksUrl)))
    found.push({
      name: "jwtJwksUrl",
      message: "is not https:: whoever is on the way there could put in a key of their own and sign tokens with it",
    });
  if (settings.egressProxyResolves && settings.egressProxy === null)
    found.push({
      name: "egressProxyResolves",
      message: "is on although PUNCTUAL_EGRESS_PROXY is not set: nothing changes",
    });
  if (settings.shell && root === true && settings.shellUsers.length === 0)
    found.push({
      name: "shellUsers",
      message: "is not set: commands would run as root; name the users they may run as, such as nobody",
    });
  if (settings.shell && root === false && settings.shellUsers.length > 0)
    found.push({
      name: "shellUsers",
      message: "names users although this node does not run as root: it can run commands only as itself",
    });
  return found;
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127\./.test(host);
}

function named({ name, message }: Finding): SettingProblem {
  return { setting: SETTINGS[name].variable, message };
}

function unknownVariables(environment: SettingSources["environment"]): SettingProblem[] {
  const known = [...NAMES.map((name) => SETTINGS[name].variable), ...OTHER_VARIABLES];
  return Object.keys(environment)
    .filter((variable) => variable.startsWith("PUNCTUAL_") && !known.includes(variable))
    .sort()
    .map((variable) => ({
      setting: variable,
      message: LATER_VARIABLES.includes(variable)
        ? "is not used by this version"
        : `is not a setting${nearest(variable, known)}`,
    }));
}

function nearest(name: string, known: readonly string[]): string {
  const ranked = known
    .map((candidate) => ({ candidate, distance: editDistance(name.toLowerCase(), candidate.toLowerCase()) }))
    .sort((a, b) => a.distance - b.distance);
  const best = ranked[0];
  // Beyond a third of its letters it is another word, and a wrong guess helps less than none.
  return best !== undefined && best.distance <= Math.ceil(name.length / 3) ? `; did you mean ${best.candidate}?` : "";
}

/** Letters to insert, delete or replace to get from one to the other. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let i = 1; i <= a.length; i++) {
    const above = row;
    row = [i];
    for (let j = 1; j <= b.length; j++)
      row.push(Math.min(above[j]! + 1, row[j - 1]! + 1, above[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)));
  }
  return row[b.length]!;
}
