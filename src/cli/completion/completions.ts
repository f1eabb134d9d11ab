import type { Command, Option } from "commander";
import { readContexts } from "../contexts.ts";
import { type RemoteFlags, remoteOf } from "../remote.ts";

/** A person waits with a finger on the key. */
const SERVER_MS_MAX = 1_000;
const NAMES_MAX = 200;

type Completion = readonly [word: string, about: string];

/** What may stand for the last of these words, each with a word about it. */
export async function completions(program: Command, words: readonly string[]): Promise<Completion[]> {
  const given = words.slice(0, -1);
  const begun = words.at(-1) ?? "";
  const { command, flags, open, positional } = read(program, given);
  const all = open ? await valuesOf(open) : await wordsOf(command, begun, flags, positional);
  return all.filter(([word]) => word.startsWith(begun));
}

interface Read {
  command: Command;
  flags: RemoteFlags;
  /** The option whose value comes next. */
  open: Option | null;
  /** How many arguments of the command have been given. */
  positional: number;
}

function read(program: Command, words: readonly string[]): Read {
  const found: Read = { command: program, flags: {}, open: null, positional: 0 };
  for (const word of words) {
    if (found.open) {
      Object.assign(found.flags, { [found.open.attributeName()]: word });
      found.open = null;
    } else if (word.startsWith("-")) found.open = optionOpenedBy(found.command, word);
    else {
      const inner = found.command.commands.find((one) => one.name() === word || one.aliases().includes(word));
      if (inner) found.command = inner;
      else found.positional += 1;
    }
  }
  return found;
}

function optionOpenedBy(command: Command, word: string): Option | null {
  const option = command.options.find((one) => one.long === word || one.short === word);
  return option?.required ? option : null;
}

async function wordsOf(command: Command, begun: string, flags: RemoteFlags, positional: number): Promise<Completion[]> {
  if (begun.startsWith("-"))
    return [...command.options, { long: "--help", description: "print help", hidden: false }].flatMap((option) =>
      option.hidden || !option.long ? [] : [[option.long, option.description] as const],
    );
  const inner = command.createHelp().visibleCommands(command);
  if (inner.length > 0) return inner.map((one) => [one.name(), one.description()] as const);
  const names = command.registeredArguments;
  const argument = names[positional] ?? (names.at(-1)?.variadic ? names.at(-1) : undefined);
  if (argument?.argChoices) return argument.argChoices.map((choice) => [choice, ""] as const);
  if (argument?.name() === "job") return await jobNames(flags);
  return argument?.name() === "context" ? contextNames() : [];
}

async function valuesOf(option: Option): Promise<Completion[]> {
  if (option.argChoices) return option.argChoices.map((choice) => [choice, ""] as const);
  if (option.long === "--context") return contextNames();
  return option.long === "--job" ? await jobNames({}) : [];
}

function contextNames(): Completion[] {
  return Object.entries(readContexts().contexts).map(([name, { url }]) => [name, url] as const);
}

/** A server that cannot be asked costs nothing but the names. */
async function jobNames(flags: RemoteFlags): Promise<Completion[]> {
  try {
    const { url, apiKey, project } = remoteOf(flags);
    const { PunctualClient } = await import("../../client/index.ts");
    const client = new PunctualClient({ url, key: apiKey, ...(project === null ? {} : { project }) });
    const options = { retries: 0, timeoutMs: SERVER_MS_MAX };
    const { items } = await client.jobs.list({ sort: "name", limit: NAMES_MAX }, options);
    return items.map(({ name, description }) => [name, description.split("\n")[0]!] as const);
  } catch {
    return [];
  }
}
