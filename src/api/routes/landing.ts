import { createHash } from "node:crypto";
import { z } from "zod";
import type { ApiDeps } from "../deps.ts";
import { PREFIX, type Route, route } from "../route.ts";

const STYLE = `body{font:16px/1.5 system-ui,sans-serif;max-width:40rem;margin:4rem auto;padding:0 1rem;color:#1a1a1a;background:#fff}
a{color:#0b57d0}code{background:#f2f2f2;padding:.1em .3em;border-radius:.2em}
@media (prefers-color-scheme:dark){body{color:#e6e6e6;background:#141414}a{color:#8ab4f8}code{background:#2a2a2a}}`;

const STYLE_HASH = createHash("sha256").update(STYLE).digest("base64");

/** What a browser finds at the address that is printed at start. */
export function landingRoutes(deps: ApiDeps): Route[] {
  return [
    route({
      method: "GET",
      path: "/",
      group: "Instance",
      summary: "A page that says what this is",
      responses: { 200: { description: "The page.", contentType: "text/html", schema: z.string() } },
      handler: () => ({
        status: 200,
        body: page(deps.version),
        headers: {
          "content-type": "text/html; charset=utf-8",
          "content-security-policy": `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
        },
      }),
    }),
  ];
}

function page(version: string): string {
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Punctual</title><style>${STYLE}</style></head>
<body>
<h1>Punctual</h1>
<p>A distributed job scheduler on PostgreSQL: jobs fire on time, exactly once per instant, and every instant is accounted for.</p>
<ul>
<li><a href="/docs">API documentation</a> (<a href="/openapi.json">OpenAPI</a>)</li>
<li><a href="${PREFIX}/health">Health</a></li>
</ul>
<p>The API is under <code>${PREFIX}</code> and takes <code>authorization: Bearer &lt;key&gt;</code>. Version ${version}.</p>
</body>
</html>
`;
}
