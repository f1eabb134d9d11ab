// Which Punctual the client commands talk to: named contexts in one small file of the user. It holds keys, so only its
// owner may read it.

import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { ExpectedError } from "./expected-error.ts";

export interface Context {
  url: string;
  apiKey: string;
  /** For keys that may act in several projects. */
  project?: string;
}

export interface Contexts {
  /** The one that is used when none is named; empty when it was deleted. */
  current: string;
  contexts: Record<string, Context>;
}

export function contextsFile(environment: NodeJS.ProcessEnv = process.env): string {
  return join(environment.XDG_CONFIG_HOME || join(homedir(), ".config"), "punctual", "contexts.json");
}

/** Adds or replaces one context; the first one becomes the current one. */
export function saveContext(name: string, context: Context, path = contextsFile()): void {
  const { current, contexts } = readContexts(path);
  writeContexts({ current: current || name, contexts: { ...contexts, [name]: context } }, path);
}

/** False if there is no context of that name. */
export function useContext(name: string, path = contextsFile()): boolean {
  const { contexts } = readContexts(path);
  if (!Object.hasOwn(contexts, name)) return false;
  writeContexts({ current: name, contexts }, path);
  return true;
}

/** False if there is no context of that name. */
export function deleteContext(name: string, path = contextsFile()): boolean {
  const { current, contexts } = readContexts(path);
  if (!Object.hasOwn(contexts, name)) return false;
  const { [name]: _, ...others } = contexts;
  writeContexts({ current: current === name ? "" : current, contexts: others }, path);
  return true;
}

/** None if there is no file yet. */
export function readContexts(path = contextsFile()): Contexts {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return { current: "", contexts: {} };
    throw error;
  }
  // Whatever else it is, it is not ours to overwrite.
  if (!holdsContexts(text)) throw new ExpectedError(`${path} holds no contexts: repair it, or move it away`);
  return JSON.parse(text) as Contexts;
}

function holdsContexts(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== "object" || value === null || !("contexts" in value)) return false;
    return typeof value.contexts === "object" && value.contexts !== null;
  } catch {
    return false;
  }
}

function writeContexts(contexts: Contexts, path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.${process.pid}.tmp`;
  writeFileSync(draft, `${JSON.stringify(contexts, null, 2)}\n`, { mode: 0o600 });
  renameSync(draft, path);
}
