// The way in. Whoever comes by a link is signed in or chooses a password; others sign in; whoever has a session goes on to the
// page they asked for. The address stays as it is meanwhile, so that somebody whose session ended comes back to where they were.

import { type Me, PunctualApiError, PunctualClient } from "punctual/client";
import { type ReactNode, useCallback, useEffect, useRef, useState } from "react";
import type { Session } from "../api/session.tsx";
import { ChoosePassword, SetUp } from "../pages/sign-in/choose-password.tsx";
import { NoProject } from "../pages/sign-in/no-project.tsx";
import { DEAD_LINK, refusedByProvider } from "../pages/sign-in/refusals.ts";
import { SignIn } from "../pages/sign-in/sign-in.tsx";
import { Unreachable } from "../pages/sign-in/unreachable.tsx";
import { errorText, Loading } from "../ui/notice.tsx";
import { tellFailure } from "../ui/toast.tsx";
import { enterProject } from "./project-choice.ts";
import { isLink, type Link, takeLink } from "./sign-in-link.ts";

type Door =
  | { at: "looking" }
  | { at: "sign-in"; hint: string }
  | { at: "set-up"; token: string }
  | { at: "password"; token: string }
  | { at: "no-project"; me: Me }
  | { at: "unreachable"; error: unknown; link: Link | null }
  | { at: "inside"; session: Session };

const outside = new PunctualClient({ retries: 1 });

export function Entrance({ children }: { children: (session: Session) => ReactNode }) {
  const [door, setDoor] = useState<Door>({ at: "looking" });
  const turn = useRef(0);
  /** Of several that are under way the last counts. */
  const go = useCallback((way: Promise<Door>) => {
    turn.current += 1;
    const mine = turn.current;
    void way.then((next) => turn.current === mine && setDoor(next));
  }, []);
  /** What is left over of a session that has ended must not end the next one. */
  const leave = useCallback((from: Session, hint: string) => {
    setDoor((now) => (now.at === "inside" && now.session === from ? { at: "sign-in", hint } : now));
  }, []);
  const look = useCallback((link: Link | null) => go(knock(link, leave)), [go, leave]);
  const enter = useCallback((me: Me) => go(inside(me, leave)), [go, leave]);
  useEffect(() => {
    const onHash = () => isLink(location.hash) && look(takeLink());
    look(takeLink());
    addEventListener("hashchange", onHash);
    return () => removeEventListener("hashchange", onHash);
  }, [look]);

  switch (door.at) {
    case "inside":
      return children(door.session);
    case "looking":
      return <Loading />;
    case "sign-in":
      return <SignIn client={outside} hint={door.hint} onEnter={enter} />;
    case "set-up":
      return <SetUp client={outside} token={door.token} onEnter={enter} />;
    case "password":
      return <ChoosePassword client={outside} token={door.token} onEnter={enter} />;
    case "unreachable":
      return <Unreachable error={door.error} onLook={() => look(door.link)} />;
    case "no-project":
      return <NoProject me={door.me} onLook={() => look(null)} onSignOut={() => go(signedOut(door))} />;
  }
}

type Leave = (from: Session, hint: string) => void;

async function knock(link: Link | null, leave: Leave): Promise<Door> {
  if (link?.kind === "setup") return { at: "set-up", token: link.token };
  if (link?.kind === "password") return { at: "password", token: link.token };
  if (link?.kind === "sign-in-failed") return { at: "sign-in", hint: refusedByProvider(link.token) };
  try {
    return await inside(link === null ? await outside.me() : await byLink(link.token), leave);
  } catch (error) {
    return turnedAway(error, link);
  }
}

/** Whoever opens a used link again in the browser it was used in is signed in already. */
async function byLink(token: string): Promise<Me> {
  try {
    return await outside.auth.login({ token });
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return await outside.me();
  }
}

async function inside(me: Me, leave: Leave): Promise<Door> {
  try {
    const entered = await enterProject(me);
    if (entered === null) return { at: "no-project", me };
    const session: Session = {
      ...entered,
      signOut: async () => {
        await outside.auth.logout();
        leave(session, "");
      },
      ended: (hint) => leave(session, hint),
    };
    return { at: "inside", session };
  } catch (error) {
    return turnedAway(error, null);
  }
}

/** A server that does not work is waited for, with the link kept; one that says no is asked otherwise. */
function turnedAway(error: unknown, link: Link | null): Door {
  if (!isRefusal(error)) return { at: "unreachable", error, link };
  if (link !== null) return { at: "sign-in", hint: DEAD_LINK };
  // That nobody is signed in is no news to somebody who is about to.
  return { at: "sign-in", hint: error.status === 401 ? "" : errorText(error) };
}

function isRefusal(error: unknown): error is PunctualApiError {
  return error instanceof PunctualApiError && error.status < 500 && error.status !== 429;
}

async function signedOut(now: Door): Promise<Door> {
  try {
    await outside.auth.logout();
    return { at: "sign-in", hint: "" };
  } catch (error) {
    tellFailure("You are still signed in", error);
    return now;
  }
}
