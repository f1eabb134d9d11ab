import type { SigningKeyUse } from "../../contract/signing-key.ts";
import type { SigningKeyVersion } from "../../core/signing-keys.ts";
import type { JobsUsing } from "./jobs.ts";

export interface SigningKeyRecord extends SigningKeyVersion {
  createdAt: Date;
}

export interface NewSigningKey {
  name: string;
  use: SigningKeyUse;
  secret: Buffer;
}

export type SigningKeyRotation =
  | { kind: "rotated"; key: SigningKeyRecord; old: SigningKeyRecord }
  | { kind: "not_found" }
  /** `over`: it was rotated before. `newest` is the version of its name that has no end. */
  | { kind: "over" | "too_many"; key: SigningKeyRecord; newest: SigningKeyRecord | null };

export type SigningKeyDeletion =
  | { kind: "deleted"; key: SigningKeyRecord }
  | { kind: "not_found" }
  /** Calls would go unsigned: of jobs that name it, or of all that name none. */
  | { kind: "named" | "last"; key: SigningKeyRecord; jobs: JobsUsing };

export interface SigningKeyStore {
  create(projectId: string, key: NewSigningKey): Promise<SigningKeyRecord | "name_taken" | "too_many">;
  /** The next version; the one of the id signs along for `overlapMs`. */
  rotate(projectId: string, id: string, options: { secret: Buffer; overlapMs: number }): Promise<SigningKeyRotation>;
  /** Newest first, those that are over included. */
  list(projectId: string): Promise<SigningKeyRecord[]>;
  delete(projectId: string, id: string): Promise<SigningKeyDeletion>;
  reveal(projectId: string, id: string): Promise<Buffer | null>;
  /** Those that sign now, newest first: of the name, or of the project where none is named. */
  revealAll(projectId: string, name: string | undefined): Promise<Buffer[]>;
}
