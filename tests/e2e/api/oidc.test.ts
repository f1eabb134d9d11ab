// Signing in through an identity provider: the whole way, over HTTP, with a real provider; and all the ways that must not work.

import { randomBytes } from "node:crypto";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { OidcSignIn } from "../../../src/api/deps.ts";
import { OidcFlows } from "../../../src/api/oidc-flow.ts";
import { OidcProvider } from "../../../src/api/oidc-provider.ts";
import type { OidcSettings } from "../../../src/contract/oidc-settings.ts";
import { KeyRing } from "../../../src/core/keyring.ts";
import { EgressGuard } from "../../../src/targets/http/egress.ts";
import { HttpTargetRunner } from "../../../src/targets/http/runner.ts";
import { createLog } from "../../../src/telemetry/log.ts";
import { Browser } from "../../support/browser.ts";
import { CLIENT, type IdentityProvider, type Lies, startIdentityProvider } from "../../support/identity-provider.ts";
import { PROJECT } from "../../support/store.ts";
import { type ApiServer, startApi } from "./api-server.ts";

const PUBLIC = "http://punctual.example";
const BEGIN = `${PUBLIC}/api/v1/auth/oidc`;
const CALLBACK = `${BEGIN}/callback`;
const keys = new KeyRing([randomBytes(32)]);

let api: ApiServer;
let provider: IdentityProvider;
let runner: HttpTargetRunner;
/** What was logged. */
let lines: string[];
let passedMs: number;

beforeAll(async () => {
  const log = createLog({ level: "info", stream: { write: (line) => void lines.push(line) } });
  api = await startApi({ log });
  provider = await startIdentityProvider();
  runner = runnerAllowing(["127.0.0.0/8"]);
});
afterAll(async () => {
  await runner.close();
  await provider.close();
  await api.close();
});
beforeEach(() => {
  [lines, passedMs] = [[], 0];
  api.deps.oidc = offered();
});
afterEach(() => {
  provider.lies = {};
});

function runnerAllowing(allow: string[]): HttpTargetRunner {
  const vault = { secrets: async () => new Map(), signingKeys: async () => [] };
  return new HttpTargetRunner(vault, new EgressGuard({ allow }), { version: "1.2.3", now: () => Date.now() });
}

function offered(settings: Partial<OidcSettings> = {}, fetch = runner.fetch): OidcSignIn {
  const registered = { issuer: provider.url, clientId: CLIENT.id, clientSecret: CLIENT.secret, publicUrl: PUBLIC };
  const all = { ...registered, ...settings };
  const { publicUrl } = all;
  const flows = new OidcFlows({ keys, clock: () => new Date(Date.now() + passedMs), publicUrl });
  return {
    provider: new OidcProvider(all, { fetch, monotonic: () => performance.now() + passedMs }),
    flows,
    publicUrl,
  };
}

function newBrowser(): Browser {
  return new Browser({ [PUBLIC]: api.url, "https://punctual.example": api.url });
}

let people = 0;

/** Somebody with an account here, whom the provider knows too and who is at the browser. */
async function somebody({ account = true, ...told }: { account?: boolean; email_verified?: unknown } = {}) {
  people += 1;
  const email = `person-${people}@example.com`;
  provider.person = { sub: `subject-${people}`, email, email_verified: true, ...told };
  if (!account) return { email, id: null };
  const { id } = await api.deps.store.accounts.ensure({ email, name: "x", instanceAdmin: false, createdBy: "test" });
  return { email, id };
}

/** Goes to the provider and agrees; gives the address that it sends the browser back to. */
async function agree(browser: Browser, from = BEGIN): Promise<string> {
  const begun = await browser.get(from);
  expect(begun.status).toBe(302);
  const agreed = await browser.get(begun.headers.get("location")!);
  expect(agreed.status).toBe(302);
  return agreed.headers.get("location")!;
}

/** Where the browser ends up. */
async function comeBack(browser: Browser, address: string): Promise<string> {
  const answer = await browser.get(address);
  expect(answer.status).toBe(302);
  expect(answer.headers.get("cache-control")).toBe("no-store");
  return answer.headers.get("location")!;
}

async function signIn(browser: Browser): Promise<string> {
  return await comeBack(browser, await agree(browser));
}

async function me(browser: Browser): Promise<{ status: number; name: string }> {
  const answer = await browser.get(`${PUBLIC}/api/v1/me`);
  return { status: answer.status, name: ((await answer.json()) as { name: string }).name };
}

function failed(why: string): string {
  return `${PUBLIC}/#sign-in-failed=${why}`;
}

async function audited(): Promise<{ action: string; actor: object; object: { name: string }; after: unknown }> {
  const { body } = await api.request("GET", "/audit?instance=true&limit=1");
  return body.items[0];
}

async function refusals(): Promise<number> {
  const refused = "select from punctual.audit where action = 'session.refused'";
  return (await api.database.pool.query(refused)).rowCount ?? 0;
}

describe("somebody whom the provider vouches for", () => {
  test("is signed in as with a password", async () => {
    const { email, id } = await somebody();
    const browser = newBrowser();
    expect(await signIn(browser)).toBe(`${PUBLIC}/`);
    expect(await me(browser)).toEqual({ status: 200, name: email });
    expect(browser.cookie("punctual")?.attributes).toBe("Max-Age=86400; Path=/; HttpOnly; SameSite=Strict");
    expect(browser.cookie("punctual-oidc")).toBeUndefined();
    expect(await audited()).toMatchObject({
      action: "session.open",
      actor: { kind: "session", id, name: email },
      object: { kind: "session", name: email },
    });
    expect(lines.some((line) => line.includes('"session.opened"') && line.includes(email))).toBe(true);
  });

  test("stays who they are when their address changes there", async () => {
    const { email } = await somebody();
    await signIn(newBrowser());
    provider.person = { ...provider.person, email: "new-name@example.com" };
    const browser = newBrowser();
    expect(await signIn(browser)).toBe(`${PUBLIC}/`);
    expect(await me(browser)).toMatchObject({ name: email });
  });

  test("is known by an address in capitals", async () => {
    const { email } = await somebody();
    provider.person.email = email.toUpperCase();
    const browser = newBrowser();
    await signIn(browser);
    expect(await me(browser)).toMatchObject({ name: email });
  });

  test("is known too where the provider tells the address only on request", async () => {
    const { email } = await somebody();
    provider.lies = { addressOnRequest: true };
    const browser = newBrowser();
    await signIn(browser);
    expect(await me(browser)).toMatchObject({ name: email });
    expect(provider.asked).toContain("/userinfo");
  });

  test("may come from two windows at once, the first time", async () => {
    await somebody();
    const browsers = Array.from({ length: 4 }, newBrowser);
    const backs = await Promise.all(browsers.map((browser) => agree(browser)));
    const ends = await Promise.all(browsers.map((browser, index) => comeBack(browser, backs[index]!)));
    expect(new Set(ends)).toEqual(new Set([`${PUBLIC}/`]));
  });

  test("comes back as themselves when the instance moves to another provider", async () => {
    const { email, id } = await somebody();
    await signIn(newBrowser());
    const { sub } = provider.person;
    const elsewhere = { issuer: "https://old.example", subject: "old", email };
    expect(await api.deps.store.accounts.vouched(elsewhere)).toMatchObject({ id });
    expect(await api.deps.store.accounts.vouched({ ...elsewhere, subject: "other" })).toBeNull();
    const back = { issuer: provider.url, subject: sub, email };
    expect(await api.deps.store.accounts.vouched(back)).toMatchObject({ id });
  });

  test("finishes at any node what was begun at another", async () => {
    await somebody();
    const browser = newBrowser();
    const back = await agree(browser);
    api.deps.oidc = offered();
    expect(await comeBack(browser, back)).toBe(`${PUBLIC}/`);
  });
});

describe("what is asked of the provider", () => {
  test("is what the code flow with PKCE needs, and different each time", async () => {
    const urls = await Promise.all(
      [1, 2].map(async () => new URL((await newBrowser().get(BEGIN)).headers.get("location")!)),
    );
    const [one, two] = urls.map((url) => Object.fromEntries(url.searchParams));
    expect(urls[0]!.origin + urls[0]!.pathname).toBe(`${provider.url}/authorize`);
    const random = expect.stringMatching(/^[\w-]{43}$/);
    expect(one).toEqual({
      client_id: CLIENT.id,
      response_type: "code",
      redirect_uri: CALLBACK,
      scope: "openid email",
      state: random,
      nonce: random,
      code_challenge: random,
      code_challenge_method: "S256",
    });
    for (const name of ["state", "nonce", "code_challenge"]) expect(one![name]).not.toBe(two![name]);
  });

  test("leaves nothing readable in the browser, and what it leaves goes nowhere else", async () => {
    const browser = newBrowser();
    const begun = await browser.get(BEGIN);
    const { state = "", nonce = "" } = Object.fromEntries(new URL(begun.headers.get("location")!).searchParams);
    const { value, attributes } = browser.cookie("punctual-oidc")!;
    expect(attributes).toBe("Max-Age=600; Path=/api/v1/auth/oidc; HttpOnly; SameSite=Lax");
    const bytes = Buffer.from(value.split(".")[1]!, "base64url").toString("latin1");
    for (const secret of [state, nonce, provider.url]) expect(bytes).not.toContain(secret);
  });

  test("over https the cookies never travel in the clear; under a path they stay there", async () => {
    await somebody();
    api.deps.oidc = offered({ publicUrl: "https://punctual.example/tools/punctual" });
    const browser = newBrowser();
    const begun = await fetch(`${api.url}/api/v1/auth/oidc`, { redirect: "manual" });
    expect(begun.headers.getSetCookie()[0]).toMatch(
      /^__Secure-punctual-oidc=.*; Max-Age=600; Path=\/tools\/punctual\/api\/v1\/auth\/oidc; HttpOnly; Secure; SameSite=Lax$/,
    );
    const agreed = await browser.get(begun.headers.get("location")!);
    const back = agreed.headers.get("location")!;
    expect(back).toMatch(/^https:\/\/punctual\.example\/tools\/punctual\/api\/v1\/auth\/oidc\/callback\?/);
    const cookie = begun.headers.getSetCookie()[0]!.split(";")[0]!;
    const landed = await browser.get(back.replace("/tools/punctual", ""), { cookie });
    expect(landed.headers.get("location")).toBe("https://punctual.example/tools/punctual/");
  });

  test("is asked once for its addresses, and again after an hour", async () => {
    const discoveries = () => provider.asked.filter((path) => path.startsWith("/.well-known/")).length;
    const before = discoveries();
    await Promise.all([newBrowser().get(BEGIN), newBrowser().get(BEGIN)]);
    await newBrowser().get(BEGIN);
    expect(discoveries()).toBe(before + 1);
    passedMs = 3_600_001;
    await newBrowser().get(BEGIN);
    expect(discoveries()).toBe(before + 2);
  });

  test("comes with the secret in the body where the provider takes it no other way", async () => {
    await somebody();
    provider.lies = { client: "client_secret_post" };
    expect(await signIn(newBrowser())).toBe(`${PUBLIC}/`);
  });

  test("comes without a secret where there is none", async () => {
    await somebody();
    provider.lies = { client: "none" };
    api.deps.oidc = offered({ clientSecret: null });
    expect(await signIn(newBrowser())).toBe(`${PUBLIC}/`);
  });

  test("comes to nothing with a wrong secret, which stands in no log", async () => {
    await somebody();
    api.deps.oidc = offered({ clientSecret: "a-wrong-secret" });
    expect(await signIn(newBrowser())).toBe(failed("provider_error"));
    expect(lines.join()).toContain("it answered invalid_client");
    expect(lines.join()).not.toContain("a-wrong-secret");
  });
});

describe("nobody is let in", () => {
  /** And is still nobody afterwards. */
  async function refused(browser: Browser, address: string, why: string, email: string | null = null): Promise<void> {
    const before = browser.cookie("punctual")?.value;
    const told = await refusals();
    expect(await comeBack(browser, address)).toBe(failed(why));
    expect(browser.cookie("punctual")?.value).toBe(before);
    expect(browser.cookie("punctual-oidc")).toBeUndefined();
    const entry = { action: "session.refused", actor: { kind: "nobody" }, object: { kind: "account", name: email } };
    // Only those whom the provider named stand in the audit.
    if (email !== null) expect(await audited()).toMatchObject({ ...entry, after: { failure: why } });
    else expect(await refusals()).toBe(told);
    expect(lines.some((line) => line.includes('"session.refused"') && line.includes(why))).toBe(true);
  }

  test("with a state that is not theirs", async () => {
    await somebody();
    const browser = newBrowser();
    const back = new URL(await agree(browser));
    back.searchParams.set("state", "x".repeat(43));
    const asked = provider.asked.length;
    await refused(browser, back.href, "not_begun");
    expect(provider.asked).toHaveLength(asked);
  });

  test("without a state, or with two", async () => {
    await somebody();
    const browser = newBrowser();
    const back = new URL(await agree(browser));
    const twice = `${back.href}&state=${back.searchParams.get("state")}`;
    expect((await browser.get(twice)).status).toBe(400);
    back.searchParams.delete("state");
    await refused(browser, back.href, "not_begun");
  });

  test("who did not begin: somebody else's callback signs no browser in", async () => {
    await somebody();
    const attackers = await agree(newBrowser());
    await refused(newBrowser(), attackers, "not_begun");
    const victim = newBrowser();
    await agree(victim);
    await refused(victim, attackers, "not_begun");
  });

  test("with a cookie of another sign-in of theirs", async () => {
    await somebody();
    const browser = newBrowser();
    const first = await agree(browser);
    const second = await agree(browser);
    await refused(browser, first, "not_begun");
    expect(second).not.toBe(first);
  });

  test("with a cookie that was changed, cut, or made for something else", async () => {
    await somebody();
    const state = "s".repeat(43);
    const made = { issuer: provider.url, state, nonce: "n", verifier: "v".repeat(43), until: Date.now() + 60_000 };
    const { keyId, sealed } = keys.seal(JSON.stringify(made), "something else");
    const foreign = new KeyRing([randomBytes(32)]).seal(JSON.stringify(made), "sign-in through a provider");
    const browser = newBrowser();
    const back = await agree(browser);
    const good = browser.cookie("punctual-oidc")!.value;
    const bytes = Buffer.from(good.split(".")[1]!, "base64url");
    bytes[bytes.length - 1]! ^= 1;
    const bad = [
      `${good.split(".")[0]}.${bytes.toString("base64url")}`,
      good.slice(0, -6),
      good.split(".")[0]!,
      "",
      Buffer.from(JSON.stringify(made)).toString("base64url"),
      `${keyId}.${sealed.toString("base64url")}`,
      `${foreign.keyId}.${foreign.sealed.toString("base64url")}`,
      `${keyId}.${foreign.sealed.toString("base64url")}`,
    ];
    for (const value of bad) {
      const bearer = newBrowser();
      bearer.cookies = [{ site: PUBLIC, name: "punctual-oidc", value, path: "/api/v1/auth/oidc", attributes: "" }];
      await refused(
        bearer,
        value.startsWith(keyId) ? back.replace(/state=[\w-]+/, `state=${state}`) : back,
        "not_begun",
      );
    }
    expect(await comeBack(browser, back)).toBe(`${PUBLIC}/`);
  });

  test("after ten minutes", async () => {
    await somebody();
    const browser = newBrowser();
    const back = await agree(browser);
    passedMs = 600_001;
    await refused(browser, back, "not_begun");
  });

  test("by what was begun with another provider", async () => {
    await somebody();
    const browser = newBrowser();
    const back = await agree(browser);
    api.deps.oidc = offered({ issuer: "https://other.example" });
    await refused(browser, back, "not_begun");
  });

  test("by the same callback again", async () => {
    await somebody();
    const browser = newBrowser();
    const back = await agree(browser);
    const kept = browser.cookies;
    await comeBack(browser, back);
    await refused(browser, back, "not_begun");
    // Nor by whoever kept what the browser forgot: the code was used.
    const thief = newBrowser();
    thief.cookies = kept;
    await refused(thief, back, "provider_error");
    expect(lines.join()).toContain("it answered invalid_grant");
  });

  test("by a code that was given to another sign-in", async () => {
    await somebody();
    provider.lies = { takesCodesAgain: true };
    const stolen = new URL(await agree(newBrowser())).searchParams.get("code")!;
    const browser = newBrowser();
    const back = new URL(await agree(browser));
    back.searchParams.set("code", stolen);
    await refused(browser, back.href, "provider_error");
  });

  const now = () => Math.floor(Date.now() / 1_000);
  test.each<[string, Lies]>([
    ["for another sign-in", { claims: (claims) => ({ ...claims, nonce: "x".repeat(43) }) }],
    ["for no sign-in at all", { claims: ({ nonce: _, ...claims }) => claims }],
    ["for another client", { claims: (claims) => ({ ...claims, aud: "somebody-else" }) }],
    [
      "for several clients, without saying for whom",
      { claims: (claims) => ({ ...claims, aud: [CLIENT.id, "other"] }) },
    ],
    ["of another issuer", { claims: (claims) => ({ ...claims, iss: "https://evil.example" }) }],
    ["that has expired", { claims: (claims) => ({ ...claims, iat: now() - 7_200, exp: now() - 3_600 }) }],
    ["of nobody", { claims: ({ sub: _, ...claims }) => claims }],
    ["of somebody who cannot be written down", { claims: (claims) => ({ ...claims, sub: "a\u0000b" }) }],
    ["of somebody whose name has no end", { claims: (claims) => ({ ...claims, sub: "a".repeat(256) }) }],
    ["signed with another key", { foreignKey: true }],
  ])("by an id token %s", async (_, lies) => {
    await somebody();
    provider.lies = lies;
    const browser = newBrowser();
    await refused(browser, await agree(browser), "invalid_answer");
  });

  test("with the address of another than the id token is of", async () => {
    const { email } = await somebody();
    provider.person = { sub: "somebody-else" };
    provider.lies = { addressOnRequest: true };
    const browser = newBrowser();
    const back = await agree(browser);
    provider.person = { sub: "subject-of-the-owner", email, email_verified: true };
    await refused(browser, back, "invalid_answer");
  });

  test("by an answer of another provider (mix-up)", async () => {
    await somebody();
    provider.lies = { iss: "https://evil.example" };
    const browser = newBrowser();
    await refused(browser, await agree(browser), "invalid_answer");
  });

  test("by an answer that does not say whose it is, where the provider always does", async () => {
    await somebody();
    provider.lies = { metadata: { authorization_response_iss_parameter_supported: true } };
    const browser = newBrowser();
    await refused(browser, await agree(browser), "invalid_answer");
  });

  test.each([false, undefined, "true", 1])("with an address of which email_verified is %s", async (verified) => {
    const { email } = await somebody({ email_verified: verified });
    const browser = newBrowser();
    await refused(browser, await agree(browser), "unverified_address", email);
  });

  test.each([undefined, "", "no address", "a@b\u0000", `${"a".repeat(300)}@example.com`])(
    "with an address that is none: %j",
    async (email) => {
      await somebody();
      provider.person.email = email;
      const browser = newBrowser();
      await refused(browser, await agree(browser), "unverified_address");
    },
  );

  test("who has no account here", async () => {
    const { email } = await somebody({ account: false });
    const browser = newBrowser();
    await refused(browser, await agree(browser), "no_account", email);
    expect(await api.deps.store.accounts.findByEmail(email)).toBeNull();
  });

  test("with the address of somebody whom the provider knows as another", async () => {
    const { email } = await somebody();
    await signIn(newBrowser());
    provider.person = { sub: "an-impostor", email, email_verified: true };
    const browser = newBrowser();
    await refused(browser, await agree(browser), "no_account", email);
  });

  test.each([
    ["access_denied", "access_denied"],
    ["login_required", "provider_error"],
    ["<script>alert(1)</script>", "provider_error"],
  ])("whom the provider does not let in: %s", async (error, told) => {
    await somebody();
    provider.lies = { error };
    const browser = newBrowser();
    await refused(browser, await agree(browser), told);
    expect(lines.join()).not.toContain("script>");
  });

  test("by words of the provider's that were put in by somebody else", async () => {
    await refused(newBrowser(), `${CALLBACK}?error=access_denied&error_description=call+0900`, "not_begun");
  });

  test.each(["/token", "/jwks"])("while the provider's %s is broken", async (path) => {
    await somebody();
    api.deps.oidc = offered();
    const browser = newBrowser();
    const back = await agree(browser);
    provider.lies = { broken: [path] };
    await refused(browser, back, "provider_unavailable");
  });
});

describe("redirects lead nowhere else", () => {
  test.each(["redirect", "returnTo", "redirect_uri", "next", "url", "post_login_redirect_uri"])(
    "whatever %s says",
    async (name) => {
      await somebody();
      const browser = newBrowser();
      const back = await agree(browser, `${BEGIN}?${name}=https://evil.example`);
      expect(back.startsWith(`${CALLBACK}?`)).toBe(true);
      expect(await comeBack(browser, `${back}&${name}=https://evil.example`)).toBe(`${PUBLIC}/`);
    },
  );

  test("whatever host the request claims", async () => {
    const browser = newBrowser();
    const begun = await browser.get(BEGIN, { "x-forwarded-host": "evil.example", forwarded: "host=evil.example" });
    expect(new URL(begun.headers.get("location")!).searchParams.get("redirect_uri")).toBe(CALLBACK);
  });
});

describe("a provider that cannot be asked", () => {
  async function unavailable(oidc: OidcSignIn): Promise<void> {
    api.deps.oidc = oidc;
    const answer = await newBrowser().get(BEGIN);
    expect(answer.status).toBe(503);
    expect(answer.headers.get("retry-after")).not.toBeNull();
    expect(answer.headers.getSetCookie()).toEqual([]);
    expect(await answer.json()).toMatchObject({ error: { code: "unavailable" } });
  }

  test("is a 503, and is asked again by whoever comes next", async () => {
    const oidc = offered();
    provider.lies = { broken: ["/.well-known/openid-configuration"] };
    await unavailable(oidc);
    provider.lies = {};
    expect((await newBrowser().get(BEGIN)).status).toBe(302);
  });

  test("because it is down", async () => {
    const gone = await startIdentityProvider();
    await gone.close();
    await unavailable(offered({ issuer: gone.url }));
  });

  test("because it is where no target may be", async () => {
    const strict = runnerAllowing([]);
    const asked = provider.asked.length;
    await unavailable(offered({}, strict.fetch));
    await strict.close();
    expect(provider.asked).toHaveLength(asked);
  });

  test("because it is another than it says", async () => {
    provider.lies = { metadata: { issuer: "https://evil.example" } };
    await unavailable(offered());
  });

  test("because it does not say where people agree", async () => {
    provider.lies = { metadata: { authorization_endpoint: undefined } };
    await unavailable(offered());
    provider.lies = { metadata: { authorization_endpoint: "javascript:alert(1)" } };
    await unavailable(offered());
  });
});

describe("without a provider", () => {
  test("there is no such way", async () => {
    expect((await api.request("GET", "/auth/ways", { key: null })).body).toMatchObject({ oidc: true });
    api.deps.oidc = null;
    expect((await api.request("GET", "/auth/ways", { key: null })).body).toMatchObject({ oidc: false });
    for (const address of [BEGIN, `${CALLBACK}?code=x&state=y`]) {
      const answer = await newBrowser().get(address);
      expect(answer.status).toBe(404);
      expect(await answer.json()).toMatchObject({ error: { code: "not_found" } });
    }
  });
});

describe("bringing in people who are new here", () => {
  /** The admin of the project `default`, in a browser of their own. */
  async function projectAdmin(): Promise<Browser> {
    const { id } = await somebody();
    await api.deps.store.members.add(PROJECT, { accountId: id!, role: "admin", actor: "test" });
    const browser = newBrowser();
    await signIn(browser);
    return browser;
  }

  async function add(browser: Browser, email: string) {
    const { name, value } = browser.cookie("punctual")!;
    const headers = { cookie: `${name}=${value}`, "punctual-project": "default" };
    return await api.request("POST", "/members", { key: null, headers, body: { email, role: "viewer" } });
  }

  test("is for project admins too where a provider vouches for them, and makes no link", async () => {
    const admin = await projectAdmin();
    const { email } = await somebody({ account: false });
    expect(await add(admin, email)).toMatchObject({ status: 201, body: { email, role: "viewer", link: null } });
    const { rows } = await api.database.pool.query(
      "select from punctual.link l join punctual.account a on a.id = l.account_id where a.email = $1",
      [email],
    );
    expect(rows).toEqual([]);
    const browser = newBrowser();
    expect(await signIn(browser)).toBe(`${PUBLIC}/`);
    expect(await me(browser)).toEqual({ status: 200, name: email });
  });

  test("is for instance admins alone where none does", async () => {
    const admin = await projectAdmin();
    api.deps.oidc = null;
    expect((await add(admin, "stranger@example.com")).status).toBe(403);
    const { status, body } = await api.request("POST", "/members", {
      body: { email: "stranger@example.com", role: "viewer" },
    });
    expect(status).toBe(201);
    expect(body.link).toMatch(/#password=[\w-]{43}$/);
  });
});
