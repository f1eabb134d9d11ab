import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { EgressGuard } from "../targets/http/egress.ts";
import { readSettings, type SettingSources } from "./read-settings.ts";
import { flagOf, SETTINGS, type SettingName, type SettingsMode } from "./settings.ts";

const KEY = randomBytes(32).toString("base64");
const SAFE = { PUNCTUAL_DATABASE_URL: "postgres://me:pw@db/punctual", PUNCTUAL_ENCRYPTION_KEYS: KEY };

function read(mode: SettingsMode, environment: Record<string, string>, rest: Partial<SettingSources> = {}) {
  return readSettings(mode, { flags: {}, environment, file: null, hostname: "here", ...rest });
}

function problems(
  mode: SettingsMode,
  environment: Record<string, string>,
  rest: Partial<SettingSources> = {},
): string[] {
  const answer = read(mode, environment, rest);
  return answer.kind === "valid" ? [] : answer.problems.map(({ setting, message }) => `${setting}: ${message}`);
}

function valid(mode: SettingsMode, environment: Record<string, string>, rest: Partial<SettingSources> = {}) {
  const answer = read(mode, environment, rest);
  if (answer.kind === "invalid") throw new Error(JSON.stringify(answer.problems));
  return answer.settings;
}

test("dev needs nothing set, listens on this machine only and lets targets be on it", () => {
  expect(valid("dev", {})).toMatchObject({
    databaseUrl: null,
    host: "127.0.0.1",
    port: 7420,
    roles: ["api", "planner", "dispatcher"],
    concurrency: 200,
    egressAllow: ["127.0.0.0/8", "::1/128"],
    rateLimit: null,
    retentionMs: 30 * 86_400_000,
    leaseMs: 15_000,
    nodeName: "here",
    prepared: true,
  });
});

test("dev allows loopback beside what was allowed by hand", () => {
  const { egressAllow } = valid("dev", { PUNCTUAL_EGRESS_ALLOW: "10.0.0.0/8" });
  expect(egressAllow).toEqual(["10.0.0.0/8", "127.0.0.0/8", "::1/128"]);
});

test("serve allows no private target and limits the rate unless told otherwise", () => {
  expect(valid("serve", SAFE)).toMatchObject({
    egressAllow: [],
    rateLimit: 6000,
    encryptionKeys: [Buffer.from(KEY, "base64")],
  });
  expect(valid("serve", { ...SAFE, PUNCTUAL_RATE_LIMIT: "off" }).rateLimit).toBeNull();
});

test("origins are read as browsers send them", () => {
  const { corsOrigins } = valid("serve", {
    ...SAFE,
    PUNCTUAL_CORS_ORIGINS: "https://Console.example.com/, http://localhost:3000,https://console.example.com",
  });
  expect(corsOrigins).toEqual(["https://console.example.com", "http://localhost:3000"]);
});

test("a flag wins over the environment, the environment over the file, the file over the preset", () => {
  const file = {
    path: "p.json",
    text: JSON.stringify({ port: 1, concurrency: 2, host: "::1", roles: ["api", "planner"] }),
  };
  const answer = read("dev", { PUNCTUAL_PORT: "3", PUNCTUAL_CONCURRENCY: "4" }, { flags: { port: "5" }, file });
  expect(answer).toMatchObject({
    kind: "valid",
    settings: { port: 5, concurrency: 4, host: "::1", roles: ["api", "planner"] },
  });
  const origins = Object.fromEntries(answer.entries.map(({ name, origin }) => [name, origin]));
  expect(origins).toMatchObject({
    port: "flag --port",
    concurrency: "environment",
    host: "file p.json",
    leaseMs: "default",
  });
});

test("the value cannot be changed once it is read", () => {
  const settings = valid("dev", {});
  expect(() => Object.assign(settings, { port: 1 })).toThrow(TypeError);
  expect(() => (settings.egressAllow as string[]).push("x")).toThrow(TypeError);
});

test("serve reports everything that is wrong at once", () => {
  const found = problems("serve", {
    PUNCTUAL_HOST: "0.0.0.0",
    PUNCTUAL_PORT: "70000",
    PUNCTUAL_RETENTION: "soon",
    PUNCTUAL_LEASE: "1s",
    PUNCTUAL_TRUST_PROXY: "on",
    PUNCTUAL_EGRESS_ALLOW: "0.0.0.0/0, ::/0, 10.0.0.0/8, *.internal",
    PUNCTUAL_SHELL: "maybe",
  });
  expect(found).toEqual([
    'PUNCTUAL_PORT: "70000" is not a whole number from 0 to 65535 (environment)',
    expect.stringMatching(/^PUNCTUAL_RETENTION: "soon" is not a duration.*\(environment\)$/),
    'PUNCTUAL_LEASE: "1s" is shorter than the least, 2s (environment)',
    'PUNCTUAL_SHELL: "maybe" is neither "on" nor "off" (environment)',
    expect.stringMatching(/^PUNCTUAL_DATABASE_URL: is not set; /),
    "PUNCTUAL_ENCRYPTION_KEYS: is not set; make one with: openssl rand -base64 32",
    expect.stringMatching(/^PUNCTUAL_TRUST_PROXY: "on" lets every client choose/),
    expect.stringMatching(/^PUNCTUAL_EGRESS_ALLOW: "0\.0\.0\.0\/0" allows nearly every address/),
    expect.stringMatching(/^PUNCTUAL_EGRESS_ALLOW: "::\/0" /),
  ]);
});

test.each([
  ["PUNCTUAL_ADMIN_KEY", "short-secret", /has 12 characters and needs 32/],
  ["PUNCTUAL_ADMIN_KEY", `${"x".repeat(40)} y`, /header cannot carry/],
  ["PUNCTUAL_ENCRYPTION_KEYS", "c2VjcmV0", /key 1 has 6 bytes .* needs 32/],
  ["PUNCTUAL_ENCRYPTION_KEYS", `${KEY},${"ab".repeat(32)}`, /key 2 has 48 bytes/],
  ["PUNCTUAL_ENCRYPTION_KEYS", "not base64!", /key 1 is not base64/],
  ["PUNCTUAL_ENCRYPTION_KEYS", Buffer.alloc(32).toString("base64"), /one byte repeated/],
  ["PUNCTUAL_ENCRYPTION_KEYS", `${KEY},${KEY}`, /key 2 is there twice/],
  ["PUNCTUAL_DATABASE_URL", "mysql://me:s3cret@db/x", /"mysql:\/\/me:\[hidden\]@db\/x" is not a database URL/],
  ["PUNCTUAL_DATABASE_URL", "postgres://me:s3#c/r@et@db/x", /\[hidden\]@db\/x/],
  ["PUNCTUAL_EGRESS_PROXY", "me:s3cret@proxy:3128", /is not an http: or https: URL/],
  ["PUNCTUAL_EGRESS_PROXY", "socks5://me:s3cret@proxy:1080", /is not an http: or https: URL/],
  ["PUNCTUAL_EGRESS_PROXY", "http://me:s3cret", /is not an http: or https: URL/],
  ["PUNCTUAL_EGRESS_PROXY", "http://me:s3/cret@proxy:3128", /is not an http: or https: URL/],
  ["PUNCTUAL_EGRESS_PROXY", "http://me:3/s3cret@proxy:3128", /has more than scheme/],
  ["PUNCTUAL_EGRESS_PROXY", "http://me:s3%cret@proxy:3128", /write %25/],
])("%s refuses %s without repeating a secret", (variable, value, expected) => {
  const found = problems("serve", { ...SAFE, [variable]: value });
  expect(found).toHaveLength(1);
  expect(found[0]).toMatch(expected);
  expect(found[0]).not.toMatch(/s3|short-secret|c2VjcmV0|xxxx/);
});

test.each<[SettingName, string, unknown]>([
  ["databaseUrl", "postgres://punctual@/punctual?host=%2Frun%2Fpg&port=5432", undefined],
  ["databaseUrl", "postgresql://a,b/punctual", undefined],
  ["prepared", "OFF", false],
  ["host", "::", "::"],
  ["publicUrl", "https://p.example.com/x/", "https://p.example.com/x"],
  ["trustProxy", "2", 2],
  ["trustProxy", "off", false],
  ["trustProxy", "10.0.0.0/8, ::1", ["10.0.0.0/8", "::1"]],
  ["roles", "dispatcher,planner", ["planner", "dispatcher"]],
  [
    "egressDeny",
    "Example.com, *.internal, 169.254.0.0/16, fe80::/10",
    ["example.com", "*.internal", "169.254.0.0/16", "fe80::/10"],
  ],
  [
    "egressPorts",
    "443, 8000-8999,9000 - 9000",
    [
      [443, 443],
      [8000, 8999],
      [9000, 9000],
    ],
  ],
  ["retentionMs", "7d", 7 * 86_400_000],
  ["leaseMs", "2s", 2000],
  ["logLevel", "DEBUG", "debug"],
])("%s takes %s", (name, text, expected) => {
  const { variable } = SETTINGS[name];
  expect(valid("dev", { [variable]: text })[name]).toEqual(expected ?? text);
});

test.each<[SettingName, string]>([
  ["prepared", "maybe"],
  ["host", "not a host"],
  ["host", "10.0.0.0/8"],
  ["port", "-1"],
  ["port", "1e3"],
  ["publicUrl", "punctual.example.com"],
  ["publicUrl", "https://a/?b=c"],
  ["trustProxy", "everyone"],
  ["roles", "api,worker"],
  ["roles", ","],
  ["concurrency", "0"],
  ["egressAllow", "10.0.0.0/33"],
  ["egressAllow", "1.2.3"],
  ["egressAllow", "https://example.com"],
  ["egressAllow", "*"],
  ["egressAllow", "example.com."],
  ["egressOnly", "256.1.1.1"],
  ["egressPorts", ","],
  ["egressPorts", "0"],
  ["egressPorts", "443,0-10"],
  ["egressPorts", "65536"],
  ["egressPorts", "9-8"],
  ["egressPorts", "-80"],
  ["egressPorts", "80-"],
  ["egressPorts", "https"],
  ["rateLimit", "lots"],
  ["corsOrigins", "*"],
  ["corsOrigins", "console.example.com"],
  ["corsOrigins", "https://console.example.com/app"],
  ["corsOrigins", "https://user@console.example.com"],
  ["corsOrigins", "https://*.example.com"],
  ["corsOrigins", "null"],
  ["jobsMax", "0"],
  ["minIntervalMs", "500ms"],
  ["retentionMs", "1h"],
  ["nodeName", "a\u0007b"],
  ["logLevel", "loud"],
])("%s refuses %s, naming itself", (name, text) => {
  const found = problems("dev", { [SETTINGS[name].variable]: text });
  expect(found).toHaveLength(1);
  expect(found[0]).toContain(SETTINGS[name].variable);
});

test("the guard understands every kind of entry that the egress settings take", () => {
  const entries =
    "10.0.0.0/8, 192.0.2.1, ::1, fe80::/10, ::ffff:10.0.0.1, localhost, api.example.com, *.example.com, a_b.c-d";
  const { egressDeny } = valid("dev", { PUNCTUAL_EGRESS_DENY: entries });
  expect(egressDeny).toHaveLength(9);
  expect(() => new EgressGuard({ deny: egressDeny })).not.toThrow();
});

test.each([
  ["http://me:s3cret@proxy.example:3128", "http://[hidden]@proxy.example:3128"],
  ["http://s3token@proxy.example/", "http://[hidden]@proxy.example"],
  ["http:\\\\me:s3@cret@proxy.example:3128", "http://[hidden]@proxy.example:3128"],
  ["https:me:s3cret@[::1]:3128", "https://[hidden]@[::1]:3128"],
  ["http://proxy.example:3128", "http://proxy.example:3128"],
])("the proxy %s is shown without its user and password, and has no flag", (url, expected) => {
  const { entries } = read("dev", { PUNCTUAL_EGRESS_PROXY: url });
  expect(entries.find(({ name }) => name === "egressProxy")?.value).toBe(expected);
  expect(JSON.stringify(entries)).not.toMatch(/s3/);
  expect(flagOf(SETTINGS.egressProxy as never)).toBeNull();
});

test("letting a proxy resolve that is not there is a warning", () => {
  const { warnings } = read("dev", { PUNCTUAL_EGRESS_PROXY_RESOLVES: "on" });
  expect(warnings.map(({ setting }) => setting)).toEqual(["PUNCTUAL_EGRESS_PROXY_RESOLVES"]);
});

test("an empty variable is as good as none", () => {
  expect(valid("dev", { PUNCTUAL_PORT: "", PUNCTUAL_DATABASE_URL: "  " })).toMatchObject({
    port: 7420,
    databaseUrl: null,
  });
});

test("an unknown variable is a warning that names the nearest known one", () => {
  const { warnings } = read("dev", {
    PUNCTUAL_PROT: "1",
    PUNCTUAL_SOMETHING_ELSE: "1",
    PUNCTUAL_REDIS_URL: "redis://x",
    PUNCTUAL_URL: "x",
  });
  expect(warnings).toEqual([
    { setting: "PUNCTUAL_PROT", message: "is not a setting; did you mean PUNCTUAL_PORT?" },
    { setting: "PUNCTUAL_REDIS_URL", message: "is not used by this version" },
    { setting: "PUNCTUAL_SOMETHING_ELSE", message: "is not a setting" },
  ]);
});

test.each([
  [{ path: "p.json", text: '{"prot": 1}' }, 'p.json: "prot" is not a setting; did you mean port?'],
  [{ path: "p.json", text: '{"port": {}}' }, 'p.json: "port" is neither text, number, true, false nor a list of texts'],
  [{ path: "p.json", text: "port: 1" }, 'p.json: is not a JSON object, such as {"port": 7420}'],
  [{ path: "p.json", unreadable: "there is no such file" }, "p.json: cannot be read: there is no such file"],
])("the file %j is a problem of its own", (file, expected) => {
  expect(problems("dev", {}, { file })).toEqual([expected]);
});

test("reseal needs a database and the encryption keys, and judges nothing else", () => {
  expect(problems("reseal", {})).toEqual([
    expect.stringMatching(/^PUNCTUAL_DATABASE_URL: is not set/),
    expect.stringMatching(/^PUNCTUAL_ENCRYPTION_KEYS: is not set/),
  ]);
});

test("migrate needs a database and judges nothing else", () => {
  expect(problems("migrate", {})).toEqual([expect.stringMatching(/^PUNCTUAL_DATABASE_URL: is not set/)]);
  expect(problems("migrate", { PUNCTUAL_DATABASE_URL: "postgres://db/x", PUNCTUAL_HOST: "0.0.0.0" })).toEqual([]);
});

test("what is shown hides keys and passwords", () => {
  const { entries } = read("serve", {
    ...SAFE,
    PUNCTUAL_ADMIN_KEY: "k".repeat(40),
    PUNCTUAL_LISTEN_URL: "postgres://me@db/x?password=s3cret&sslmode=require",
  });
  const text = JSON.stringify(entries);
  for (const secret of ["pw@", "s3cret", "kkkk", KEY]) expect(text).not.toContain(secret);
  expect(text).toContain("postgres://me:[hidden]@db/punctual");
});

test("keys have no flag, because other users see a process's arguments", () => {
  const flags = Object.values(SETTINGS).map((setting) => flagOf(setting as never));
  expect(flags).toContain("--database-url");
  expect(flags).not.toContain("--admin-key");
  expect(flags).not.toContain("--encryption-keys");
});

test("behind a pooler without a direct connection, and bound publicly without a public URL, serve warns", () => {
  const { warnings } = read("serve", {
    ...SAFE,
    PUNCTUAL_PREPARED: "off",
    PUNCTUAL_HOST: "::",
    PUNCTUAL_ADMIN_KEY: "k".repeat(40),
  });
  expect(warnings.map(({ setting }) => setting)).toEqual(["PUNCTUAL_LISTEN_URL", "PUNCTUAL_PUBLIC_URL"]);
});

test("commands that would run as root, or users that a node cannot become, are a warning", () => {
  const warned = (environment: Record<string, string>, root: boolean) =>
    read("serve", { ...SAFE, PUNCTUAL_ADMIN_KEY: "k".repeat(40), ...environment }, { root }).warnings;
  const on = { PUNCTUAL_SHELL: "on" };
  const users = { ...on, PUNCTUAL_SHELL_USERS: "nobody" };
  expect(warned(on, true)).toEqual([
    { setting: "PUNCTUAL_SHELL_USERS", message: expect.stringContaining("commands would run as root") },
  ]);
  expect(warned(users, false)).toEqual([
    { setting: "PUNCTUAL_SHELL_USERS", message: expect.stringContaining("does not run as root") },
  ]);
  expect(warned(users, true)).toEqual([]);
  expect(warned(on, false)).toEqual([]);
  expect(warned({}, true)).toEqual([]);
});
