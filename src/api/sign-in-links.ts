/** The token stands behind the #, which browsers keep to themselves: no server, proxy or log ever sees it. */
export function linkTo(url: string, kind: "setup" | "password" | "sign_in", token: string): string {
  return `${url}/#${kind.replace("_", "-")}=${token}`;
}
