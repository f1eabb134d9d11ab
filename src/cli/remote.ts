// Which Punctual a command talks to and with which key: named by flags, by the environment, or by the current context.
// A key never goes to another address than the one it was kept for.

import { type Contexts, contextsFile, readContexts } from "./contexts.ts";
import { UsageError } from "./usage-error.ts";

export interface RemoteFlags {
  context?: string;
  server?: string;
  project?: string;
}

export interface Remote {
  url: string;
  apiKey: string;
  project: string | null;
  /** In words, for whoever wonders why this one. */
  urlFrom: string;
  keyFrom: string;
}

interface Place {
  environment: NodeJS.ProcessEnv;
  contexts: Contexts;
  file: string;
}

export function remoteOf(flags: RemoteFlags, environment: NodeJS.ProcessEnv = process.env): Remote {
  const file = contextsFile(environment);
  const place = { environment, contexts: readContexts(file), file };
  const remote = flags.context === undefined ? byAddress(flags, place) : byContext(flags.context, place);
  const project = flags.project ?? (environment.PUNCTUAL_PROJECT?.trim() || remote.project);
  return { ...remote, url: checkedUrl(remote), project };
}

function byContext(name: string, { contexts: { contexts }, file }: Place): Remote {
  const context = Object.hasOwn(contexts, name) ? contexts[name] : undefined;
  if (context === undefined) throw new UsageError(noContext(name, Object.keys(contexts), file));
  const from = `the context "${name}" in ${file}`;
  return { url: context.url, apiKey: context.apiKey, project: context.project ?? null, urlFrom: from, keyFrom: from };
}

export function noContext(name: string, known: readonly string[], file: string): string {
  const others = known.length === 0 ? "none" : known.join(", ");
  return `There is no context "${name}" in ${file}. There is: ${others}. Make it with: punctual context set ${name} --server <url>`;
}

function byAddress(flags: RemoteFlags, place: Place): Remote {
  const { environment, contexts } = place;
  const setKey = environment.PUNCTUAL_API_KEY?.trim();
  const setUrl = environment.PUNCTUAL_URL?.trim();
  const named = flags.server ?? (setUrl || undefined);
  const key = setKey ? { apiKey: setKey, keyFrom: "PUNCTUAL_API_KEY" } : null;
  if (named !== undefined) {
    const urlFrom = flags.server === undefined ? "PUNCTUAL_URL" : "--server";
    const kept = key === null ? keptFor(named, place) : null;
    if (key === null && kept === null)
      throw new UsageError(
        `There is no key for ${named} (from ${urlFrom}). Set PUNCTUAL_API_KEY, or keep one with: ${SET}`,
      );
    return { url: named, urlFrom, project: kept?.project ?? null, ...(key ?? kept!) };
  }
  if (contexts.current === "" || !Object.hasOwn(contexts.contexts, contexts.current)) throw new UsageError(NOWHERE);
  return { ...byContext(contexts.current, place), ...key };
}

/** The key of the context with the same address, if there is one; the current context is looked at first. */
function keptFor(url: string, { contexts: { current, contexts }, file }: Place) {
  const entries = Object.entries(contexts).sort(([a], [b]) => Number(b === current) - Number(a === current));
  const found = entries.find(([, context]) => sameAddress(context.url, url));
  if (found === undefined) return null;
  const [name, { apiKey, project }] = found;
  return { apiKey, keyFrom: `the context "${name}" in ${file}`, project: project ?? null };
}

function sameAddress(a: string, b: string): boolean {
  return URL.canParse(a) && URL.canParse(b) && new URL(a).href === new URL(b).href;
}

function checkedUrl({ url, urlFrom }: Remote): string {
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return url.replace(/\/+$/, "");
  throw new UsageError(`"${url}" (from ${urlFrom}) is no address: write it as http://127.0.0.1:7420`);
}

const SET = "punctual context set <name> --server <url>";
const NOWHERE = `There is no Punctual to talk to. Do one of these:
  punctual dev                      starts one on this machine and remembers it
  ${SET}
                                    remembers another one and its key
  export PUNCTUAL_URL=… PUNCTUAL_API_KEY=…`;
