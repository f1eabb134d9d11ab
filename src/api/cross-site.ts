// A browser sends its cookie along with requests that another site's page makes. The cookie is SameSite=Strict, and then
// browsers do not; this is the second lock. Browsers say where a request comes from (Sec-Fetch-Site, older ones Origin), and
// pages cannot change that. Whoever says neither is no browser, and has no cookie but its own.

import { PunctualError } from "../contract/errors.ts";

const CHANGES_NOTHING = ["GET", "HEAD", "OPTIONS"];

export interface Origin {
  method: string;
  site: string | undefined;
  origin: string | undefined;
  /** As the client called this server. */
  host: string | undefined;
}

export function refuseCrossSite({ method, site, origin, host }: Origin, publicUrl: string | null): void {
  if (CHANGES_NOTHING.includes(method)) return;
  const own = site === undefined ? isOwn(origin, host, publicUrl) : site === "same-origin" || site === "none";
  if (own) return;
  throw new PunctualError(
    "forbidden",
    `the request comes from a page of another site (${origin ?? site}), which may not act for whoever is signed in here`,
  );
}

function isOwn(origin: string | undefined, host: string | undefined, publicUrl: string | null): boolean {
  if (origin === undefined) return true;
  if (publicUrl !== null && origin === new URL(publicUrl).origin) return true;
  return URL.canParse(origin) && new URL(origin).host === host;
}
