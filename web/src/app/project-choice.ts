// Which project somebody looks at: the one in the address, the one of last time, one of their own, or the first for whoever
// sees to the instance. A project may have been deleted, renamed or lost since it was last seen, so each is tried.

import { type Me, PunctualApiError, PunctualClient } from "punctual/client";
import { StoredChoice } from "../ui/stored-choice.ts";
import { tell } from "../ui/toast.tsx";

const lastTime = new StoredChoice<string>("project", "", (value): value is string => value !== "");

/** It is always there, and cannot be renamed or deleted. */
const FIRST_PROJECT = "default";

export interface Entered {
  me: Me;
  project: { id: string; name: string };
  client: PunctualClient;
}

/** Null for somebody who has no part in any. */
export async function enterProject(me: Me): Promise<Entered | null> {
  const asked = askedFor();
  const own = me.projects.map(({ name }) => name);
  for (const name of new Set([asked, lastTime.value, ...own, ...(me.instanceAdmin ? [FIRST_PROJECT] : [])])) {
    const entered = name === null || name === "" ? null : await tryProject(name);
    if (entered !== null) return arrived(asked, entered, own.length > 1);
  }
  return null;
}

async function tryProject(name: string): Promise<Entered | null> {
  const client = new PunctualClient({ project: name, retries: 1 });
  try {
    const me = await client.me();
    return me.project === null ? null : { me, project: me.project, client };
  } catch (error) {
    if (error instanceof PunctualApiError && error.status === 404) return null;
    throw error;
  }
}

/** An address says which project it is of where there may be several: whoever gets it sent sees the same. */
function arrived(asked: string | null, entered: Entered, isOneOfSeveral: boolean): Entered {
  const { id, name } = entered.project;
  lastTime.choose(name);
  if (asked === name || asked === id) return entered;
  const address = new URL(location.href);
  if (isOneOfSeveral || name !== FIRST_PROJECT) address.searchParams.set("project", name);
  else address.searchParams.delete("project");
  history.replaceState(history.state, "", address);
  if (asked !== null) tell(`There is no project “${asked}” that you have a part in. This is ${name}.`);
  return entered;
}

/** The router writes a name that looks like a number in quotation marks. */
function askedFor(): string | null {
  const written = new URLSearchParams(location.search).get("project");
  return written?.replace(/^"(.*)"$/, "$1") || null;
}
