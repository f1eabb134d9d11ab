export type ActorKind = "key" | "session" | "token" | "nobody";

export interface NewAuditEntry {
  /** Null: it belongs to no project. */
  projectId: string | null;
  action: string;
  actor: { kind: ActorKind; id: string; name: string };
  object: { kind: string; id: string; name: string | null } | null;
  before: unknown;
  after: unknown;
  address: string | null;
  requestId: string | null;
}

export interface AuditRecord extends Omit<NewAuditEntry, "projectId"> {
  id: string;
  at: Date;
}

export interface AuditFilter {
  actor?: string | undefined;
  action?: readonly string[] | undefined;
  object?: string | undefined;
  from?: Date | undefined;
  to?: Date | undefined;
}

/** Lines are added and read. There is no other way to them. */
export interface AuditStore {
  add(entries: readonly NewAuditEntry[]): Promise<void>;
  /** Newest first; null: of no project. */
  list(
    projectId: string | null,
    filter: AuditFilter,
    page: { after: string | null; limit: number },
  ): Promise<{ items: AuditRecord[]; next: string | null }>;
}
