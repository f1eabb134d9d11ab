// The client as a browser gets it: one file, and nothing of Node.js around it.

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createContext, runInContext } from "node:vm";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { generateSigningKey, parseSigningKey, sign } from "../core/webhook-signature.ts";
import { events, json, startScripted } from "./testing/scripted-server.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const GZIPPED_BYTES_MAX = 20_000;

interface Metafile {
  inputs: Record<string, { imports: { path: string; external?: boolean }[] }>;
}

let folder: string;
let metafile: Metafile;
let bundle: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "punctual-bundle-"));
  execFileSync(
    join(ROOT, "node_modules/.bin/esbuild"),
    [
      "src/client/index.ts",
      "--bundle",
      "--platform=browser",
      "--format=iife",
      "--global-name=punctual",
      "--minify",
      `--metafile=${folder}/meta.json`,
      `--outfile=${folder}/client.js`,
    ],
    { cwd: ROOT, stdio: "pipe" },
  );
  metafile = JSON.parse(readFileSync(join(folder, "meta.json"), "utf8"));
  bundle = readFileSync(join(folder, "client.js"), "utf8");
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What browsers have, and nothing else: no process, no Buffer, no require. */
function inBrowser(run: string, globals: Record<string, unknown>): Promise<unknown> {
  const web = { fetch, Headers, Request, Response, AbortController, AbortSignal, URL, TextDecoder, TextEncoder };
  const rest = { crypto, atob, setTimeout, clearTimeout, setInterval, clearInterval, console };
  const context = createContext({ ...web, ...rest, Uint8Array, ArrayBuffer, ...globals });
  runInContext(bundle, context);
  return runInContext(`(async () => { ${run} })()`, context);
}

test("the bundle has no package and nothing of Node.js in it, only the client, what the contract says, and how much may be in hand", () => {
  const inside = /^src\/(client\/|contract\/|core\/(load|start-within)\.ts$)/;
  expect(Object.keys(metafile.inputs).filter((path) => !inside.test(path))).toEqual([]);
  const outside = Object.values(metafile.inputs).flatMap(({ imports }) => imports.filter(({ external }) => external));
  expect(outside).toEqual([]);
});

test("the bundle is small", () => {
  const { length } = gzipSync(bundle);
  expect(length).toBeGreaterThan(1_000);
  expect(length).toBeLessThan(GZIPPED_BYTES_MAX);
});

test("the client calls, listens and verifies where there is nothing but what browsers have", async () => {
  const server = await startScripted(
    json(201, { id: "e", state: "scheduled" }),
    events('id: 1\ndata: {"type":"job.created"}\n\n', { open: true }),
  );
  const key = generateSigningKey();
  const parsed = parseSigningKey(key) as { key: Buffer };
  const at = Math.floor(Date.now() / 1_000);
  const headers = {
    "webhook-id": "1",
    "webhook-timestamp": String(at),
    "webhook-signature": sign([parsed.key], "1", at, '{"a":1}'),
  };
  const run = `
    const client = new punctual.PunctualClient({ url, key: "k" });
    const { deduplicated } = await client.jobs.trigger("report");
    for await (const { type } of client.events.stream()) {
      const { payload } = await punctual.verifyWebhook({ headers, body: '{"a":1}', keys: key });
      return [typeof process, typeof Buffer, deduplicated, type, payload.a];
    }`;
  expect(await inBrowser(run, { url: server.url, key, headers })).toEqual([
    "undefined",
    "undefined",
    false,
    "job.created",
    1,
  ]);
  await server.close();
});

test("a client without an address says so where there is no environment to look it up in", async () => {
  await expect(inBrowser("new punctual.PunctualClient()", {})).rejects.toThrow("there is no server to call");
});

test("a page of the server's own needs neither address nor key: its session's cookie goes along", async () => {
  const calls: [url: string, init: RequestInit][] = [];
  const pageFetch = async (url: string, init: RequestInit) => {
    calls.push([url, init]);
    return new Response('{"kind":"session"}', { headers: { "content-type": "application/json" } });
  };
  const run = 'return (await new punctual.PunctualClient({ project: "billing" }).me()).kind';
  const location = { origin: "https://punctual.example.com" };
  expect(await inBrowser(run, { location, fetch: pageFetch })).toBe("session");
  expect(calls).toMatchObject([
    [
      "https://punctual.example.com/api/v1/me",
      { credentials: "same-origin", headers: { "punctual-project": "billing" } },
    ],
  ]);
  expect(calls[0]![1].headers).not.toHaveProperty("authorization");
  await expect(inBrowser(run, { location: { origin: "null" } })).rejects.toThrow("there is no server to call");
});
