// The first page and what it is made of: nothing inline, nothing of anybody else's, and everything it refers to is there.

import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { loginSchema, setupSchema } from "../../../src/contract/account.ts";
import { type ApiServer, type Reply, startApi } from "./api-server.ts";

let api: ApiServer;
let page: Reply;
let scripts: Map<string, string>;
beforeAll(async () => {
  api = await startApi();
  page = await get("/");
  scripts = await scriptsFrom([...page.text.matchAll(/<script[^>]* src="([^"]+)"/g)].map(([, path]) => path!));
});
afterAll(async () => await api.close());

async function get(path: string, headers: Record<string, string> = {}): Promise<Reply> {
  return await api.request("GET", `/${path}`, { key: null, headers });
}

/** These and all that they import, by their path. */
async function scriptsFrom(paths: string[]): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const path of paths) {
    const { status, text } = await get(path);
    expect(status, path).toBe(200);
    found.set(path, text);
    for (const [, name] of text.matchAll(/^import .* from "\.\/([^"]+)";$/gm))
      if (!paths.includes(`/assets/${name}`)) paths.push(`/assets/${name}`);
  }
  return found;
}

/** Every element of this name, as written. */
function elements(name: string, html = page.text): string[] {
  return [...html.matchAll(new RegExp(`<${name}\\b[^>]*>`, "g"))].map(([text]) => text);
}

function attribute(element: string, name: string): string | undefined {
  return new RegExp(` ${name}="([^"]*)"`).exec(element)?.[1];
}

/** What stands between a template's tags. */
function template(id: string): string {
  return new RegExp(`<template id="${id}">([^]*?)</template>`).exec(page.text)?.[1] ?? expect.fail(`no ${id}`);
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
    expect(elements("script").length).toBeGreaterThan(0);
    expect(elements("script").filter((script) => attribute(script, "src") === undefined)).toEqual([]);
    expect(page.text).not.toMatch(/<style\b| style=| on[a-z]+=|javascript:/);
  });

  test("refers to nothing that is not there", async () => {
    const referred = [...page.text.matchAll(/ (?:src|href)="([^"]+)"/g)].map(([, path]) => path!);
    // The one way in that an instance may not have; it is hidden there.
    for (const path of new Set(referred.filter((each) => each !== "/api/v1/auth/oidc"))) {
      expect(path).toMatch(/^\/[^/]/);
      const { status } = await fetch(`${api.url}${path}`);
      expect(status, path).toBe(200);
    }
  });

  test("says its version, and the build has all of it", () => {
    expect(page.text).toContain("Version 0.0.0.");
    for (const name of [
      "page.html",
      "page.css",
      "icon.svg",
      ...[...scripts.keys()].map((path) => path.split("/")[2]!),
    ]) {
      const [source, built] = ["src", "dist"].map((folder) =>
        readFileSync(new URL(`../../../${folder}/api/page/${name}`, import.meta.url), "utf8"),
      );
      expect(built, name).toBe(source);
    }
  });
});

describe("its files", () => {
  test.each([
    ["/assets/page.js", "text/javascript; charset=utf-8"],
    ["/assets/page.css", "text/css; charset=utf-8"],
    ["/assets/icon.svg", "image/svg+xml"],
    ["/", "text/html; charset=utf-8"],
  ])("%s is of its type, and is not sent twice", async (path, type) => {
    const first = await get(path);
    expect(first.headers.get("content-type")).toBe(type);
    expect(first.headers.get("cache-control")).toBe("no-cache");
    const etag = first.headers.get("etag")!;
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`]) {
      const again = await get(path, { "if-none-match": known });
      expect(again).toMatchObject({ status: 304, text: "" });
      expect(again.headers.get("etag")).toBe(etag);
    }
    expect((await get(path, { "if-none-match": '"other"' })).text).toBe(first.text);
  });

  test("are these and no others", async () => {
    for (const path of ["/assets/", "/assets/page.html", "/assets/tsconfig.json", "/assets/..%2f..%2fserver.ts"])
      expect([401, 404], path).toContain((await get(path)).status);
  });

  test("have scripts that put data into the page as text only", () => {
    expect([...scripts.keys()].length).toBeGreaterThan(3);
    for (const [path, text] of scripts)
      expect(text, path).not.toMatch(/innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function/);
  });

  test("find in the page what they look for", () => {
    const all = [...scripts.values()].join("\n");
    const slots = [...all.matchAll(/slot\(\w+, "([^"]+)"\)/g)].map(([, name]) => name!);
    expect(slots.length).toBeGreaterThan(10);
    expect(slots.filter((name) => !page.text.includes(`data-slot="${name}"`))).toEqual([]);
    const views = [...all.matchAll(/(?:copyOf|showForm)\("([^"]+)"/g)].map(([, id]) => id!);
    expect(new Set(views).size).toBe(elements("template").length);
    for (const id of views) template(id);
  });
});

describe("its forms", () => {
  const AUTOCOMPLETE = {
    "sign-in": { email: "username", password: "current-password" },
    setup: { email: "username", name: "name", password: "new-password", again: "new-password" },
    "choose-password": { username: "username", password: "new-password", again: "new-password" },
  };

  test.each(Object.entries(AUTOCOMPLETE))("%s tells password managers what each field is", (id, fields) => {
    const inputs = elements("input", template(id));
    const told = inputs.map((input) => [attribute(input, "name"), attribute(input, "autocomplete")]);
    expect(Object.fromEntries(told)).toEqual(fields);
  });

  test.each(Object.keys(AUTOCOMPLETE))("%s has a label and a place for problems at each field", (id) => {
    const form = template(id);
    for (const input of elements("input", form).filter((each) => !each.includes('aria-hidden="true"'))) {
      const name = attribute(input, "id")!;
      expect(form).toContain(`<label for="${name}">`);
      const described = attribute(input, "aria-describedby")!.split(" ");
      expect(described).toContain(`${name}-problem`);
      for (const place of described) expect(form).toContain(`id="${place}"`);
    }
    expect(form).toContain('role="alert"');
  });

  test("name their fields as the API does, so that what it refuses is told beside them", () => {
    const [byPassword] = loginSchema.options;
    expect(Object.keys(AUTOCOMPLETE["sign-in"])).toEqual(Object.keys(byPassword.shape));
    const asked = Object.keys(setupSchema.shape).filter((name) => name !== "token");
    expect(Object.keys(AUTOCOMPLETE.setup)).toEqual(expect.arrayContaining(asked));
  });
});
