import type { ProjectRecord } from "../port/projects.ts";

export interface ProjectRow {
  id: string;
  name: string;
  created_at: Date;
}

export function toProject(row: ProjectRow): ProjectRecord {
  return { id: row.id, name: row.name, createdAt: row.created_at };
}
