/** A link that lets somebody in. Its token stands behind the #, which no server, proxy or log sees. */
export interface Link {
  kind: "setup" | "password" | "sign-in" | "sign-in-failed";
  token: string;
}

const LINK = /^#(setup|password|sign-in|sign-in-failed)=(.+)$/;

export function isLink(hash: string): boolean {
  return LINK.test(hash);
}

/** Takes the token out of the address bar and the history. */
export function takeLink(): Link | null {
  const [, kind, token] = LINK.exec(location.hash) ?? [];
  if (kind === undefined || token === undefined) return null;
  history.replaceState(history.state, "", location.pathname + location.search);
  return { kind: kind as Link["kind"], token };
}
