// The way in. Whoever comes by a link is signed in or chooses a password; others sign in; whoever has a session goes on to the
// page they asked for. A link's token stands behind the #, which no server sees, and is taken out of the address at once.

import { type Me, PunctualApiError, PunctualClient } from "punctual/client";
import { type ReactNode, useCallback, useEffect, useState } from "react";
import type { Session } from "../api/session.tsx";
import { ChoosePassword, SetUp } from "../pages/sign-in/choose-password.tsx";
import { SignIn } from "../pages/sign-in/sign-in.tsx";
import { errorText, Failure, Loading } from "../ui/notice.tsx";
import { StoredChoice } from "../ui/stored-choice.ts";

type Door =
  | { at: "looking" }
  | { at: "sign-in"; hint: string }
  | { at: "set-up"; token: string }
  | { at: "password"; token: string }
  | { at: "no-project"; me: Me }
  | { at: "unreachable"; error: unknown }
  | { at: "inside"; session: Session };

const outside = new PunctualClient({ retries: 1 });
const projectChoice = new StoredChoice<string>("project", "", (value): value is string => value !== "");

export function Entrance({ children }: { children: (session: Session) => ReactNode }) {
  const [door, setDoor] = useState<Door>({ at: "looking" });
  const leave = useCallback((hint: string) => setDoor({ at: "sign-in", hint }), []);
  const enter = useCallback((me: Me) => void inside(me, leave).then(setDoor), [leave]);
  const look = useCallback(() => {
    setDoor({ at: "looking" });
    void knock(leave).then(setDoor);
  }, [leave]);
  useEffect(look, [look]);
  useEffect(() => {
    const onHash = () => tokenOf(location.hash) !== null && look();
    addEventListener("hashchange", onHash);
    return () => removeEventListener("hashchange", onHash);
  }, [look]);
  if (door.at === "inside") return children(door.session);
  if (door.at === "looking") return <Loading />;
  if (door.at === "sign-in") return <SignIn client={outside} hint={door.hint} onEnter={enter} />;
  if (door.at === "set-up") return <SetUp client={outside} token={door.token} onEnter={enter} />;
  if (door.at === "password") return <ChoosePassword client={outside} token={door.token} onEnter={enter} />;
  if (door.at === "unreachable") return <Failure error={door.error} retry={look} />;
  return (
    <SignIn
      client={outside}
      hint={`${door.me.name} is a member of no project yet. Ask an admin to add you to one.`}
      onEnter={enter}
    />
  );
}

function tokenOf(hash: string): { kind: string; token: string } | null {
  const [, kind, token] = /^#([a-z-]+)=(.+)$/.exec(hash) ?? [];
  return kind === undefined || token === undefined ? null : { kind, token };
}

/** Takes the token out of the address bar and the history. */
function takeToken(): { kind: string; token: string } | null {
  const found = tokenOf(location.hash);
  if (found !== null) history.replaceState(null, "", location.pathname + location.search);
  return found;
}

async function knock(leave: (hint: string) => void): Promise<Door> {
  const link = takeToken();
  try {
    if (link?.kind === "setup") return { at: "set-up", token: link.token };
    if (link?.kind === "password") return { at: "password", token: link.token };
    if (link?.kind === "sign-in") return await inside(await outside.auth.login({ token: link.token }), leave);
    if (link?.kind === "sign-in-failed") return { at: "sign-in", hint: refusedBy(link.token) };
    return await inside(await outside.me(), leave);
  } catch (error) {
    if (!(error instanceof PunctualApiError)) return { at: "unreachable", error };
    // That nobody is signed in is no news to somebody who is about to.
    return { at: "sign-in", hint: error.status === 401 && link === null ? "" : errorText(error) };
  }
}

function refusedBy(code: string): string {
  return `Your organisation’s account did not let you in (${code}). Ask an admin for an invitation.`;
}

/** With a project to look at: the one in the address, the one of last time, or the first there is. */
async function inside(me: Me, leave: (hint: string) => void): Promise<Door> {
  const asked = new URLSearchParams(location.search).get("project");
  const own = me.projects.map(({ name }) => name);
  const all = me.instanceAdmin ? (await outside.projects.list()).items.map(({ name }) => name) : own;
  const name = [asked, projectChoice.value, own[0], all[0]].find(
    (each) => each && (all.includes(each) || own.includes(each)),
  );
  if (!name) return { at: "no-project", me };
  const client = new PunctualClient({ project: name, retries: 1 });
  const acting = await client.me();
  if (acting.project === null) return { at: "no-project", me };
  projectChoice.choose(name);
  const signOut = async () => {
    await outside.auth.logout();
    leave("");
  };
  return { at: "inside", session: { me: acting, project: acting.project, client, signOut, ended: leave } };
}
