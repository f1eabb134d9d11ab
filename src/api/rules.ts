// Who may do what: the one table of routes, what each asks of its caller, and as what it stands in the audit. A route that is
// not in it is not served: `route()` throws while the program starts. Denied by default, and decided in one place, so that
// whoever asks "who can delete a job?" reads one line.

import type { Scope } from "../contract/api-key.ts";

/**
 * What a route asks of whoever calls it. A scope is asked for in one project. `open` asks nothing, `known` any valid
 * credentials, `person` somebody who is signed in, `instance` an instance admin; these four need no project to be named.
 */
export type Permission = Scope | "open" | "known" | "person" | "instance";

export interface Rule {
  needs: Permission;
  /** The action's name in the audit; null for what changes nothing, or what another record tells of. */
  audit: string | null;
}

/** Under /api/v1. */
const API: Record<string, Rule> = {
  "GET /jobs": look("read"),
  "POST /jobs": change("write", "job.create"),
  "GET /jobs/:id": look("read"),
  "PUT /jobs/:id": change("write", "job.put"),
  "PATCH /jobs/:id": change("write", "job.edit"),
  "DELETE /jobs/:id": change("write", "job.delete"),
  "POST /jobs/:id/pause": change("operate", "job.pause"),
  "POST /jobs/:id/resume": change("operate", "job.resume"),
  "POST /jobs/:id/trigger": change("operate", "job.trigger"),
  "GET /jobs/:id/next": look("read"),
  "GET /jobs/:id/stats": look("read"),
  "GET /jobs/:id/series": look("read"),
  "GET /jobs/:id/days": look("read"),
  "GET /jobs/:id/executions": look("read"),
  "GET /jobs/:id/versions": look("read"),
  "GET /jobs/:id/versions/:n": look("read"),
  "POST /jobs/:id/versions/:n/restore": change("write", "job.restore"),
  "GET /job-counts": look("read"),
  "POST /triggers": change("operate", "job.trigger"),
  "POST /bulk/jobs": change("operate", "jobs.bulk"),
  "POST /bulk/executions": change("operate", "executions.bulk"),
  "POST /schedules/preview": look("read"),
  "POST /targets/test": change("write", "target.test"),

  "GET /executions": look("read"),
  "GET /executions/counts": look("read"),
  "GET /executions/:id": look("read"),
  "GET /executions/:id/logs": look("read"),
  "POST /executions/:id/cancel": change("operate", "execution.cancel"),
  "POST /executions/:id/retry": change("operate", "execution.retry"),
  "GET /dead-letters": look("read"),
  "GET /dead-letters/groups": look("read"),
  "POST /dead-letters/retry": change("operate", "dead_letters.retry"),
  "POST /dead-letters/discard": change("operate", "dead_letters.discard"),
  "GET /events": look("read"),
  "GET /stats": look("read"),
  "GET /stats/series": look("read"),
  "GET /stats/failing": look("read"),
  "GET /timeline": look("read"),

  // The work of workers is told by the ledger: by whom each attempt was made, and how it ended.
  "PUT /workers/:id": look("work"),
  "POST /workers/:id/claim": look("work"),
  "POST /workers/:id/heartbeat": look("work"),
  "POST /workers/:id/settle": look("work"),
  "POST /workers/:id/logs": look("work"),
  "DELETE /workers/:id": look("work"),
  "GET /workers": look("read"),
  "GET /workers/:id": look("read"),
  "POST /workers/:id/drain": change("operate", "worker.drain"),
  "GET /handlers": look("read"),
  // A token that is bound to one attempt is its only authority.
  "POST /callbacks/:token": look("open"),

  "GET /secrets": look("read"),
  "PUT /secrets/:name": change("write", "secret.put"),
  "DELETE /secrets/:name": change("write", "secret.delete"),
  "GET /signing-keys": look("read"),
  "POST /signing-keys": change("write", "signing_key.create"),
  "GET /signing-keys/:id/secret": change("admin", "signing_key.reveal"),
  "DELETE /signing-keys/:id": change("write", "signing_key.delete"),
  "POST /signing-keys/:id/rotate": change("write", "signing_key.rotate"),

  "GET /api-keys": look("admin"),
  "POST /api-keys": change("admin", "api_key.create"),
  "DELETE /api-keys/:id": change("admin", "api_key.revoke"),
  "POST /api-keys/:id/rotate": change("admin", "api_key.rotate"),
  "GET /members": look("read"),
  "POST /members": change("admin", "member.add"),
  "PATCH /members/:id": change("admin", "member.change"),
  "DELETE /members/:id": change("admin", "member.remove"),
  "GET /audit": look("admin"),

  "GET /projects": look("known"),
  "POST /projects": change("instance", "project.create"),
  "GET /projects/:id": look("known"),
  "PATCH /projects/:id": change("instance", "project.rename"),
  "DELETE /projects/:id": change("instance", "project.delete"),
  "GET /nodes": look("instance"),

  "GET /me": look("known"),
  "POST /me/password": change("person", "account.password"),
  "GET /sessions": look("person"),
  "DELETE /sessions/:id": change("person", "session.revoke"),
  "GET /auth/ways": look("open"),
  "POST /auth/setup": change("open", "account.setup"),
  "POST /auth/login": change("open", "session.open"),
  "POST /auth/logout": change("open", "session.close"),
  "GET /auth/oidc": look("open"),
  "GET /auth/oidc/callback": change("open", "session.open"),

  "GET /health": look("open"),
  "GET /health/live": look("open"),
  "GET /health/ready": look("open"),
  "GET /health/detailed": look("read"),
};

/** Where the dashboard is: one page under all of these. It holds nothing of anybody's; what it shows it asks for. */
export const PAGE_PATHS = [
  "/",
  "/jobs",
  "/jobs/:job",
  "/jobs/:job/edit",
  "/executions",
  "/executions/:id",
  "/timeline",
  "/dead-letters",
  "/workers",
  "/settings",
  "/settings/:section",
] as const;

const OUTSIDE: Record<string, Rule> = {
  ...Object.fromEntries(PAGE_PATHS.map((path) => [`GET ${path}`, look("open")])),
  "GET /assets/:name": look("open"),
  "GET /openapi.json": look("open"),
  "GET /metrics": look("metrics"),
  "GET /health": look("open"),
  "GET /health/live": look("open"),
  "GET /health/ready": look("open"),
  "GET /dev/echo": look("open"),
  "POST /dev/echo": look("open"),
  "PUT /dev/echo": look("open"),
  "PATCH /dev/echo": look("open"),
  "DELETE /dev/echo": look("open"),
};

/** Runs that programs asked for stand in the ledger, with the name of their key or token: by the thousand. */
const TOLD_BY_LEDGER = ["job.trigger"];

export const PREFIX = "/api/v1";

/** What `GET /api/v1/jobs` asks for; throws for a route that is not in the table. */
export function ruleOf(method: string, path: string): Rule {
  const rule = path.startsWith(`${PREFIX}/`)
    ? API[`${method} ${path.slice(PREFIX.length)}`]
    : OUTSIDE[`${method} ${path}`];
  if (rule === undefined) throw new Error(`${method} ${path} has no rule in src/api/rules.ts, so it is not served`);
  return rule;
}

/** `GET /api/v1/jobs`, and so on: all that are in the table. */
export function ruledRoutes(): string[] {
  const within = Object.keys(API).map((each) => each.replace(" ", ` ${PREFIX}`));
  return [...within, ...Object.keys(OUTSIDE)];
}

/** Somebody who was not let in: there is no route for that. */
export const REFUSED_SESSION = "session.refused";

/** Whoever has the settings at hand let somebody in, past the API. */
export const OPERATORS_LINK = "account.link";

/** And shut somebody out. */
export const OPERATORS_SHUT_OUT = "account.shut_out";

/** Every action that the audit can have. */
export function auditedActions(): string[] {
  const named = [...Object.values(API), ...Object.values(OUTSIDE)].flatMap(({ audit }) => audit ?? []);
  return [...new Set([...named, REFUSED_SESSION, OPERATORS_LINK, OPERATORS_SHUT_OUT])];
}

/** Whether what this caller does under this action goes into the audit. */
export function isAudited(action: string | null, kind: "key" | "session" | "token" | "nobody"): action is string {
  return action !== null && !((kind === "key" || kind === "token") && TOLD_BY_LEDGER.includes(action));
}

function look(needs: Permission): Rule {
  return { needs, audit: null };
}

function change(needs: Permission, audit: string): Rule {
  return { needs, audit };
}
