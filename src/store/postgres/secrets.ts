// Secrets are sealed before they reach the database and opened after they left it. What a value is sealed with names its
// place (project, name, version): a row copied over another does not open.

import type { KeyRing } from "../../core/keyring.ts";
import { secretUse } from "../../core/target-uses.ts";
import type { SecretDeletion, SecretRecord, SecretStore } from "../port/instance.ts";
import { type Queryable, statement } from "./database.ts";
import { jobsUsing } from "./jobs-using.ts";

/** The version is counted first, under the row's lock, because the value is sealed with it. */
export const nextSecretVersionSql = statement(
  "next_secret_version",
  `insert into punctual.secret as s (project_id, name, version, key_id, sealed, created_at, updated_at)
   values ($1, $2, 1, '', '', now(), now())
   on conflict (project_id, name) do update set version = s.version + 1, updated_at = now()
   returning s.version`,
);

export const sealSecretSql = statement(
  "seal_secret",
  `update punctual.secret s set key_id = $3, sealed = $4 where s.project_id = $1 and s.name = $2
   returning s.name, s.version, s.created_at, s.updated_at`,
);

export const deleteSecretSql = statement(
  "delete_secret",
  "delete from punctual.secret s where s.project_id = $1 and s.name = $2 returning s.name",
);

export const listSecretsSql = statement(
  "list_secrets",
  "select s.name, s.version, s.created_at, s.updated_at from punctual.secret s where s.project_id = $1 order by s.name limit 1000",
);

export const knownSecretsSql = statement(
  "known_secrets",
  "select s.name from punctual.secret s where s.project_id = $1 and s.name = any($2::text[])",
);

export const readSecretsSql = statement(
  "read_secrets",
  "select s.name, s.version, s.key_id, s.sealed from punctual.secret s where s.project_id = $1 and s.name = any($2::text[])",
);

interface Row {
  name: string;
  version: number;
  created_at: Date;
  updated_at: Date;
}

interface SealedRow {
  name: string;
  version: number;
  key_id: string;
  sealed: Buffer;
}

export class PostgresSecrets implements SecretStore {
  readonly #db: Queryable;
  readonly #keys: KeyRing;

  constructor(db: Queryable, keys: KeyRing) {
    this.#db = db;
    this.#keys = keys;
  }

  async put(projectId: string, name: string, value: string): Promise<SecretRecord> {
    return await this.#db.transaction(async (tx) => {
      const [next] = await tx.run<{ version: number }>(nextSecretVersionSql, [projectId, name]);
      const { keyId, sealed } = this.#keys.seal(value, secretPlace(projectId, name, next!.version));
      const [row] = await tx.run<Row>(sealSecretSql, [projectId, name, keyId, sealed]);
      return toRecord(row!);
    });
  }

  async delete(projectId: string, name: string, { force }: { force: boolean }): Promise<SecretDeletion> {
    const jobs = force ? null : await jobsUsing(this.#db, projectId, secretUse(name));
    if (jobs !== null && jobs.count > 0 && (await this.known(projectId, [name])).size > 0)
      return { kind: "in_use", jobs };
    const gone = await this.#db.run(deleteSecretSql, [projectId, name]);
    return { kind: gone.length > 0 ? "deleted" : "not_found" };
  }

  async known(projectId: string, names: string[]): Promise<Set<string>> {
    const rows = await this.#db.run<{ name: string }>(knownSecretsSql, [projectId, names]);
    return new Set(rows.map(({ name }) => name));
  }

  async list(projectId: string): Promise<SecretRecord[]> {
    return (await this.#db.run<Row>(listSecretsSql, [projectId])).map(toRecord);
  }

  async reveal(projectId: string, names: string[]): Promise<Map<string, string>> {
    if (names.length === 0) return new Map();
    const rows = await this.#db.run<SealedRow>(readSecretsSql, [projectId, names]);
    return new Map(
      rows.map((row) => [
        row.name,
        this.#keys.open({ keyId: row.key_id, sealed: row.sealed }, secretPlace(projectId, row.name, row.version)),
      ]),
    );
  }
}

export function secretPlace(projectId: string, name: string, version: number): string {
  return `secret/${projectId}/${name}/${version}`;
}

function toRecord(row: Row): SecretRecord {
  return { name: row.name, version: row.version, createdAt: row.created_at, updatedAt: row.updated_at };
}
