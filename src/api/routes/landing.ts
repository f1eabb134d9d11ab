import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { z } from "zod";
import type { ApiDeps } from "../deps.ts";
import { type Answer, type Call, type Route, route } from "../route.ts";

/** What the page may use: its own files and the API, and nothing of anybody else's. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join("; ");

const ASSETS = {
  "page.css": "text/css; charset=utf-8",
  "page.js": "text/javascript; charset=utf-8",
  "account.js": "text/javascript; charset=utf-8",
  "ask.js": "text/javascript; charset=utf-8",
  "form.js": "text/javascript; charset=utf-8",
  "view.js": "text/javascript; charset=utf-8",
  "icon.svg": "image/svg+xml",
} as const;
type AssetName = keyof typeof ASSETS;

interface Asset {
  body: string;
  headers: Record<string, string>;
}

const params = z.object({ name: z.enum(Object.keys(ASSETS) as [AssetName, ...AssetName[]]) });
const UNCHANGED = { description: "What the caller has is what there is." };

/** What a browser finds at the address that is printed at start. */
export function landingRoutes(deps: ApiDeps): Route[] {
  const html = read("page.html").replace("{{version}}", deps.version);
  const page = asset(html, { "content-type": "text/html; charset=utf-8", "content-security-policy": POLICY });
  const assets = new Map(
    Object.entries(ASSETS).map(([name, type]) => [name, asset(read(name), { "content-type": type })]),
  );
  return [
    route({
      method: "GET",
      path: "/",
      group: "Instance",
      summary: "The page on which people sign in",
      responses: {
        200: { description: "The page.", contentType: "text/html", schema: z.string() },
        304: UNCHANGED,
      },
      handler: (call) => answer(call, page),
    }),
    route({
      method: "GET",
      path: "/assets/:name",
      group: "Instance",
      summary: "What the page is made of",
      params,
      responses: {
        200: { description: "The file.", contentType: "text/*", schema: z.string() },
        304: UNCHANGED,
      },
      handler: (call) => answer(call, assets.get(call.params.name)!),
    }),
  ];
}

function read(name: string): string {
  return readFileSync(new URL(`../page/${name}`, import.meta.url), "utf8");
}

/** Kept by browsers, but asked for each time: files of two versions do not fit together. */
function asset(body: string, headers: Record<string, string>): Asset {
  const etag = `"${createHash("sha256").update(body).digest("base64url").slice(0, 22)}"`;
  return { body, headers: { ...headers, etag, "cache-control": "no-cache" } };
}

/** A proxy that compresses makes the tag a weak one. */
function answer({ headers: asked }: Call, { body, headers }: Asset): Answer {
  const known = asked["if-none-match"]?.split(",").map((tag) => tag.trim().replace(/^W\//, ""));
  return known?.includes(headers.etag!) ? { status: 304, headers } : { status: 200, body, headers };
}
