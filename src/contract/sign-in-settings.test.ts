// What the settings for tokens and for an identity provider have to be, each by itself and all together.

import { generateKeyPairSync, type KeyObject, randomBytes } from "node:crypto";
import { describe, expect, test } from "vitest";
import { jwtSettings } from "./jwt-settings.ts";
import { oidcSettings } from "./oidc-settings.ts";
import { readSettings } from "./read-settings.ts";

const SAFE = {
  PUNCTUAL_DATABASE_URL: "postgres://me:pw@db/punctual",
  PUNCTUAL_ENCRYPTION_KEYS: randomBytes(32).toString("base64"),
};
const SECRET = "a-shared-secret-of-32-characters";
const RSA = pem(generateKeyPairSync("rsa", { modulusLength: 2048 }).publicKey);
const TOKENS = { PUNCTUAL_JWT_ISSUER: "https://id.example", PUNCTUAL_JWT_AUDIENCE: "punctual" };
const JWKS = { ...TOKENS, PUNCTUAL_JWT_JWKS_URL: "https://id.example/jwks" };
const OIDC = {
  PUNCTUAL_OIDC_ISSUER: "https://id.example/realms/x/",
  PUNCTUAL_OIDC_CLIENT_ID: "punctual",
  PUNCTUAL_PUBLIC_URL: "https://punctual.example.com",
};

function pem(key: KeyObject): string {
  return key.export({ type: "spki", format: "pem" }).toString();
}

function read(environment: Record<string, string>) {
  return readSettings("serve", { flags: {}, environment: { ...SAFE, ...environment }, file: null, hostname: "here" });
}

/** The variables that are complained about, and what is said. */
function problems(environment: Record<string, string>): [string[], string] {
  const answer = read(environment);
  const found = answer.kind === "valid" ? [] : answer.problems;
  return [
    found.map(({ setting }) => setting.replace("PUNCTUAL_", "")).sort(),
    found.map(({ message }) => message).join("\n"),
  ];
}

function settings(environment: Record<string, string>) {
  const answer = read(environment);
  if (answer.kind === "invalid") throw new Error(JSON.stringify(answer.problems));
  return answer.settings;
}

describe("tokens", () => {
  test("are not accepted unless something is set", () => {
    expect(jwtSettings(settings({}))).toBeNull();
  });

  test("are accepted with issuer, audience and one key", () => {
    const key = { ...TOKENS, PUNCTUAL_JWT_PUBLIC_KEY: RSA.replaceAll("\n", "\\n") };
    expect(jwtSettings(settings(key))).toEqual({
      secret: null,
      publicKey: RSA.trim(),
      jwksUrl: null,
      issuer: "https://id.example",
      audience: "punctual",
      algorithms: [],
      projectsClaim: "punctual_projects",
      roleClaim: "punctual_role",
    });
    expect(jwtSettings(settings({ ...TOKENS, PUNCTUAL_JWT_SECRET: SECRET }))).toMatchObject({ secret: SECRET });
    expect(jwtSettings(settings(JWKS))).toMatchObject({ jwksUrl: "https://id.example/jwks" });
  });

  test.each<[string, Record<string, string>, string[]]>([
    ["a key alone", { PUNCTUAL_JWT_SECRET: SECRET }, ["JWT_AUDIENCE", "JWT_ISSUER"]],
    ["no key", TOKENS, ["JWT_JWKS_URL"]],
    ["algorithms alone", { PUNCTUAL_JWT_ALGORITHMS: "RS256" }, ["JWT_AUDIENCE", "JWT_ISSUER", "JWT_JWKS_URL"]],
    ["two keys", { ...JWKS, PUNCTUAL_JWT_SECRET: SECRET }, ["JWT_SECRET"]],
    ["two others", { ...JWKS, PUNCTUAL_JWT_PUBLIC_KEY: RSA }, ["JWT_PUBLIC_KEY"]],
    [
      "a shared secret's algorithm for public keys",
      { ...JWKS, PUNCTUAL_JWT_ALGORITHMS: "RS256,HS256" },
      ["JWT_ALGORITHMS"],
    ],
    [
      "another for a secret",
      { ...TOKENS, PUNCTUAL_JWT_SECRET: SECRET, PUNCTUAL_JWT_ALGORITHMS: "HS256,RS256" },
      ["JWT_ALGORITHMS"],
    ],
    [
      "one that the key is not for",
      { ...TOKENS, PUNCTUAL_JWT_PUBLIC_KEY: RSA, PUNCTUAL_JWT_ALGORITHMS: "RS256,ES256" },
      ["JWT_ALGORITHMS"],
    ],
    ["none", { ...JWKS, PUNCTUAL_JWT_ALGORITHMS: "none" }, ["JWT_ALGORITHMS"]],
    ["a short secret", { ...TOKENS, PUNCTUAL_JWT_SECRET: "s3cret" }, ["JWT_SECRET"]],
    ["a URL that is none", { ...TOKENS, PUNCTUAL_JWT_JWKS_URL: "file:///etc/passwd" }, ["JWT_JWKS_URL"]],
  ])("refused: %s", (_, environment, named) => {
    expect(problems(environment)[0]).toEqual(named);
  });

  test.each<[string, string, string]>([
    [
      "a private key",
      generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
      "not a public key in PEM form",
    ],
    [
      "what only looks like one",
      "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----",
      "cannot be read as a public key",
    ],
    ["a short one", pem(generateKeyPairSync("rsa", { modulusLength: 1024 }).publicKey), "has 1024 bits"],
    [
      "one on another curve",
      pem(generateKeyPairSync("ec", { namedCurve: "P-384" }).publicKey),
      "on the curve secp384r1",
    ],
    ["one that signs nothing", pem(generateKeyPairSync("x25519").publicKey), "of the type x25519"],
  ])("a public key that is none of use is refused, and not repeated: %s", (_, key, why) => {
    const [, said] = problems({ ...TOKENS, PUNCTUAL_JWT_PUBLIC_KEY: key });
    expect(said).toContain(why);
    expect(said).not.toContain(key.split("\n")[1]);
  });

  test("keys that are fetched in the clear are a warning, but not within this machine", () => {
    const warned = (url: string) =>
      read({ ...JWKS, PUNCTUAL_JWT_JWKS_URL: url }).warnings.map(({ setting }) => setting);
    expect(warned("http://id.example/jwks")).toEqual(["PUNCTUAL_JWT_JWKS_URL"]);
    for (const url of ["https://id.example/jwks", "http://127.0.0.1:80/", "http://localhost/", "http://[::1]/"])
      expect(warned(url)).toEqual([]);
  });
});

describe("an identity provider", () => {
  test("is not asked unless it is named", () => {
    expect(oidcSettings(settings({ PUNCTUAL_PUBLIC_URL: OIDC.PUNCTUAL_PUBLIC_URL }))).toBeNull();
  });

  test("is named as it names itself, to the last slash", () => {
    expect(oidcSettings(settings(OIDC))).toEqual({
      issuer: "https://id.example/realms/x/",
      clientId: "punctual",
      clientSecret: null,
      publicUrl: "https://punctual.example.com",
    });
    expect(oidcSettings(settings({ ...OIDC, PUNCTUAL_OIDC_CLIENT_SECRET: "s" }))).toMatchObject({ clientSecret: "s" });
    for (const issuer of ["http://127.0.0.1:8080", "http://localhost/x", "http://[::1]:1"])
      expect(oidcSettings(settings({ ...OIDC, PUNCTUAL_OIDC_ISSUER: issuer }))).toMatchObject({ issuer });
  });

  test.each<[string, Record<string, string>, string[]]>([
    ["an issuer alone", { PUNCTUAL_OIDC_ISSUER: "https://id.example" }, ["OIDC_CLIENT_ID", "PUBLIC_URL"]],
    ["a client alone", { PUNCTUAL_OIDC_CLIENT_ID: "punctual" }, ["OIDC_ISSUER", "PUBLIC_URL"]],
    ["a secret alone", { PUNCTUAL_OIDC_CLIENT_SECRET: "s" }, ["OIDC_CLIENT_ID", "OIDC_ISSUER", "PUBLIC_URL"]],
    ["no public URL", { ...OIDC, PUNCTUAL_PUBLIC_URL: "" }, ["PUBLIC_URL"]],
    ["http: to another machine", { ...OIDC, PUNCTUAL_OIDC_ISSUER: "http://id.example" }, ["OIDC_ISSUER"]],
    [
      "http: to what begins like this one",
      { ...OIDC, PUNCTUAL_OIDC_ISSUER: "http://127.0.0.1.evil.example" },
      ["OIDC_ISSUER"],
    ],
    ["a query", { ...OIDC, PUNCTUAL_OIDC_ISSUER: "https://id.example/?a=b" }, ["OIDC_ISSUER"]],
    ["a user", { ...OIDC, PUNCTUAL_OIDC_ISSUER: "https://me:pw@id.example/" }, ["OIDC_ISSUER"]],
    ["no URL", { ...OIDC, PUNCTUAL_OIDC_ISSUER: "id.example" }, ["OIDC_ISSUER"]],
  ])("refused: %s", (_, environment, named) => {
    const [found, said] = problems(environment);
    expect(found).toEqual(named);
    expect(said).not.toContain("pw@");
  });

  test("is refused in dev too without the address people come back to", () => {
    const { PUNCTUAL_PUBLIC_URL: _, ...environment } = OIDC;
    const answer = readSettings("dev", { flags: {}, environment, file: null, hostname: "here" });
    expect(answer).toMatchObject({ kind: "invalid", problems: [{ setting: "PUNCTUAL_PUBLIC_URL" }] });
  });
});

test("no secret is shown", () => {
  const given = { ...OIDC, PUNCTUAL_OIDC_CLIENT_SECRET: "s3cret", ...TOKENS, PUNCTUAL_JWT_SECRET: SECRET };
  const { entries } = read(given);
  const shown = Object.fromEntries(entries.map(({ name, value }) => [name, value]));
  expect(shown).toMatchObject({ oidcClientSecret: "[hidden]", jwtSecret: "[hidden]", oidcClientId: "punctual" });
  expect(JSON.stringify(entries)).not.toMatch(/s3cret|shared/);
});
