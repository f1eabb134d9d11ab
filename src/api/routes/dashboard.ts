import { z } from "zod";
import { PunctualError } from "../../contract/errors.ts";
import { ENCODINGS, type Encoding, type PageFile, readPageFiles } from "../page-files.ts";
import { type Answer, type Call, type Route, route } from "../route.ts";
import { PAGE_PATHS } from "../rules.ts";

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

/** Its name changes with its content, so that what is kept under it is always right. */
const FOR_EVER = "public, max-age=31536000, immutable";
const ASKED_EACH_TIME = "no-cache";

const UNCHANGED = { description: "What the caller has is what there is." };

/** The dashboard: one page under every address that it knows, and the files it is made of. They hold nothing of anybody's. */
export function dashboardRoutes(): Route[] {
  const { page, assets } = readPageFiles();
  const pageHeaders = { "content-security-policy": POLICY, "cache-control": ASKED_EACH_TIME };
  return [
    ...PAGE_PATHS.map((path) =>
      route({
        method: "GET",
        path,
        group: "Instance",
        summary: "The dashboard",
        // One entry in the document speaks for all of them.
        ...(path === "/" ? {} : { hidden: true }),
        responses: {
          200: { description: "The page.", contentType: "text/html", schema: z.string() },
          304: UNCHANGED,
        },
        handler: (call) => answer(call, page, pageHeaders),
      }),
    ),
    route({
      method: "GET",
      path: "/assets/:name",
      group: "Instance",
      summary: "What the dashboard is made of",
      params: z.object({ name: z.string() }),
      responses: {
        200: { description: "The file.", contentType: "text/*", schema: z.string() },
        304: UNCHANGED,
      },
      handler: (call) => {
        const file = assets.get(call.params.name);
        if (file === undefined)
          throw new PunctualError("not_found", "the dashboard has no such file; after an upgrade, load the page again");
        return answer(call, file, { "cache-control": FOR_EVER });
      },
    }),
  ];
}

/** A proxy that compresses makes the tag a weak one. */
function answer({ headers: asked }: Call, file: PageFile, extra: Record<string, string>): Answer {
  const headers = { "content-type": file.type, etag: file.etag, vary: "accept-encoding", ...extra };
  const known = asked["if-none-match"]?.split(",").map((tag) => tag.trim().replace(/^W\//, ""));
  if (known?.includes(file.etag)) return { status: 304, headers };
  const encoding = understood(asked["accept-encoding"], file);
  if (encoding === null) return { status: 200, body: file.plain, headers };
  return { status: 200, body: file.packed[encoding], headers: { ...headers, "content-encoding": encoding } };
}

/** The shortest form there is that the caller can read; null for the plain one. */
function understood(accepted: string | string[] | undefined, { packed }: PageFile): Encoding | null {
  const read = String(accepted ?? "")
    .split(",")
    .map((each) => each.trim().toLowerCase())
    .filter((each) => !/;\s*q=0(\.0*)?$/.test(each))
    .map((each) => each.split(";")[0]!.trim());
  const forms = Object.keys(ENCODINGS) as Encoding[];
  return forms.find((form) => packed[form] !== undefined && read.includes(form)) ?? null;
}
