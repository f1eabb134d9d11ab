import { type Context, contextsFile, deleteContext, readContexts, saveContext, useContext } from "../contexts.ts";
import { readSecret } from "../read-secret.ts";
import { noContext } from "../remote.ts";
import type { Session } from "../session.ts";
import { UsageError } from "../usage-error.ts";

export interface SetFlags {
  server?: string;
  project?: string;
  fromEnv?: string;
}

export async function listContexts({ out }: Session): Promise<void> {
  const { current, contexts } = readContexts();
  // Keys are not shown: a list is often pasted somewhere.
  const items = Object.entries(contexts).map(([name, { url, project }]) => ({
    name,
    url,
    project: project ?? null,
    current: name === current,
  }));
  out.showList(
    { items, nextCursor: null },
    [
      { title: "", of: (row) => (row.current ? "*" : "") },
      { title: "NAME", of: (row) => row.name, min: 12 },
      { title: "SERVER", of: (row) => row.url, min: 20 },
      { title: "PROJECT", of: (row) => row.project ?? "-" },
    ],
    {
      empty:
        "There are no contexts yet. `punctual dev` makes one; another is added with:\n  punctual context set <name> --server <url>",
    },
  );
}

export async function chooseContext({ out }: Session, _: object, name: string): Promise<void> {
  if (!useContext(name)) throw unknown(name);
  const { url } = readContexts().contexts[name]!;
  out.note(`Commands now talk to ${url} (context "${name}").`);
}

export async function setContext({ out }: Session, flags: SetFlags, name: string): Promise<void> {
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(name))
    throw new UsageError(`"${name}" cannot be the name of a context: use letters, digits and . _ -`);
  const known = readContexts();
  const before: Context | undefined = known.contexts[name];
  const url = flags.server ?? before?.url;
  if (url === undefined) throw new UsageError(`Say where "${name}" is: --server https://punctual.example.com`);
  if (!/^https?:\/\//.test(url) || !URL.canParse(url))
    throw new UsageError(`--server "${url}" is no address: write it as https://punctual.example.com`);
  const moved = before !== undefined && new URL(before.url).origin !== new URL(url).origin;
  // A key is kept only for the address it was given for.
  const kept = before === undefined || moved ? undefined : before.apiKey;
  const onlyChanges =
    kept !== undefined && flags.fromEnv === undefined && (flags.server ?? flags.project) !== undefined;
  const apiKey = onlyChanges ? kept : await readSecret({ what: "API key", fromEnv: flags.fromEnv });
  const project = flags.project ?? before?.project;
  saveContext(name, { url: url.replace(/\/+$/, ""), apiKey, ...(project ? { project } : {}) });
  const { current } = readContexts();
  const use =
    current === name ? "It is the current one." : `Make it the current one with: punctual context use ${name}`;
  out.note(`The context "${name}" is kept in ${contextsFile()}. ${use}`);
}

export async function forgetContext({ out }: Session, _: object, name: string): Promise<void> {
  const wasCurrent = readContexts().current === name;
  if (!deleteContext(name)) throw unknown(name);
  out.note(
    `The context "${name}" is forgotten.${wasCurrent ? " Choose another with: punctual context use <name>" : ""}`,
  );
}

function unknown(name: string): UsageError {
  return new UsageError(noContext(name, Object.keys(readContexts().contexts), contextsFile()));
}
