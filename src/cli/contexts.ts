// Which Punctual the client commands talk to: named contexts in one small file of the user. It holds keys, so only its
// owner may read it.

import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";

export interface Context {
  url: string;
  apiKey: string;
}

interface Contexts {
  current: string;
  contexts: Record<string, Context>;
}

export function contextsFile(environment: NodeJS.ProcessEnv = process.env): string {
  return join(environment.XDG_CONFIG_HOME || join(homedir(), ".config"), "punctual", "contexts.json");
}

/** Adds or replaces one context; the first one becomes the current one. */
export function saveContext(name: string, context: Context, path = contextsFile()): void {
  const known = readContexts(path);
  const contexts: Contexts = {
    current: known?.current ?? name,
    contexts: { ...known?.contexts, [name]: context },
  };
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.${process.pid}.tmp`;
  writeFileSync(draft, `${JSON.stringify(contexts, null, 2)}\n`, { mode: 0o600 });
  renameSync(draft, path);
}

function readContexts(path: string): Contexts | null {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
  const value: unknown = JSON.parse(text);
  // Whatever else it is, it is not ours to overwrite.
  if (typeof value !== "object" || value === null || !("contexts" in value))
    throw new Error(`${path} holds no contexts`);
  return value as Contexts;
}
