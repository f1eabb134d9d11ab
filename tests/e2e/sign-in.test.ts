// Signing in at the program itself, set up as an operator would.

import { randomBytes } from "node:crypto";
import { rmSync } from "node:fs";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { expect, onTestFinished, test, vi } from "vitest";
import type { Me } from "../../src/contract/me.ts";
import { httpServer } from "../../src/targets/http/testing/servers.ts";
import { Browser } from "../support/browser.ts";
import { type Command, type Ended, startCommand } from "../support/command.ts";
import { createTestDatabase, makeTestFolder } from "../support/database.ts";
import { CLIENT, startIdentityProvider } from "../support/identity-provider.ts";

function start(args: string[], extra: Record<string, string>): Command {
  const folder = makeTestFolder();
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
  return startCommand(args, { cwd: folder, env: { PATH: process.env.PATH, HOME: folder, ...extra } });
}

async function run(args: string[], extra: Record<string, string>): Promise<Ended> {
  return await start(args, extra).ended;
}

/** What a node needs, whatever else is tried. */
async function needs(): Promise<Record<string, string>> {
  const { url, drop } = await createTestDatabase();
  onTestFinished(drop);
  return {
    PUNCTUAL_DATABASE_URL: url,
    PUNCTUAL_ENCRYPTION_KEYS: randomBytes(32).toString("base64"),
    PUNCTUAL_EGRESS_ALLOW: "127.0.0.0/8",
  };
}

/** Of a node that listens. */
async function serve(extra: Record<string, string>): Promise<string> {
  const node = start(["serve"], { PUNCTUAL_PORT: "0", ...extra });
  const address = () => /"url":"(http:[^"]+)"/.exec(node.seen.out)?.[1];
  await vi.waitUntil(() => address() !== undefined || node.child.exitCode !== null, { timeout: 60_000 });
  const url = address();
  if (url === undefined) throw new Error(`serve did not start:\n${node.seen.out}${node.seen.err}`);
  return url;
}

test("check lists all that is wrong with tokens and provider at once, and config shows no secret", async () => {
  const extra = {
    ...(await needs()),
    PUNCTUAL_JWT_SECRET: "a-shared-secret-of-32-characters",
    PUNCTUAL_JWT_JWKS_URL: "https://id.example/jwks",
    PUNCTUAL_JWT_ALGORITHMS: "HS1",
    PUNCTUAL_OIDC_CLIENT_SECRET: "s3cret-of-the-client",
  };
  const { code, out, err } = await run(["check"], extra);
  expect({ code, out }).toEqual({ code: 2, out: "" });
  const named = ["JWT_SECRET", "JWT_ISSUER", "JWT_AUDIENCE", "JWT_ALGORITHMS", "OIDC_ISSUER", "OIDC_CLIENT_ID"];
  for (const name of [...named, "PUBLIC_URL"]) expect(err).toContain(`PUNCTUAL_${name}: `);
  const config = await run(["config"], extra);
  expect(config.out).toMatch(/PUNCTUAL_JWT_SECRET\s+\[hidden\]/);
  expect(config.out).toMatch(/PUNCTUAL_OIDC_CLIENT_SECRET\s+\[hidden\]/);
  expect(err + config.out + config.err).not.toMatch(/a-shared|s3cret/);
});

test("a node starts though its provider is down, and people sign in once it is up", async () => {
  const away = await startIdentityProvider();
  await away.close();
  const port = Number(new URL(away.url).port);
  const publicUrl = "http://punctual.example";
  const extra = {
    ...(await needs()),
    PUNCTUAL_PUBLIC_URL: publicUrl,
    PUNCTUAL_OIDC_ISSUER: away.url,
    PUNCTUAL_OIDC_CLIENT_ID: CLIENT.id,
    PUNCTUAL_OIDC_CLIENT_SECRET: CLIENT.secret,
  };
  expect((await run(["setup-link", "--email", "ann@example.com", "--admin"], extra)).code).toBe(0);
  const browser = new Browser({ [publicUrl]: await serve(extra) });
  const begin = () => browser.get(`${publicUrl}/api/v1/auth/oidc`);
  expect((await begin()).status).toBe(503);
  const provider = await startIdentityProvider(port);
  onTestFinished(() => provider.close());
  const agreed = await browser.get((await begin()).headers.get("location")!);
  const landed = await browser.get(agreed.headers.get("location")!);
  expect(landed.headers.get("location")).toBe(`${publicUrl}/`);
  const me = await browser.get(`${publicUrl}/api/v1/me`);
  expect(await me.json()).toMatchObject({ kind: "session", name: "ann@example.com", instanceAdmin: true });
});

test("a node accepts tokens signed with a key that it fetches", async () => {
  const { publicKey, privateKey } = await generateKeyPair("ES256");
  const keys = [{ ...(await exportJWK(publicKey)), kid: "1" }];
  const jwks = await httpServer((_, response) => response.end(JSON.stringify({ keys })));
  const extra = {
    ...(await needs()),
    PUNCTUAL_JWT_JWKS_URL: `${jwks.url}/jwks`,
    PUNCTUAL_JWT_ISSUER: "https://id.example",
    PUNCTUAL_JWT_AUDIENCE: "punctual",
  };
  const url = await serve(extra);
  const signing = new SignJWT({ punctual_projects: { default: "viewer" } }).setProtectedHeader({
    alg: "ES256",
    kid: "1",
  });
  const about = signing
    .setIssuer("https://id.example")
    .setAudience("punctual")
    .setSubject("ci")
    .setExpirationTime("5m");
  const headers = { authorization: `Bearer ${await about.sign(privateKey)}`, "punctual-project": "default" };
  const answer = await fetch(`${url}/api/v1/me`, { headers });
  expect(await answer.json()).toMatchObject({ kind: "token", name: "ci", scopes: ["read"], instanceAdmin: false });
  expect(jwks.received).toHaveLength(1);
});

test("setup-link lets in the first admin, then whoever is named, and both stand in the audit", async () => {
  const extra = await needs();
  const url = await serve(extra);
  const linked = async (...args: string[]) => {
    const { code, out, err } = await run(["setup-link", "--json", ...args], extra);
    return { code, token: code === 0 ? JSON.parse(out).link.split("=")[1] : null, err };
  };
  const choose = async (body: object) => {
    const headers = { "content-type": "application/json" };
    const init = { method: "POST", headers, body: JSON.stringify({ password: "a good long password", ...body }) };
    const answer = await fetch(`${url}/api/v1/auth/setup`, init);
    return {
      status: answer.status,
      me: (await answer.json()) as Me,
      cookie: answer.headers.get("set-cookie")?.split(";")[0],
    };
  };
  const first = await linked();
  const { status, me, cookie } = await choose({ token: first.token, email: "Root@Example.com" });
  expect({ status, name: me.name, admin: me.instanceAdmin }).toEqual({
    status: 201,
    name: "root@example.com",
    admin: true,
  });
  expect((await choose({ token: first.token, email: "again@example.com" })).status).toBe(401);
  expect(await linked()).toMatchObject({ code: 2, err: expect.stringContaining("there is an admin who can sign in") });
  expect(await linked("--email", "nobody")).toMatchObject({ code: 2, err: expect.stringContaining("e-mail") });
  const second = await choose({ token: (await linked("--email", "ann@example.com", "--admin")).token });
  expect(second).toMatchObject({ status: 201, me: { name: "ann@example.com", instanceAdmin: true } });
  expect((await run(["shut-out", "nobody@example.com"], extra)).code).toBe(2);
  expect((await run(["shut-out", "ann@example.com"], extra)).code).toBe(0);
  const shut = await fetch(`${url}/api/v1/me`, { headers: { cookie: second.cookie! } });
  expect(shut.status).toBe(401);
  const path = "/api/v1/audit?instance=true&action=account";
  const asked = await fetch(url + path, { headers: { cookie: cookie!, "punctual-project": "default" } });
  const { items } = (await asked.json()) as { items: { action: string; actor: { name: string } }[] };
  expect(items.map(({ action, actor }) => [action, actor.name])).toEqual([
    ["account.shut_out", "operator"],
    ["account.setup", "ann@example.com"],
    ["account.link", "operator"],
    ["account.setup", "root@example.com"],
  ]);
});
