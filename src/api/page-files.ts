import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { extname } from "node:path";
import { fileURLToPath } from "node:url";

const TYPES: Record<string, string> = {
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".svg": "image/svg+xml",
};

/** A file of the dashboard, as it is and as it is sent to those who can unpack it. */
export interface PageFile {
  type: string;
  etag: string;
  plain: Buffer;
  packed: Partial<Record<Encoding, Buffer>>;
}

/** The shorter first. */
export const ENCODINGS = { br: ".br", gzip: ".gz" } as const;
export type Encoding = keyof typeof ENCODINGS;

export interface PageFiles {
  page: PageFile;
  /** By name; each name changes with its content. */
  assets: ReadonlyMap<string, PageFile>;
}

/** All of the dashboard, kept in memory: it is small, and a disk that fails takes no page away. */
export function readPageFiles(folder = builtFolder()): PageFiles {
  if (folder === null) return { page: pageFile(Buffer.from(NOT_BUILT), "text/html; charset=utf-8"), assets: new Map() };
  const names = readdirSync(`${folder}/assets`).filter((name) => extname(name) in TYPES);
  return {
    page: readFile(`${folder}/index.html`, "text/html; charset=utf-8"),
    assets: new Map(names.map((name) => [name, readFile(`${folder}/assets/${name}`, TYPES[extname(name)]!)])),
  };
}

/** Beside the compiled program; for the program run from its source, where the build put it. */
function builtFolder(): string | null {
  const places = ["../web", "../../dist/web"].map((place) => fileURLToPath(new URL(place, import.meta.url)));
  return places.find((place) => existsSync(`${place}/index.html`)) ?? null;
}

const NOT_BUILT = `<!doctype html><html lang="en"><title>Punctual</title>
<p>The dashboard is not built: run <code>npm run build</code> and start the server again. The API is there: <a href="/docs">/docs</a></p></html>`;

function readFile(path: string, type: string): PageFile {
  const packed: PageFile["packed"] = {};
  for (const [encoding, ending] of Object.entries(ENCODINGS))
    if (existsSync(path + ending)) packed[encoding as Encoding] = readFileSync(path + ending);
  return pageFile(readFileSync(path), type, packed);
}

function pageFile(plain: Buffer, type: string, packed: PageFile["packed"] = {}): PageFile {
  const etag = `"${createHash("sha256").update(plain).digest("base64url").slice(0, 22)}"`;
  return { type, etag, plain, packed };
}
