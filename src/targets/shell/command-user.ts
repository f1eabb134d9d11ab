// As whom a command runs. Only users that the operator named, and only a node that runs as root can become somebody else.

import { readFile } from "node:fs/promises";
import { CallRefused } from "../refusal.ts";

export interface CommandUser {
  name: string;
  uid: number;
  gid: number;
  home: string;
}

/** null: as whoever the node runs as. */
export async function commandUser(wanted: string | undefined, allowed: readonly string[]): Promise<CommandUser | null> {
  const name = wanted ?? allowed[0];
  if (name === undefined) return null;
  if (!allowed.includes(name))
    throw new CallRefused(
      "user",
      `"${name}" is not one of PUNCTUAL_SHELL_USERS of the node that was to run the command`,
    );
  const user = await passwdEntry(name);
  if (user === null) throw new CallRefused("user", `there is no user "${name}" in /etc/passwd of the node's machine`);
  const own = process.getuid?.();
  if (own !== 0 && own !== user.uid)
    throw new CallRefused("user", `the node does not run as root and cannot run a command as "${name}"`);
  return user;
}

async function passwdEntry(wanted: string): Promise<CommandUser | null> {
  for (const line of (await readFile("/etc/passwd", "utf8")).split("\n")) {
    const [name, , uid, gid, , home] = line.split(":");
    if (name === wanted) return { name, uid: Number(uid), gid: Number(gid), home: home || "/" };
  }
  return null;
}
