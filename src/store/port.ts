import type { AccountStore, MemberStore, SessionStore } from "./port/accounts.ts";
import type { ApiKeyStore } from "./port/api-keys.ts";
import type { AuditStore } from "./port/audit.ts";
import type { CodeJobStore } from "./port/code-jobs.ts";
import type { DeadLetterStore, ExecutionStore } from "./port/executions.ts";
import type { EventBus, NodeStore, RetentionStore, SecretStore } from "./port/instance.ts";
import type { JobStore, TriggerStore } from "./port/jobs.ts";
import type { LogStore } from "./port/logs.ts";
import type { OnceResult, RememberedAnswer } from "./port/once.ts";
import type { ProjectStore } from "./port/projects.ts";
import type { PlanningStore, QueueStore } from "./port/queue.ts";
import type { SigningKeyStore } from "./port/signing-keys.ts";
import type { StatsStore } from "./port/stats.ts";
import type { TimelineStore } from "./port/timeline.ts";
import type { WorkerStore } from "./port/workers.ts";

/** All that is kept. The engine and the API know this interface, never the database behind it. */
export interface Store {
  jobs: JobStore;
  triggers: TriggerStore;
  codeJobs: CodeJobStore;
  executions: ExecutionStore;
  deadLetters: DeadLetterStore;
  planning: PlanningStore;
  queue: QueueStore;
  nodes: NodeStore;
  workers: WorkerStore;
  logs: LogStore;
  retention: RetentionStore;
  secrets: SecretStore;
  signingKeys: SigningKeyStore;
  projects: ProjectStore;
  apiKeys: ApiKeyStore;
  accounts: AccountStore;
  sessions: SessionStore;
  members: MemberStore;
  audit: AuditStore;
  stats: StatsStore;
  timeline: TimelineStore;
  events: EventBus;

  /** The database's clock. */
  now(): Promise<Date>;
  /** Can it be written to, and how long did that take? */
  ping(): Promise<{ version: string; latencyMs: number }>;
  /**
   * Runs a request at most once per key: the effect and the remembered answer are one transaction. Another
   * fingerprint under the same key is `reused`; the same one gets the first answer again.
   */
  once<T extends RememberedAnswer>(
    request: { projectId: string; key: string; fingerprint: Buffer },
    work: (store: Store) => Promise<T>,
  ): Promise<OnceResult<T>>;
  /** All that the work does in this store happens, or nothing of it. */
  atomically<T>(work: (store: Store) => Promise<T>): Promise<T>;
  /** True if the error says that the database could not be asked or did not answer: the same may succeed in a moment. */
  isUnavailable(error: unknown): boolean;
  pool(): { total: number; idle: number; waiting: number };
  close(): Promise<void>;
}
