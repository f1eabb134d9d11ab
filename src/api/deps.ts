import type { HttpTarget } from "../contract/target.ts";
import type { IdSource } from "../core/ids.ts";
import type { Passwords } from "../core/password.ts";
import type { Store } from "../store/port.ts";
import type { TargetRunner } from "../targets/port.ts";
import type { Log } from "../telemetry/log.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import type { CompleteCallback } from "./callback.ts";
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
  node: { id: string; name: string };
  version: string;
}

export interface ApiOptions {
  /** False on a node without the role: it answers health and metrics only. */
  api: boolean;
  /** Answers /dev/echo. */
  dev: boolean;
  trustProxy: boolean | number | readonly string[];
  /** Above this delay of the event loop requests are turned away with a 503; 0: never. */
  eventLoopDelayMsMax: number;
  pingMs: number;
  /** Each of those who follow a log asks the database several times a second; beyond this many a node says that it is full. */
  logFollowersMax: number;
}

export const API_DEFAULTS: ApiOptions = {
  api: true,
  dev: false,
  trustProxy: false,
  // High, because a busy node on a slow machine is still better than one that answers nothing.
  eventLoopDelayMsMax: 5_000,
  pingMs: 15_000,
  logFollowersMax: 200,
};
