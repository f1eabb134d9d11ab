// The settings of a node: one table says what each is called, what it may be and what it is without being set. They are
// read once (read-settings.ts), from flags, then the environment, then a file, into a frozen value.

import { JWT_ALGORITHMS, type JwtAlgorithm } from "./jwt-settings.ts";
import * as kinds from "./setting-values.ts";

/**
 * `dev` is lenient and has defaults for everything; `serve` refuses to run unsafely; `migrate` needs only a database,
 * `reseal` the encryption keys too.
 */
export type SettingsMode = "dev" | "serve" | "migrate" | "reseal";

const ROLES = ["api", "planner", "dispatcher"] as const;
type Role = (typeof ROLES)[number];

export interface Settings {
  readonly databaseUrl: string | null;
  readonly listenUrl: string | null;
  readonly prepared: boolean;
  readonly dataDir: string | null;
  readonly host: string;
  readonly port: number;
  readonly publicUrl: string | null;
  readonly trustProxy: boolean | number | readonly string[];
  readonly roles: readonly Role[];
  readonly concurrency: number;
  readonly nodeName: string;
  readonly adminKey: string | null;
  readonly sessionIdleMs: number;
  readonly sessionLifeMs: number;
  readonly jwtSecret: string | null;
  readonly jwtPublicKey: string | null;
  readonly jwtJwksUrl: string | null;
  readonly jwtIssuer: string | null;
  readonly jwtAudience: string | null;
  readonly jwtAlgorithms: readonly JwtAlgorithm[];
  readonly jwtProjectsClaim: string;
  readonly jwtRoleClaim: string;
  readonly oidcIssuer: string | null;
  readonly oidcClientId: string | null;
  readonly oidcClientSecret: string | null;
  readonly encryptionKeys: readonly Buffer[];
  readonly egressAllow: readonly string[];
  readonly egressOnly: readonly string[];
  readonly egressDeny: readonly string[];
  readonly egressPorts: readonly kinds.PortRange[];
  readonly egressProxy: string | null;
  readonly egressProxyResolves: boolean;
  /** API requests a minute per key; null: no limit. */
  readonly rateLimit: number | null;
  readonly corsOrigins: readonly string[];
  readonly jobsMax: number;
  readonly minIntervalMs: number;
  readonly retentionMs: number;
  readonly leaseMs: number;
  readonly shell: boolean;
  readonly shellUsers: readonly string[];
  readonly shellEnv: readonly string[];
  readonly logLevel: "debug" | "info" | "warn" | "error" | "silent";
}

export type SettingName = keyof Settings;

export interface Setting<T> {
  variable: string;
  /** What follows the flag in the help. Settings without it have no flag: other users see a process's arguments. */
  placeholder: string | null;
  about: string;
  kind: kinds.Kind<T>;
  /** null: not set. */
  preset: { dev: T | null; serve: T | null };
}

const LOOPBACK = ["127.0.0.0/8", "::1/128"];
const WEB_PORTS: readonly kinds.PortRange[] = [
  [80, 80],
  [443, 443],
  [1024, 65_535],
];

export const SETTINGS: { readonly [Name in SettingName]: Setting<Settings[Name]> } = {
  databaseUrl: setting("PUNCTUAL_DATABASE_URL", "url", kinds.postgresUrl, null, {
    about: "PostgreSQL 15 or newer. `serve` needs it; `dev` starts a database of its own without it.",
  }),
  listenUrl: setting("PUNCTUAL_LISTEN_URL", "url", kinds.postgresUrl, null, {
    about: "A direct connection for wake-ups, when the database URL leads through a pooler.",
  }),
  prepared: setting("PUNCTUAL_PREPARED", "on|off", kinds.onOff, true, {
    about: "Named statements. Turn off behind PgBouncer in transaction mode.",
  }),
  dataDir: setting("PUNCTUAL_DATA_DIR", "folder", kinds.plainText, null, {
    about:
      "Where `dev` keeps its database, keys and log: `./.punctual`, or a folder under `/var/lib/punctual` when root starts it where only root may enter.",
  }),
  host: setting("PUNCTUAL_HOST", "address", kinds.hostToBind, "127.0.0.1", {
    about: "Address to listen on; `0.0.0.0` or `::` for all.",
  }),
  port: setting("PUNCTUAL_PORT", "number", kinds.wholeNumber(0, 65_535), 7420, {
    about: "Port to listen on; 0 takes any free one.",
  }),
  publicUrl: setting("PUNCTUAL_PUBLIC_URL", "url", kinds.webUrl, null, {
    about: "How others reach this instance: callback URLs and links begin with it. Without it: host and port.",
  }),
  trustProxy: setting("PUNCTUAL_TRUST_PROXY", "who", kinds.trustedProxies, false, {
    about: "Whose `X-Forwarded-For` is believed: the number of proxies in front, or their addresses and ranges.",
  }),
  roles: setting("PUNCTUAL_ROLES", "list", kinds.choices(...ROLES), ROLES, {
    about: "What this node does. Every role serves health and metrics.",
  }),
  concurrency: setting("PUNCTUAL_CONCURRENCY", "number", kinds.wholeNumber(1, 10_000), 200, {
    about: "Executions running at once on this node.",
  }),
  nodeName: setting("PUNCTUAL_NODE_NAME", "name", kinds.plainText, null, {
    about: "What this node is called in lists and logs. Without it: the machine's host name.",
  }),
  adminKey: setting("PUNCTUAL_ADMIN_KEY", null, kinds.adminKey, null, {
    about: "An instance-admin key for automation, 32 characters or more; its project is `default`.",
  }),
  sessionIdleMs: setting(
    "PUNCTUAL_SESSION_IDLE",
    "duration",
    kinds.durationMs({ min: "5m", max: "30d" }),
    12 * 3_600_000,
    {
      about: "How long somebody stays signed in without doing anything.",
    },
  ),
  sessionLifeMs: setting(
    "PUNCTUAL_SESSION_LIFE",
    "duration",
    kinds.durationMs({ min: "5m", max: "90d" }),
    7 * 86_400_000,
    {
      about: "How long somebody stays signed in at the most.",
    },
  ),
  jwtSecret: setting("PUNCTUAL_JWT_SECRET", null, kinds.sharedSecret, null, {
    about: "Accept tokens (JWT) signed with this shared secret (HS256), 32 characters or more.",
  }),
  jwtPublicKey: setting("PUNCTUAL_JWT_PUBLIC_KEY", null, kinds.publicKey, null, {
    about: "Accept tokens signed by the owner of this public key: PEM, with `\\n` or real line breaks.",
  }),
  jwtJwksUrl: setting("PUNCTUAL_JWT_JWKS_URL", "url", kinds.fetchedUrl, null, {
    about: "Accept tokens signed with one of the keys found there; fetched through the egress guard, kept ten minutes.",
  }),
  jwtIssuer: setting("PUNCTUAL_JWT_ISSUER", "text", kinds.plainText, null, {
    about: "Who tokens must come from (`iss`). Needed with any of the three.",
  }),
  jwtAudience: setting("PUNCTUAL_JWT_AUDIENCE", "text", kinds.plainText, null, {
    about: "For whom tokens must be made (`aud`). Needed with any of the three.",
  }),
  jwtAlgorithms: setting("PUNCTUAL_JWT_ALGORITHMS", "list", kinds.choices(...JWT_ALGORITHMS), [], {
    about: `How tokens may be signed: of ${JWT_ALGORITHMS.map((each) => `\`${each}\``).join(", ")}. Without it: HS256 with a secret, what fits the public key, RS256 and ES256 with a JWKS URL.`,
  }),
  jwtProjectsClaim: setting("PUNCTUAL_JWT_PROJECTS_CLAIM", "name", kinds.plainText, "punctual_projects", {
    about: 'The claim that says in which projects its bearer may act: `{"billing": "editor"}`, or names beside a role.',
  }),
  jwtRoleClaim: setting("PUNCTUAL_JWT_ROLE_CLAIM", "name", kinds.plainText, "punctual_role", {
    about: "The claim with the role for all of them, where the projects are only named.",
  }),
  oidcIssuer: setting("PUNCTUAL_OIDC_ISSUER", "url", kinds.issuerUrl, null, {
    about: "Let people sign in through this OpenID Connect provider. Needs `PUNCTUAL_PUBLIC_URL`.",
  }),
  oidcClientId: setting("PUNCTUAL_OIDC_CLIENT_ID", "text", kinds.plainText, null, {
    about: "What this instance is registered as there.",
  }),
  oidcClientSecret: setting("PUNCTUAL_OIDC_CLIENT_SECRET", null, kinds.givenSecret, null, {
    about: "The secret that belongs to it; none for a public client.",
  }),
  encryptionKeys: setting("PUNCTUAL_ENCRYPTION_KEYS", null, kinds.encryptionKeys, [], {
    about:
      "Keys for secrets at rest: base64 of 32 bytes each, comma-separated; the first encrypts, all decrypt. `serve` needs one; `dev` makes its own.",
  }),
  egressAllow: setting("PUNCTUAL_EGRESS_ALLOW", "list", kinds.egressList, [], {
    about:
      "Exceptions to the private and special ranges that targets may not be in: ranges, addresses, host names. `dev` adds loopback.",
    dev: LOOPBACK,
  }),
  egressOnly: setting("PUNCTUAL_EGRESS_ONLY", "list", kinds.egressList, [], {
    about: "If set, targets may be nowhere else.",
  }),
  egressDeny: setting("PUNCTUAL_EGRESS_DENY", "list", kinds.egressList, [], {
    about: "Targets may not be here, whatever the other lists say.",
  }),
  egressPorts: setting("PUNCTUAL_EGRESS_PORTS", "list", kinds.ports, WEB_PORTS, {
    about: "Ports that targets may be called on: numbers and ranges such as `8000-8999`.",
    dev: [[1, 65_535]],
  }),
  egressProxy: setting("PUNCTUAL_EGRESS_PROXY", null, kinds.proxyUrl, null, {
    about: "A proxy that all calls go through, in tunnels (`CONNECT`): `http://user:password@proxy.example.com:3128`.",
  }),
  egressProxyResolves: setting("PUNCTUAL_EGRESS_PROXY_RESOLVES", "on|off", kinds.onOff, false, {
    about:
      "Whether the proxy is told names and decides what they may lead to. Off: it is told addresses that were judged here.",
  }),
  rateLimit: setting("PUNCTUAL_RATE_LIMIT", "number", kinds.perMinute, 6_000, {
    about:
      "API requests a minute per key, and per address without one, counted by each node; or `off`. Workers' own calls and health are not counted.",
    dev: null,
  }),
  corsOrigins: setting("PUNCTUAL_CORS_ORIGINS", "list", kinds.origins, [], {
    about: "Origins whose pages may call the API from a browser, with a key. Without it: none but its own.",
  }),
  jobsMax: setting("PUNCTUAL_JOBS_MAX", "number", kinds.wholeNumber(1, 100_000_000), 1_000_000, {
    about: "Jobs a project may have; deleted ones are not counted.",
  }),
  minIntervalMs: setting("PUNCTUAL_MIN_INTERVAL", "duration", kinds.durationMs({ min: "1s", max: "1d" }), 1_000, {
    about: "How close two fires of a schedule may be when a job is saved. Jobs that are there keep their schedule.",
  }),
  retentionMs: setting(
    "PUNCTUAL_RETENTION",
    "duration",
    kinds.durationMs({ min: "1d", max: "3650d" }),
    30 * 86_400_000,
    {
      about: "How long the history of executions is kept; it is dropped by whole days.",
    },
  ),
  leaseMs: setting("PUNCTUAL_LEASE", "duration", kinds.durationMs({ min: "2s", max: "5m" }), 15_000, {
    about: "How long a silent node is believed alive; it is renewed every third of it. The same on all nodes.",
  }),
  shell: setting("PUNCTUAL_SHELL", "on|off", kinds.onOff, false, {
    about: "Whether this node runs shell targets and its API accepts them from admins.",
  }),
  shellUsers: setting("PUNCTUAL_SHELL_USERS", "list", kinds.names, [], {
    about:
      "Users that commands may run as; the first is the default. Needs a node that runs as root. Without it: the node's own user.",
  }),
  shellEnv: setting("PUNCTUAL_SHELL_ENV", "list", kinds.names, ["PATH", "HOME", "LANG", "TZ", "TMPDIR"], {
    about: "Variables of the node's own environment that commands get to see, beside those their job sets.",
  }),
  logLevel: setting("PUNCTUAL_LOG_LEVEL", "level", kinds.choice("debug", "info", "warn", "error", "silent"), "info", {
    about: "`debug`, `info`, `warn`, `error` or `silent`.",
  }),
};

/** `--database-url`; null for what must not stand on a command line. */
export function flagOf({ variable, placeholder }: Setting<never>): string | null {
  return placeholder === null ? null : `--${variable.slice("PUNCTUAL_".length).toLowerCase().replaceAll("_", "-")}`;
}

/** `databaseUrl`: what a setting is called in the file. */
export function fileKeyOf({ variable }: Setting<never>): string {
  return variable
    .slice("PUNCTUAL_".length)
    .toLowerCase()
    .replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
}

function setting<T>(
  variable: string,
  placeholder: string | null,
  kind: kinds.Kind<T>,
  preset: NoInfer<T> | null,
  options: { about: string; dev?: NoInfer<T> | null },
): Setting<T> {
  const dev = options.dev === undefined ? preset : options.dev;
  return { variable, placeholder, about: options.about, kind, preset: { dev, serve: preset } };
}
