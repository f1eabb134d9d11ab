export interface ProjectRecord {
  id: string;
  name: string;
  createdAt: Date;
}

export type ProjectDeletion =
  | { kind: "deleted"; project: ProjectRecord; revokedKeys: number }
  | { kind: "not_found" }
  /** It has jobs that are not deleted. */
  | { kind: "has_jobs"; project: ProjectRecord; jobs: number };

export interface ProjectStore {
  /** With a first signing key, so that its calls are signed from the first one on. */
  create(name: string, signingSecret: Buffer): Promise<ProjectRecord | "name_taken">;
  /** Null also for one that is deleted. */
  find(idOrName: string): Promise<ProjectRecord | null>;
  /** Newest first. */
  list(page: { after: string | null; limit: number }): Promise<{ items: ProjectRecord[]; next: string | null }>;
  rename(id: string, name: string): Promise<ProjectRecord | "name_taken" | null>;
  /** Its keys are revoked with it; its history stays. */
  delete(id: string): Promise<ProjectDeletion>;
}
