// The dashboard as a server gives it: nothing inline, nothing of anybody else's, everything it refers to is there, packed, and
// kept for as long as it is right. What it does is tried in a browser, in tests/dashboard.

import { readdirSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { PAGE_PATHS } from "../../../src/api/rules.ts";
import { type ApiServer, type Reply, startApi } from "./api-server.ts";

let api: ApiServer;
let page: Reply;
let assets: string[];
beforeAll(async () => {
  api = await startApi();
  page = await get("/");
  assets = readdirSync(new URL("../../../dist/web/assets", import.meta.url)).filter((name) => !/\.(br|gz)$/.test(name));
});
afterAll(async () => await api.close());

async function get(path: string, headers: Record<string, string> = {}): Promise<Reply> {
  return await api.request("GET", `/${path}`, { key: null, headers });
}

describe("the page", () => {
  test("may use its own files and the API, and nothing else", () => {
    expect(page.status).toBe(200);
    expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(page.headers.get("content-security-policy")?.split("; ")).toEqual([
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "connect-src 'self'",
      "img-src 'self' data:",
      "form-action 'none'",
      "base-uri 'none'",
      "frame-ancestors 'none'",
    ]);
    expect(page.headers.get("x-content-type-options")).toBe("nosniff");
    expect(page.headers.get("referrer-policy")).toBe("no-referrer");
  });

  test("has nothing inline that the policy would refuse", () => {
    const scripts = [...page.text.matchAll(/<script\b[^>]*>/g)].map(([element]) => element);
    expect(scripts.length).toBeGreaterThan(0);
    expect(scripts.filter((script) => !/ src="\/assets\//.test(script))).toEqual([]);
    expect(page.text).not.toMatch(/<style\b| style=| on[a-z]+=|javascript:/);
  });

  test("refers to nothing that is not there, and to nobody else", async () => {
    const referred = [...page.text.matchAll(/ (?:src|href)="([^"]+)"/g)].map(([, path]) => path!);
    expect(referred.length).toBeGreaterThan(2);
    for (const path of referred) {
      expect(path).toMatch(/^\/assets\/[\w.-]+$/);
      expect((await get(path)).status, path).toBe(200);
    }
  });

  test("stands under every address of its own, and under no other", async () => {
    for (const path of PAGE_PATHS) {
      const reply = await get(path.replace(/:\w+/g, "nightly-report"));
      expect([reply.status, reply.text], path).toEqual([200, page.text]);
    }
    for (const path of ["/nowhere", "/jobs/a/b/c", "/api/v1/nowhere"])
      expect([401, 404], path).toContain((await get(path)).status);
  });
});

describe("its files", () => {
  test("have names that change with what is in them, and are kept for a year", async () => {
    expect(assets.length).toBeGreaterThan(10);
    for (const name of assets) {
      expect(name).toMatch(/^[\w.-]+-[\w-]{8}\.(js|css|svg)$/);
      const { status, headers } = await get(`/assets/${name}`);
      expect([status, headers.get("cache-control")], name).toEqual([200, "public, max-age=31536000, immutable"]);
    }
  });

  test("come packed to those who can unpack them", async () => {
    const [script] = assets.filter((name) => name.endsWith(".js"));
    const sent = async (accepted: string) => {
      const reply = await fetch(`${api.url}/assets/${script}`, { headers: { "accept-encoding": accepted } });
      expect(reply.headers.get("vary")).toContain("accept-encoding");
      await reply.arrayBuffer();
      return reply.headers.get("content-encoding");
    };
    expect(await sent("gzip, deflate, br")).toBe("br");
    expect(await sent("gzip")).toBe("gzip");
    expect(await sent("br;q=0, gzip;q=0.5")).toBe("gzip");
    expect(await sent("identity")).toBeNull();
    expect(await sent("gzip;q=0")).toBeNull();
  });

  test("are not sent twice", async () => {
    for (const path of ["/", `/assets/${assets[0]}`]) {
      const first = await get(path);
      const etag = first.headers.get("etag")!;
      for (const known of [etag, `W/${etag}`, `"other", ${etag}`])
        expect(await get(path, { "if-none-match": known })).toMatchObject({ status: 304, text: "" });
      expect((await get(path, { "if-none-match": '"other"' })).text).toBe(first.text);
    }
  });

  test("are these and no others", async () => {
    for (const path of ["/assets/", "/assets/index.html", "/assets/..%2findex.html", `/assets/${assets[0]}.gz`])
      expect([401, 404], path).toContain((await get(path)).status);
  });

  /** What is needed before anything can be seen; the pages come when they are gone to. */
  const FIRST_LOAD_BYTES_MAX = 250_000;

  test("need at most 250 kB, gzipped, for the first page", async () => {
    const first = [...page.text.matchAll(/"\/(assets\/[^"]+)"/g)].map(([, path]) => path!);
    const overview = assets.filter((name) => name.startsWith("overview-page-")).map((name) => `assets/${name}`);
    expect(overview).toHaveLength(1);
    let bytes = 0;
    for (const path of await withImports([...first, ...overview])) bytes += await gzippedBytes(`/${path}`);
    expect(bytes).toBeGreaterThan(50_000);
    expect(bytes).toBeLessThan(FIRST_LOAD_BYTES_MAX);
  });
});

/** These files and those that they import at once. */
async function withImports(paths: string[]): Promise<Set<string>> {
  const all = new Set(paths);
  for (const path of all)
    if (path.endsWith(".js"))
      for (const [, name] of (await get(`/${path}`)).text.matchAll(/(?:from|^import)\s*"\.\/([^"]+)"/gm))
        all.add(`assets/${name}`);
  return all;
}

async function gzippedBytes(path: string): Promise<number> {
  const reply = await fetch(`${api.url}${path}`, { headers: { "accept-encoding": "gzip" } });
  const text = Buffer.from(await reply.arrayBuffer());
  expect(text.length).toBeGreaterThan(0);
  return Number(reply.headers.get("content-length"));
}
