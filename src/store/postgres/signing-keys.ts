// Keys that calls are signed with, sealed like secrets. A key never changes, so that its place is its project and name.

import type { KeyRing } from "../../core/keyring.ts";
import type { SigningKeyRecord, SigningKeyStore } from "../port/instance.ts";
import { type Queryable, statement } from "./database.ts";

export const insertSigningKeySql = statement(
  "insert_signing_key",
  `insert into punctual.signing_key (id, project_id, name, key_id, sealed, created_at) values (gen_random_uuid(), $1, $2, $3, $4, now())
   on conflict (project_id, name) do nothing returning id, name, created_at`,
);

export const listSigningKeysSql = statement(
  "list_signing_keys",
  `select k.id, k.name, k.created_at from punctual.signing_key k where k.project_id = $1 order by k.created_at desc, k.name limit 1000`,
);

export const deleteSigningKeySql = statement(
  "delete_signing_key",
  "delete from punctual.signing_key k where k.project_id = $1 and k.id = $2 returning k.id",
);

export const readSigningKeySql = statement(
  "read_signing_key",
  "select k.name, k.key_id, k.sealed from punctual.signing_key k where k.project_id = $1 and k.id = $2",
);

/** More than a few signatures would not fit into the header they are sent in. */
export const readSigningKeysSql = statement(
  "read_signing_keys",
  `select k.name, k.key_id, k.sealed from punctual.signing_key k where k.project_id = $1 and ($2::text is null or k.name = $2)
   order by k.created_at desc, k.name limit 10`,
);

interface Row {
  id: string;
  name: string;
  created_at: Date;
}

interface SealedRow {
  name: string;
  key_id: string;
  sealed: Buffer;
}

export class PostgresSigningKeys implements SigningKeyStore {
  readonly #db: Queryable;
  readonly #keys: KeyRing;

  constructor(db: Queryable, keys: KeyRing) {
    this.#db = db;
    this.#keys = keys;
  }

  async create(projectId: string, name: string, secret: Buffer): Promise<SigningKeyRecord | "name_taken"> {
    const { keyId, sealed } = this.#keys.seal(secret.toString("base64"), signingKeyPlace(projectId, name));
    const [row] = await this.#db.run<Row>(insertSigningKeySql, [projectId, name, keyId, sealed]);
    return row ? toRecord(row) : "name_taken";
  }

  async list(projectId: string): Promise<SigningKeyRecord[]> {
    return (await this.#db.run<Row>(listSigningKeysSql, [projectId])).map(toRecord);
  }

  async delete(projectId: string, id: string): Promise<boolean> {
    return (await this.#db.run(deleteSigningKeySql, [projectId, id])).length > 0;
  }

  async reveal(projectId: string, id: string): Promise<Buffer | null> {
    const [row] = await this.#db.run<SealedRow>(readSigningKeySql, [projectId, id]);
    return row ? this.#open(projectId, row) : null;
  }

  async revealAll(projectId: string, name: string | undefined): Promise<Buffer[]> {
    const rows = await this.#db.run<SealedRow>(readSigningKeysSql, [projectId, name ?? null]);
    return rows.map((row) => this.#open(projectId, row));
  }

  #open(projectId: string, row: SealedRow): Buffer {
    return Buffer.from(
      this.#keys.open({ keyId: row.key_id, sealed: row.sealed }, signingKeyPlace(projectId, row.name)),
      "base64",
    );
  }
}

export function signingKeyPlace(projectId: string, name: string): string {
  return `signing-key/${projectId}/${name}`;
}

function toRecord(row: Row): SigningKeyRecord {
  return { id: row.id, name: row.name, createdAt: row.created_at };
}
