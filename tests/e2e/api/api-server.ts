// The API over real HTTP on a real store, without an engine: what is triggered stays where it is until the test moves it.

import { randomBytes } from "node:crypto";
import type { FastifyInstance } from "fastify";
import type { CompleteCallback } from "../../../src/api/callback.ts";
import { API_DEFAULTS, type ApiDeps, type ApiOptions } from "../../../src/api/deps.ts";
import { JobRoom } from "../../../src/api/job-room.ts";
import { type Authenticate, anyWay, fixedKeys, keyIdentity } from "../../../src/api/principal.ts";
import { buildApi } from "../../../src/api/server.ts";
import { Sessions } from "../../../src/api/sessions.ts";
import { StoredKeys } from "../../../src/api/stored-keys.ts";
import { SCOPES, type Scope } from "../../../src/contract/api-key.ts";
import type { HttpTarget } from "../../../src/contract/target.ts";
import { IdSource } from "../../../src/core/ids.ts";
import { Passwords } from "../../../src/core/password.ts";
import type { Store } from "../../../src/store/port.ts";
import type { Call } from "../../../src/targets/port.ts";
import { createLog, type Log } from "../../../src/telemetry/log.ts";
import { Metrics } from "../../../src/telemetry/metrics.ts";
import { createTestStore, PROJECT, type TestStore } from "../../support/store.ts";
import { startTestDesk } from "../../support/worker-desk.ts";

export const KEY = "test-key-with-all-scopes-0123456789";
export const READ_KEY = "test-key-that-may-only-read-012345";
export const STRANGER_KEY = "test-key-of-another-project-012345";
export const ECHO = { type: "http", url: "https://target.example/echo" };

/** Light ones: what is tested here is not how dear a guess is. */
const PASSWORDS = { ln: 4, r: 8, p: 1 };

export interface Reply {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came
  body: any;
  text: string;
}

export interface ApiServer {
  url: string;
  app: FastifyInstance;
  deps: ApiDeps;
  database: TestStore;
  /** What targets were asked to do. */
  calls: Call<HttpTarget>[];
  request(method: string, path: string, options?: RequestOptions): Promise<Reply>;
  close(): Promise<void>;
}

export interface RequestOptions {
  body?: unknown;
  raw?: string | Buffer;
  key?: string | null;
  headers?: Record<string, string>;
}

export interface ApiServerOptions {
  completeCallback?: CompleteCallback;
  store?: (store: Store) => Store;
  /** Another server's, as a second node would have it; that server closes it. */
  beside?: ApiServer;
  /** One that the test prepared; the server closes it. */
  database?: TestStore;
  log?: Log;
  shell?: ApiDeps["shell"];
  /** Other ways to be known, beside keys. */
  ways?: readonly Authenticate[];
  oidc?: ApiDeps["oidc"];
  /** How browsers reach it, if that is said. */
  publicUrl?: string;
  idleMs?: number;
  lifeMs?: number;
  monotonic?: ApiDeps["monotonic"];
  jobsMax?: number;
  minIntervalMs?: number;
  /** What is to be otherwise than by default. */
  options?: Partial<ApiOptions>;
}

export async function startApi(options: ApiServerOptions = {}): Promise<ApiServer> {
  const database = options.beside?.database ?? options.database ?? (await createTestStore());
  const store = options.beside ? database.another().store : database.store;
  const otherProject = await ensureProject(store, "other");
  const log = options.log ?? createLog({ level: process.env.TEST_LOG ? "warn" : "silent" });
  const storedKeys = new StoredKeys(store, { monotonic: () => performance.now(), log });
  const workers = startTestDesk(store);
  const calls: Call<HttpTarget>[] = [];
  const key = (name: string, scopes: readonly Scope[], { projectId = PROJECT, instanceAdmin = false } = {}) => {
    const grant = { projectId, projectName: projectId === PROJECT ? "default" : "other", scopes };
    return keyIdentity({ id: name, name, instanceAdmin, grant }, (called) => store.projects.find(called));
  };
  const { publicUrl = null } = options;
  const secure = publicUrl?.startsWith("https:") ?? false;
  const signIn = { secure, publicUrl, url: () => "http://punctual.example" };
  const lives = { idleMs: options.idleMs ?? 3_600_000, lifeMs: options.lifeMs ?? 86_400_000 };
  const sessions = new Sessions(store, { monotonic: () => performance.now(), log, ...lives, secure });
  const deps: ApiDeps = {
    store: options.store?.(store) ?? store,
    targets: {
      attempt: async (call) => {
        calls.push(call);
        const response = { status: 200, headers: {}, body: "ok", truncated: false };
        const timings = { dnsMs: 0, connectMs: 0, tlsMs: 0, firstByteMs: 1, totalMs: 1 };
        const request = { method: "POST", url: call.job.target.url };
        return {
          outcome: "succeeded",
          error: null,
          cause: null,
          doubtful: false,
          retryAfterMs: null,
          request,
          response,
          timings,
          result: null,
        };
      },
      close: async () => {},
    },
    checkEgress: (url) => (new URL(url).hostname === "10.0.0.1" ? "10.0.0.1 is in a private range" : null),
    authenticate: anyWay(
      fixedKeys([
        { token: KEY, identity: key("tester", SCOPES, { instanceAdmin: true }) },
        { token: READ_KEY, identity: key("reader", ["read"]) },
        { token: STRANGER_KEY, identity: key("stranger", SCOPES, { projectId: otherProject }) },
      ]),
      storedKeys.authenticate,
      ...(options.ways ?? []),
    ),
    sessions,
    passwords: new Passwords(PASSWORDS),
    signIn,
    jobRoom: new JobRoom(store, { jobsMax: options.jobsMax ?? 1_000_000, monotonic: () => performance.now() }),
    minIntervalMs: options.minIntervalMs ?? 1_000,
    oidc: options.oidc ?? null,
    shell: options.shell ?? { on: false, users: [] },
    completeCallback: options.completeCallback ?? (async () => "stale"),
    workers: workers.desk,
    log,
    metrics: new Metrics(),
    ids: new IdSource(),
    clock: () => new Date(),
    monotonic: options.monotonic ?? (() => performance.now()),
    node: { id: database.nodeId, name: "test" },
    version: "0.0.0",
  };
  const app = await buildApi(deps, {
    ...API_DEFAULTS,
    rateLimit: null,
    wrongKeysMax: null,
    dev: true,
    eventLoopDelayMsMax: 0,
    pingMs: 50,
    ...options.options,
  });
  const url = await app.listen({ host: "127.0.0.1", port: 0 });
  return {
    url,
    app,
    deps,
    database,
    calls,
    request: (method, path, given = {}) => send(url, method, path, given),
    close: async () => {
      await app.close();
      await storedKeys.close();
      await sessions.close();
      await workers.stop();
      if (!options.beside) await database.close();
    },
  };
}

async function ensureProject(store: Store, name: string): Promise<string> {
  const made = await store.projects.create(name, randomBytes(32));
  return made === "name_taken" ? (await store.projects.find(name))!.id : made.id;
}

async function send(
  url: string,
  method: string,
  path: string,
  { body, raw, key = KEY, headers = {} }: RequestOptions,
): Promise<Reply> {
  const sent = raw ?? (body === undefined ? undefined : JSON.stringify(body));
  const response = await fetch(
    path.startsWith("/api/") || path.startsWith("//") ? url + path.replace(/^\/\//, "/") : `${url}/api/v1${path}`,
    {
      method,
      headers: {
        ...(key === null ? {} : { authorization: `Bearer ${key}` }),
        ...(sent === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(sent === undefined ? {} : { body: sent }),
    },
  );
  const text = await response.text();
  const isJson = response.headers.get("content-type")?.startsWith("application/json") ?? false;
  return {
    status: response.status,
    headers: response.headers,
    body: isJson && text !== "" ? JSON.parse(text) : undefined,
    text,
  };
}
