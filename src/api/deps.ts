import type { HttpTarget } from "../contract/target.ts";
import type { IdSource } from "../core/ids.ts";
import type { Passwords } from "../core/password.ts";
import type { Store } from "../store/port.ts";
import type { TargetRunner } from "../targets/port.ts";
import type { Log } from "../telemetry/log.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import type { CompleteCallback } from "./callback.ts";
import type { JobRoom } from "./job-room.ts";
import type { OidcFlows } from "./oidc-flow.ts";
import type { OidcProvider } from "./oidc-provider.ts";
import type { Authenticate } from "./principal.ts";
import type { Sessions } from "./sessions.ts";
import type { WorkerDesk } from "./worker-desk.ts";

export interface SignIn {
  /** The instance is reached over https. */
  secure: boolean;
  /** How browsers reach it, if that was said. */
  publicUrl: string | null;
  /** Where links lead. */
  url(): string;
}

/** Signing in through an identity provider. */
export interface OidcSignIn {
  provider: OidcProvider;
  flows: OidcFlows;
  /** Where browsers find the dashboard. */
  publicUrl: string;
}

/** What the API is built from. */
export interface ApiDeps {
  store: Store;
  /** For trying a target out. */
  targets: TargetRunner<HttpTarget>;
  /** Why a job must not call this URL, as far as that can be told before it does; null if nothing speaks against it. */
  checkEgress(url: string): Promise<string | null> | string | null;
  /** Whether jobs may be commands here, and as whom. */
  shell: { on: boolean; users: readonly string[] };
  jobRoom: JobRoom;
  /** How close two fires of a schedule may be. */
  minIntervalMs: number;
  /** Keys and tokens. */
  authenticate: Authenticate;
  /** People who are signed in. */
  sessions: Sessions;
  passwords: Passwords;
  signIn: SignIn;
  /** Null where there is none. */
  oidc: OidcSignIn | null;
  completeCallback: CompleteCallback;
  workers: WorkerDesk;
  log: Log;
  metrics: Pick<Metrics, "render">;
  ids: IdSource;
  /** The real clock; for events and for how long a trial took. What is due is the database's business. */
  clock(): Date;
  /** Milliseconds that only ever go on; for limits. */
  monotonic(): number;
  node: { id: string; name: string };
  version: string;
}

export interface ApiOptions {
  /** False on a node without the role: it answers health and metrics only. */
  api: boolean;
  /** Answers /dev/echo. */
  dev: boolean;
  trustProxy: boolean | number | readonly string[];
  /** Requests a minute per key, and per address without one; null: no limit. */
  rateLimit: number | null;
  /** Wrong keys a minute per address; null: no limit. */
  wrongKeysMax: number | null;
  /** Whose pages may call from a browser. */
  corsOrigins: readonly string[];
  /** Others reach it by https: browsers are told to stay with that. */
  https: boolean;
  timeouts: Timeouts;
  /** Above this delay of the event loop requests are turned away with a 503; 0: never. */
  eventLoopDelayMsMax: number;
  pingMs: number;
  /** Each listener costs memory and a socket; beyond this many a node says that it is full, and to one project at half of them. */
  eventStreamsMax: number;
  /** Each of those who follow a log asks the database several times a second; beyond this many a node says that it is full. */
  logFollowersMax: number;
}

/** How long a client may keep a connection busy. */
export interface Timeouts {
  /** Until the whole head of a request is there. */
  headersMs: number;
  /** Until the whole request is there: enough for a bulk body on a slow line, too little to sit on a socket. */
  requestMs: number;
  /** Without the client taking anything of an answer. */
  unreadMs: number;
  /** Between two requests. Longer than balancers keep theirs, or they would send into a connection that is just closed. */
  keepAliveMs: number;
  /** How often the first two are looked at. */
  checkMs: number;
}

export const API_DEFAULTS: ApiOptions = {
  api: true,
  dev: false,
  trustProxy: false,
  rateLimit: null,
  // More than a program with an old key sends, and than a walk over all routes with a wrong one.
  wrongKeysMax: 600,
  corsOrigins: [],
  https: false,
  timeouts: { headersMs: 20_000, requestMs: 120_000, unreadMs: 60_000, keepAliveMs: 72_000, checkMs: 5_000 },
  // High, because a busy node on a slow machine is still better than one that answers nothing.
  eventLoopDelayMsMax: 5_000,
  pingMs: 15_000,
  eventStreamsMax: 1_000,
  logFollowersMax: 200,
};
