import { createHmac, generateKeyPairSync, type KeyObject } from "node:crypto";
import { exportJWK, type JWTPayload, SignJWT, UnsecuredJWT } from "jose";
import { afterEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { PROJECT, useTestStore } from "../../tests/support/store.ts";
import type { JwtSettings } from "../contract/jwt-settings.ts";
import { makeRunner } from "../targets/http/testing/calls.ts";
import { closedPort, httpServer } from "../targets/http/testing/servers.ts";
import type { Authenticate } from "./principal.ts";
import { tokens } from "./tokens.ts";

const SECRET = "a-shared-secret-of-32-characters";
const KEYS = {
  RS256: generateKeyPairSync("rsa", { modulusLength: 2048 }),
  ES256: generateKeyPairSync("ec", { namedCurve: "P-256" }),
  EdDSA: generateKeyPairSync("ed25519"),
};
const CLAIMS = { iss: "https://id.example", aud: "punctual", sub: "u-1", punctual_projects: { default: "editor" } };

const t = useTestStore();

afterEach(() => void vi.useRealTimers());

function accepting(settings: Partial<JwtSettings>, egress?: { allow: string[] }): Authenticate {
  const nothing = { secret: null, publicKey: null, jwksUrl: null, algorithms: [] };
  const claims = { projectsClaim: "punctual_projects", roleClaim: "punctual_role" };
  const all = { ...nothing, issuer: CLAIMS.iss, audience: CLAIMS.aud, ...claims, ...settings };
  const { fetch } = makeRunner({}, {}, egress);
  return tokens(all, { store: t.store, monotonic: () => Date.now(), fetch });
}

function pem(key: KeyObject): string {
  return key.export({ type: "spki", format: "pem" }).toString();
}

interface Signing {
  alg?: string;
  key?: KeyObject | Uint8Array;
  header?: Record<string, unknown>;
}

/** Good for a minute, unless the claims say otherwise. */
async function sign(claims: JWTPayload = {}, { alg = "HS256", key, header = {} }: Signing = {}): Promise<string> {
  const exp = Math.floor(Date.now() / 1_000) + 60;
  const signing = new SignJWT({ ...CLAIMS, exp, ...claims }).setProtectedHeader({ alg, ...header });
  return await signing.sign(key ?? Buffer.from(SECRET));
}

async function refusal(authenticate: Authenticate, token: string): Promise<{ code: string; message: string }> {
  const error = await Promise.resolve(authenticate(token)).then(
    () => ({ code: "none", message: "it was accepted" }),
    (problem: { code: string; message: string }) => problem,
  );
  return { code: error.code, message: error.message };
}

describe("a token opens what its claims say, however it is signed", () => {
  test("with a shared secret", async () => {
    const identity = await accepting({ secret: SECRET })(await sign({ email: "ann@example.com" }));
    expect(identity).toMatchObject({ kind: "token", id: "u-1", name: "ann@example.com", instanceAdmin: false });
    expect(await identity?.enter("default")).toEqual({
      projectId: PROJECT,
      projectName: "default",
      scopes: ["read", "operate", "write"],
    });
    expect(identity?.home).toBeNull();
  });

  test.each(["RS256", "ES256", "EdDSA"] as const)("with a public key, %s", async (alg) => {
    const { publicKey, privateKey } = KEYS[alg];
    const identity = await accepting({ publicKey: pem(publicKey) })(await sign({}, { alg, key: privateKey }));
    expect(identity).toMatchObject({ kind: "token", id: "u-1", name: "u-1" });
  });

  test("with PS256, where that was set", async () => {
    const { publicKey, privateKey } = KEYS.RS256;
    const token = await sign({}, { alg: "PS256", key: privateKey });
    expect(await accepting({ publicKey: pem(publicKey), algorithms: ["PS256"] })(token)).toMatchObject({ id: "u-1" });
    expect((await refusal(accepting({ publicKey: pem(publicKey) }), token)).message).toContain('"alg"');
  });

  test("with several audiences, of which this is one", async () => {
    expect(await accepting({ secret: SECRET })(await sign({ aud: ["billing", "punctual"] }))).not.toBeNull();
  });

  test("what is no token is left to other ways", async () => {
    const authenticate = accepting({ secret: SECRET });
    for (const other of ["punctual_abc_def", "a.b", "a.b.c.d", "..", "a..c", "a.b.ü", ""])
      expect(await authenticate(other)).toBeNull();
  });
});

describe("a token is refused", () => {
  const now = Math.floor(Date.now() / 1_000);

  test.each<[string, JWTPayload, string]>([
    ["of another issuer", { iss: "https://evil.example" }, '"iss"'],
    ["of no issuer", { iss: undefined as never }, '"iss"'],
    ["for another audience", { aud: "billing" }, '"aud"'],
    ["for a list of other audiences", { aud: ["billing", "punctual2"] }, '"aud"'],
    ["for no audience", { aud: undefined as never }, '"aud"'],
    ["that has expired", { exp: now - 60 }, '"exp"'],
    ["that never expires", { exp: undefined as never }, '"exp"'],
    ["that is not valid yet", { nbf: now + 3_600 }, '"nbf"'],
    ["with an end that is no number", { exp: "tomorrow" as never }, '"exp"'],
    ["of nobody", { sub: undefined as never }, '"sub"'],
    ["of an empty subject", { sub: "" }, '"sub"'],
    ["of a subject that is a number", { sub: 1 as never }, '"sub"'],
    ["of a subject that is null", { sub: null as never }, '"sub"'],
    ["of a subject that cannot be written down", { sub: "u\u00001" }, '"sub"'],
    ["of a subject without end", { sub: "u".repeat(256) }, '"sub"'],
  ])("%s", async (_, claims, named) => {
    const { code, message } = await refusal(accepting({ secret: SECRET }), await sign(claims));
    expect(code).toBe("unauthenticated");
    expect(message).toContain(named);
  });

  test("that is not signed", async () => {
    const bare = new UnsecuredJWT({ ...CLAIMS, exp: now + 60 }).encode();
    expect(await accepting({ secret: SECRET })(bare)).toBeNull();
    for (const end of ["AA", "e30"])
      expect((await refusal(accepting({ secret: SECRET }), `${bare}${end}`)).code).toBe("unauthenticated");
  });

  test("signed with the public key as if it were a secret", async () => {
    const publicKey = pem(KEYS.RS256.publicKey);
    const forged = await sign({}, { key: Buffer.from(publicKey) });
    for (const key of [publicKey, publicKey.trim()])
      expect(await refusal(accepting({ publicKey: key }), forged)).toMatchObject({
        code: "unauthenticated",
        message: expect.stringContaining('"alg"'),
      });
  });

  test("signed by somebody else", async () => {
    const { code } = await refusal(accepting({ secret: SECRET }), await sign({}, { key: Buffer.alloc(32, 7) }));
    expect(code).toBe("unauthenticated");
    const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
    const foreign = await sign({}, { alg: "RS256", key: privateKey });
    const authenticate = accepting({ publicKey: pem(KEYS.RS256.publicKey) });
    expect((await refusal(authenticate, foreign)).code).toBe("unauthenticated");
  });

  test("in an algorithm that was not set, though the secret is right", async () => {
    const claims = Buffer.from(JSON.stringify({ ...CLAIMS, exp: now + 60 })).toString("base64url");
    const head = Buffer.from(JSON.stringify({ alg: "HS512" })).toString("base64url");
    const signature = createHmac("sha512", SECRET).update(`${head}.${claims}`).digest("base64url");
    const { code, message } = await refusal(accepting({ secret: SECRET }), `${head}.${claims}.${signature}`);
    expect(code).toBe("unauthenticated");
    expect(message).toContain('"alg"');
  });

  test("that was changed, in any of its parts", async () => {
    const authenticate = accepting({ secret: SECRET });
    const parts = (await sign()).split(".");
    const richer = { ...CLAIMS, exp: now + 60, punctual_projects: { default: "admin" } };
    const changed = [
      [Buffer.from('{"alg":"HS256","kid":"1"}').toString("base64url"), parts[1], parts[2]],
      [parts[0], Buffer.from(JSON.stringify(richer)).toString("base64url"), parts[2]],
      [parts[0], parts[1], parts[2]!.replace(/^./, (first) => (first === "A" ? "B" : "A"))],
      [parts[0], parts[1], parts[2]!.slice(0, -4)],
    ];
    for (const each of changed) expect((await refusal(authenticate, each.join("."))).code).toBe("unauthenticated");
  });

  test("that asks for something to be understood which nobody here understands", async () => {
    const token = await sign();
    const [, claims] = token.split(".");
    const head = Buffer.from('{"alg":"HS256","crit":["exp2"],"exp2":1}').toString("base64url");
    const signature = createHmac("sha256", SECRET).update(`${head}.${claims}`).digest("base64url");
    const { code } = await refusal(accepting({ secret: SECRET }), `${head}.${claims}.${signature}`);
    expect(code).toBe("unauthenticated");
  });

  test("that is garbage in the form of one", async () => {
    const authenticate = accepting({ secret: SECRET });
    const text = (value: string) => Buffer.from(value).toString("base64url");
    for (const garbage of ["a.b.c", "AAAA.AAAA.AAAA", `${text("{}")}.e30.AA`, `${text("null")}.e30.AA`, "-_-._-_.-_-"])
      expect((await refusal(authenticate, garbage)).code).toBe("unauthenticated");
  });

  test("that brings its own key along, or says where to find it", async () => {
    const evil = await httpServer();
    const { publicKey, privateKey } = KEYS.RS256;
    const header = { jwk: await exportJWK(publicKey), jku: `${evil.url}/jwks`, x5u: `${evil.url}/x5u`, kid: "k" };
    const own = generateKeyPairSync("rsa", { modulusLength: 2048 });
    const forged = await sign({}, { alg: "RS256", key: privateKey, header });
    expect((await refusal(accepting({ publicKey: pem(own.publicKey) }), forged)).code).toBe("unauthenticated");
    const honest = await sign({}, { alg: "RS256", key: own.privateKey, header });
    expect(await accepting({ publicKey: pem(own.publicKey) })(honest)).toMatchObject({ id: "u-1" });
    expect(evil.connections).toBe(0);
  });

  test("from the moment it expires, though it was good a moment before", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    // A fifth of a second before its end, with the ten seconds that clocks may differ.
    vi.setSystemTime(1_800_000_000_800);
    const authenticate = accepting({ secret: SECRET });
    const token = await sign({ exp: 1_800_000_001 - 10 });
    expect(await authenticate(token)).not.toBeNull();
    vi.setSystemTime(1_800_000_001_050);
    expect((await refusal(authenticate, token)).message).toContain('"exp"');
  });
});

describe("keys that are fetched", () => {
  async function jwksServer(keys: Record<string, KeyObject>) {
    const server = await httpServer(async (_, response) => {
      const listed = Object.entries(keys).map(async ([kid, key]) => ({ ...(await exportJWK(key)), kid, use: "sig" }));
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ keys: await Promise.all(listed) }));
    });
    return { server, keys };
  }

  function signedBy(kid: string, alg: "RS256" | "ES256" | "EdDSA", claims: JWTPayload = {}): Promise<string> {
    return sign(
      { exp: Math.floor(Date.now() / 1_000) + 7_200, ...claims },
      { alg, key: KEYS[alg].privateKey, header: { kid } },
    );
  }

  test("are fetched once and kept for ten minutes", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const { server } = await jwksServer({ a: KEYS.RS256.publicKey });
    const authenticate = accepting({ jwksUrl: `${server.url}/jwks` });
    for (const sub of ["1", "2", "3"])
      expect(await authenticate(await signedBy("a", "RS256", { sub }))).toMatchObject({ id: sub });
    expect(server.received).toHaveLength(1);
    vi.setSystemTime(Date.now() + 9 * 60_000);
    await authenticate(await signedBy("a", "RS256", { sub: "4" }));
    expect(server.received).toHaveLength(1);
    vi.setSystemTime(Date.now() + 2 * 60_000);
    await authenticate(await signedBy("a", "RS256", { sub: "5" }));
    expect(server.received).toHaveLength(2);
  });

  test("are fetched again for one that is new, but not for each that is made up", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const { server, keys } = await jwksServer({ a: KEYS.RS256.publicKey });
    const authenticate = accepting({ jwksUrl: server.url });
    await authenticate(await signedBy("a", "RS256"));
    keys.b = KEYS.ES256.publicKey;
    for (const kid of ["b", "c", "d"])
      expect((await refusal(authenticate, await signedBy(kid, "ES256"))).code).toBe("unauthenticated");
    expect(server.received).toHaveLength(1);
    vi.setSystemTime(Date.now() + 31_000);
    expect(await authenticate(await signedBy("b", "ES256"))).toMatchObject({ id: "u-1" });
    expect(server.received).toHaveLength(2);
    for (const kid of ["e", "f"])
      expect((await refusal(authenticate, await signedBy(kid, "ES256"))).code).toBe("unauthenticated");
    expect(server.received).toHaveLength(2);
  });

  test("are good no longer once they were withdrawn and forgotten", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const { server, keys } = await jwksServer({ a: KEYS.RS256.publicKey });
    const authenticate = accepting({ jwksUrl: server.url });
    await authenticate(await signedBy("a", "RS256"));
    delete keys.a;
    vi.setSystemTime(Date.now() + 11 * 60_000);
    expect((await refusal(authenticate, await signedBy("a", "RS256"))).code).toBe("unauthenticated");
  });

  test("do not make a token good in an algorithm that was not set", async () => {
    const { server } = await jwksServer({ a: KEYS.EdDSA.publicKey });
    const token = await signedBy("a", "EdDSA");
    expect((await refusal(accepting({ jwksUrl: server.url }), token)).message).toContain('"alg"');
    expect(await accepting({ jwksUrl: server.url, algorithms: ["EdDSA"] })(token)).toMatchObject({ id: "u-1" });
  });

  test("that cannot be had say nothing about the token", async () => {
    const token = await signedBy("a", "RS256");
    const refused = await refusal(accepting({ jwksUrl: `http://127.0.0.1:${await closedPort()}/` }), token);
    expect(refused).toEqual({
      code: "unavailable",
      message: "the keys that tokens are checked with cannot be fetched; try again",
    });
  });

  test.each<[string, number, string]>([
    ["an error", 500, "{}"],
    ["nothing", 404, ""],
    ["something that is no JSON", 200, "<html>"],
    ["something that is no set of keys", 200, '{"keys":"none"}'],
    ["more than anybody needs", 200, `{"keys":[${" ".repeat(2 * 1024 * 1024)}]}`],
  ])("do not come with %s", async (_, status, body) => {
    const server = await httpServer((_request, response) => response.writeHead(status).end(body));
    const { code } = await refusal(accepting({ jwksUrl: server.url }), await signedBy("a", "RS256"));
    expect(code).toBe("unavailable");
  });

  test("are not looked for where a redirect leads", async () => {
    const { server: inside } = await jwksServer({ a: KEYS.RS256.publicKey });
    const server = await httpServer((_, response) => response.writeHead(302, { location: inside.url }).end());
    const { code } = await refusal(accepting({ jwksUrl: server.url }), await signedBy("a", "RS256"));
    expect(code).toBe("unavailable");
    expect(inside.connections).toBe(0);
  });

  test("are not fetched from where a target may not be", async () => {
    const { server } = await jwksServer({ a: KEYS.RS256.publicKey });
    const { code } = await refusal(accepting({ jwksUrl: server.url }, { allow: [] }), await signedBy("a", "RS256"));
    expect(code).toBe("unavailable");
    expect(server.connections).toBe(0);
  });

  test("that are good for nothing beside one that is do no harm", async () => {
    const good = { ...(await exportJWK(KEYS.RS256.publicKey)), kid: "a" };
    const keys = [{ kty: "oct", k: "AAAA", kid: "o" }, { kty: "XYZ" }, { kty: "RSA", kid: "a2" }, good];
    const server = await httpServer((_, response) => response.end(JSON.stringify({ keys })));
    expect(await accepting({ jwksUrl: server.url })(await signedBy("a", "RS256"))).toMatchObject({ id: "u-1" });
  });
});

describe("what a token says of projects", () => {
  async function entered(claims: JWTPayload, called = "default"): Promise<readonly string[] | null> {
    const identity = await accepting({ secret: SECRET })(await sign({ punctual_projects: undefined, ...claims }));
    return (await identity!.enter(called))?.scopes ?? null;
  }

  async function project(name: string): Promise<{ id: string; name: string }> {
    const made = await t.store.projects.create(name, Buffer.alloc(32, 1));
    if (made === "name_taken") throw new Error(`${name} is there already`);
    onTestFinished(async () => void (await t.store.projects.delete(made.id)));
    return made;
  }

  test.each<[string, JWTPayload, readonly string[] | null]>([
    ["a role by name", { punctual_projects: { default: "viewer" } }, ["read"]],
    ["a role by id", { punctual_projects: { [PROJECT]: "operator" } }, ["read", "operate"]],
    ["names and a role", { punctual_projects: ["x", "default"], punctual_role: "viewer" }, ["read"]],
    ["one name and a role", { punctual_projects: "default", punctual_role: "operator" }, ["read", "operate"]],
    ["another project's role", { punctual_projects: { other: "admin" } }, null],
    ["an unknown role", { punctual_projects: { default: "owner" } }, null],
    ["a role in capitals", { punctual_projects: { default: "Admin" } }, null],
    ["a role that is a list", { punctual_projects: { default: ["admin"] } }, null],
    ["the name of what every object has", { punctual_projects: { default: "constructor" } }, null],
    ["names without a role", { punctual_projects: ["default"] }, null],
    ["names beside an unknown role", { punctual_projects: ["default"], punctual_role: "root" }, null],
    ["a map beside a role", { punctual_projects: { default: "x" }, punctual_role: "admin" }, null],
    ["things that are no names", { punctual_projects: [1, null, {}], punctual_role: "admin" }, null],
    ["null", { punctual_projects: null, punctual_role: "admin" }, null],
    ["nothing", { punctual_role: "admin" }, null],
  ])("%s", async (_, claims, scopes) => {
    expect(await entered(claims)).toEqual(scopes);
  });

  test("is read from the claims that the settings name", async () => {
    const named = { secret: SECRET, projectsClaim: "https://example.com/projects", roleClaim: "groups" };
    const token = await sign({
      "https://example.com/projects": ["default"],
      groups: "viewer",
      punctual_projects: { default: "admin" },
    });
    const identity = await accepting(named)(token);
    expect((await identity!.enter("default"))?.scopes).toEqual(["read"]);
  });

  test("means nothing for a project that is not there, or not any more", async () => {
    expect(await entered({ punctual_projects: { "no-such": "admin" } }, "no-such")).toBeNull();
    const { id, name } = await project("short-lived");
    expect(await entered({ punctual_projects: { [name]: "viewer", [id]: "viewer" } }, name)).toEqual(["read"]);
    await t.store.projects.delete(id);
    for (const called of [id, name])
      expect(await entered({ punctual_projects: { [name]: "viewer", [id]: "viewer" } }, called)).toBeNull();
  });

  test("is taken for names even where JavaScript means something by them", async () => {
    const claim = JSON.parse('{"__proto__": "admin", "constructor": "viewer", "toString": "admin"}') as object;
    expect(await entered({ punctual_projects: claim })).toBeNull();
    expect(await entered({ punctual_projects: {} }, "constructor")).toBeNull();
    await project("constructor");
    expect(await entered({ punctual_projects: claim }, "constructor")).toEqual(["read"]);
    expect(await entered({ punctual_projects: {} }, "constructor")).toBeNull();
    expect(await entered({ punctual_projects: claim }, "__proto__")).toBeNull();
  });

  test("counts up to a thousand projects, and not beyond", async () => {
    const many = Array.from({ length: 3_000 }, (_, index) => [`p-${index}`, "admin"]);
    expect(await entered({ punctual_projects: Object.fromEntries([...many, ["default", "admin"]]) })).toBeNull();
    const few = Object.fromEntries([...many.slice(0, 999), ["default", "viewer"]]);
    expect(await entered({ punctual_projects: few })).toEqual(["read"]);
    const names = { punctual_projects: [...many.map(([name]) => name), "default"], punctual_role: "viewer" };
    expect(await entered(names)).toBeNull();
  });

  test("never makes its bearer an instance admin", async () => {
    const claims = { instanceAdmin: true, instance_admin: true, scopes: ["admin"], punctual_role: "admin" };
    const identity = await accepting({ secret: SECRET })(await sign(claims));
    expect(identity).toMatchObject({ kind: "token", instanceAdmin: false, session: null });
  });
});

test("an address that nobody verified is not its bearer's name, nor one that cannot be written down", async () => {
  const claims = { email: "boss@example.com", email_verified: false };
  expect(await accepting({ secret: SECRET })(await sign(claims))).toMatchObject({ name: "u-1" });
  for (const email of [1, "", "a\u0000@example.com", "a".repeat(300)])
    expect(await accepting({ secret: SECRET })(await sign({ email }))).toMatchObject({ name: "u-1" });
});
