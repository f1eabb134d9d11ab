import { parseCookie, stringifySetCookie } from "cookie";

/** The prefix makes browsers refuse it from anybody but this very host, and over anything but https. */
function nameOf(secure: boolean): string {
  return secure ? "__Host-punctual" : "punctual";
}

/** Not for scripts, not for other sites: a page elsewhere can neither read nor use it. */
export function sessionCookie(token: string, lifeMs: number, { secure }: { secure: boolean }): string {
  const maxAge = Math.floor(lifeMs / 1_000);
  return stringifySetCookie(nameOf(secure), token, { path: "/", httpOnly: true, sameSite: "strict", secure, maxAge });
}

/** What the browser sent, if it looks like one of ours. */
export function readSessionCookie(header: string | undefined, { secure }: { secure: boolean }): string | null {
  if (header === undefined) return null;
  const token = parseCookie(header)[nameOf(secure)];
  return token !== undefined && /^[\w-]{43}$/.test(token) ? token : null;
}
