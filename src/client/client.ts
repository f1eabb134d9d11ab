import type { z } from "zod";
import type { changePasswordSchema } from "../contract/account.ts";
import type { FailingJobs, failingJobsQuery } from "../contract/failing-jobs.ts";
import type { Me } from "../contract/me.ts";
import type { NodeView } from "../contract/node.ts";
import type { Page } from "../contract/page.ts";
import type { StatsSeries, seriesQuery } from "../contract/series.ts";
import type { Stats } from "../contract/stats.ts";
import type { Timeline, timelineQuery } from "../contract/timeline.ts";
import { ApiKeysApi } from "./api-keys.ts";
import { AuditApi } from "./audit.ts";
import { AuthApi } from "./auth.ts";
import { BulkApi } from "./bulk.ts";
import { DeadLettersApi } from "./dead-letters.ts";
import { EventsApi } from "./events.ts";
import { ExecutionsApi } from "./executions.ts";
import { HealthApi } from "./health.ts";
import { JobsApi, type StatsQuery } from "./jobs.ts";
import { MembersApi } from "./members.ts";
import { ProjectsApi } from "./projects.ts";
import type { QueryOf } from "./query.ts";
import { SchedulesApi } from "./schedules.ts";
import { SecretsApi } from "./secrets.ts";
import { SessionsApi } from "./sessions.ts";
import { SigningKeysApi } from "./signing-keys.ts";
import { TargetsApi } from "./targets.ts";
import { type CallOptions, type ClientOptions, Transport } from "./transport.ts";
import { TriggersApi } from "./triggers.ts";
import { HandlersApi, WorkersApi } from "./workers.ts";

export type SeriesQuery = QueryOf<typeof seriesQuery>;
export type FailingJobsQuery = QueryOf<typeof failingJobsQuery>;
export type TimelineQuery = QueryOf<typeof timelineQuery>;
export type PasswordChange = z.input<typeof changePasswordSchema>;

/**
 * Everything a Punctual server can be asked, with types. Answers are not checked at run time: a newer server may send
 * fields and values that this client does not know yet, and they are passed on as they are.
 */
export class PunctualClient {
  readonly #transport: Transport;
  readonly jobs: JobsApi;
  readonly triggers: TriggersApi;
  readonly bulk: BulkApi;
  readonly schedules: SchedulesApi;
  readonly targets: TargetsApi;
  readonly executions: ExecutionsApi;
  readonly deadLetters: DeadLettersApi;
  readonly workers: WorkersApi;
  readonly handlers: HandlersApi;
  readonly events: EventsApi;
  readonly secrets: SecretsApi;
  readonly signingKeys: SigningKeysApi;
  readonly apiKeys: ApiKeysApi;
  readonly projects: ProjectsApi;
  readonly members: MembersApi;
  readonly sessions: SessionsApi;
  readonly auth: AuthApi;
  readonly audit: AuditApi;
  readonly health: HealthApi;

  constructor(options: ClientOptions = {}) {
    const transport = new Transport(options);
    this.#transport = transport;
    this.jobs = new JobsApi(transport);
    this.triggers = new TriggersApi(transport);
    this.bulk = new BulkApi(transport);
    this.schedules = new SchedulesApi(transport);
    this.targets = new TargetsApi(transport);
    this.events = new EventsApi(transport);
    this.executions = new ExecutionsApi(transport, this.events);
    this.deadLetters = new DeadLettersApi(transport);
    this.workers = new WorkersApi(transport);
    this.handlers = new HandlersApi(transport);
    this.secrets = new SecretsApi(transport);
    this.signingKeys = new SigningKeysApi(transport);
    this.apiKeys = new ApiKeysApi(transport);
    this.projects = new ProjectsApi(transport);
    this.members = new MembersApi(transport);
    this.sessions = new SessionsApi(transport);
    this.auth = new AuthApi(transport);
    this.audit = new AuditApi(transport);
    this.health = new HealthApi(transport);
  }

  /** Totals, rates, errors and percentiles of the project. */
  stats(query: StatsQuery = {}, options?: CallOptions): Promise<Stats> {
    return this.#transport.json({ method: "GET", path: "/stats", query, options });
  }

  /** The same over time, step by step. */
  statsSeries(query: SeriesQuery = {}, options?: CallOptions): Promise<StatsSeries> {
    return this.#transport.json({ method: "GET", path: "/stats/series", query, options });
  }

  /** The jobs that fail most, each with its latest failure. */
  failing(query: FailingJobsQuery = {}, options?: CallOptions): Promise<FailingJobs> {
    return this.#transport.json({ method: "GET", path: "/stats/failing", query, options });
  }

  /** Jobs by name, each with what it did and what it will do in a stretch of time. */
  timeline(query: TimelineQuery = {}, options?: CallOptions): Promise<Timeline> {
    return this.#transport.json({ method: "GET", path: "/timeline", query, options });
  }

  /** Needs an instance admin's key. */
  nodes(options?: CallOptions): Promise<Page<NodeView>> {
    return this.#transport.json({ method: "GET", path: "/nodes", options });
  }

  /** Whose key it is or who is signed in, and what they may do. */
  me(options?: CallOptions): Promise<Me> {
    return this.#transport.json({ method: "GET", path: "/me", options });
  }

  /** One's own, of somebody who is signed in; their other sessions end. Not made twice: by then it is another password. */
  async changePassword(input: PasswordChange, options?: CallOptions): Promise<void> {
    await this.#transport.send({ method: "POST", path: "/me/password", body: input, repeatable: false, options });
  }

  /** The node's metrics, in the text form of Prometheus. */
  metrics(options?: CallOptions): Promise<string> {
    const headers = { accept: "text/plain" };
    return this.#transport.text({ method: "GET", path: "//metrics", headers, options });
  }

  /** The API as an OpenAPI document. */
  openapi(options?: CallOptions): Promise<Record<string, unknown>> {
    return this.#transport.json({ method: "GET", path: "//openapi.json", options });
  }
}
