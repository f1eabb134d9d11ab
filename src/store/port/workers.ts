import type { HandlerOffer, HandlerView } from "../../contract/worker.ts";

/** Who offers handlers: a process of the user's that asks over HTTP (`remote`), or one that has the engine in it. */
export interface WorkerIdentity {
  projectId: string;
  /** As its user chose it. */
  id: string;
  name: string;
  kind: "remote" | "library";
  handlers: HandlerOffer[];
  leaseMs: number;
}

export interface WorkerRecord extends WorkerIdentity {
  /** Its id in `queue.holder`. */
  holder: string;
  running: number;
  alive: boolean;
  draining: boolean;
  startedAt: Date;
  renewedAt: Date;
  leaseUntil: Date;
}

export interface WorkerStore {
  /** Makes it known or changes what it offers; renews its lease. Its handlers are remembered as seen. */
  register(worker: WorkerIdentity): Promise<{ holder: string; joined: boolean }>;
  /** Renews the lease; null: it is not known (any more) and must register again. */
  renew(
    projectId: string,
    id: string,
  ): Promise<{
    holder: string;
    name: string;
    leaseMs: number;
    draining: boolean;
    handlers: HandlerOffer[];
  } | null>;
  find(projectId: string, id: string): Promise<WorkerRecord | null>;
  list(projectId: string): Promise<WorkerRecord[]>;
  /** It is to take nothing more; told with its next heartbeat. */
  drain(projectId: string, id: string): Promise<boolean>;
  /** Its lease ends at once, and so does its row, unless it still holds something: that is recovered like a dead one's. */
  leave(projectId: string, id: string): Promise<boolean>;
  /** Of all projects, rows of workers that are dead and hold nothing; names them for the log. */
  forgetDead(): Promise<{ projectId: string; id: string; name: string }[]>;

  /** Offered, wanted, or both. */
  handlers(projectId: string): Promise<HandlerView[]>;
  /** Whether a job's handler is there: `unknown` if nobody ever offered it, `unserved` if nobody does now. */
  servedBy(projectId: string, handlers: string[]): Promise<Map<string, "served" | "unserved" | "unknown">>;
  /** Living workers, and handlers with due work (counted to a thousand) that nobody offers, over all projects. */
  watch(): Promise<{ active: number; unserved: { projectId: string; handler: string; waiting: number }[] }>;
}
