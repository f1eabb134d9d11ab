import type { ApiKeyState, Scope } from "../../contract/api-key.ts";

export interface ApiKeyRecord {
  id: string;
  projectId: string;
  name: string;
  state: ApiKeyState;
  scopes: Scope[];
  instanceAdmin: boolean;
  createdAt: Date;
  createdBy: string | null;
  expiresAt: Date | null;
  lastUsedAt: Date | null;
  revokedAt: Date | null;
  replacedBy: string | null;
}

/** A key as it is asked for when somebody comes with it. */
export interface PresentedApiKey extends ApiKeyRecord {
  projectName: string;
  hash: Buffer;
  /** Until it expires, from the moment of the look; null: it never does, or is over. */
  msLeft: number | null;
}

export interface NewApiKeyRecord {
  id: string;
  projectId: string;
  name: string;
  hash: Buffer;
  scopes: Scope[];
  instanceAdmin: boolean;
  createdBy: string;
  /** By the database's clock; null: never. */
  expiresAt: Date | null;
}

export type Rotation =
  | { kind: "rotated"; key: ApiKeyRecord; old: ApiKeyRecord }
  | { kind: "not_found" }
  /** Revoked, expired, or rotated before. */
  | { kind: "over"; key: ApiKeyRecord };

export interface ApiKeyStore {
  /** Null: there is no such project (any more). */
  create(key: NewApiKeyRecord): Promise<ApiKeyRecord | null>;
  /** Of any project: whoever presents it says only its id. */
  present(id: string): Promise<PresentedApiKey | null>;
  find(projectId: string, id: string): Promise<ApiKeyRecord | null>;
  /** Newest first. */
  list(
    projectId: string,
    page: { after: string | null; limit: number },
  ): Promise<{ items: ApiKeyRecord[]; next: string | null }>;
  /** Also one that is over already; null if there is none. */
  revoke(projectId: string, id: string): Promise<ApiKeyRecord | null>;
  /** A new key like the old one, which lives on for the overlap; one that was to end lives as long as the old one was to. */
  rotate(
    projectId: string,
    id: string,
    options: { newId: string; hash: Buffer; overlapMs: number; actor: string },
  ): Promise<Rotation>;
  /** Notes that they were used just now, at most once a minute each. */
  noteUse(ids: string[]): Promise<void>;
}
