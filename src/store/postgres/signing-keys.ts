// Keys that calls are signed with, sealed like secrets. A version of a key never changes but for its end; a rotation adds the
// next one. Changes to the keys of a project happen one after the other, behind the lock of the project's row: what may be
// done depends on the other keys that are there (core/signing-keys.ts).

import type { KeyRing } from "../../core/keyring.ts";
import { nextVersion, whyNotDeleted, whyNotMade, whyNotRotated } from "../../core/signing-keys.ts";
import { signingKeyUse } from "../../core/target-uses.ts";
import type {
  NewSigningKey,
  SigningKeyDeletion,
  SigningKeyRecord,
  SigningKeyRotation,
  SigningKeyStore,
} from "../port/signing-keys.ts";
import { type Queryable, statement } from "./database.ts";
import { jobsUsing } from "./jobs-using.ts";
import { readClock } from "./read-due-cursors.ts";

const COLUMNS = `k.id, k.name, k.version, k.use, k.created_at, k.expires_at,
  case when k.expires_at <= clock_timestamp() then 'expired' else 'active' end as state`;

/** Not `for update`, which would hold up everything else that is being made in the project. */
export const lockSigningKeysSql = statement(
  "lock_signing_keys",
  "select p.id from punctual.project p where p.id = $1 for no key update",
);

export const insertSigningKeySql = statement(
  "insert_signing_key",
  `insert into punctual.signing_key as k (id, project_id, name, version, use, key_id, sealed, created_at)
   values (gen_random_uuid(), $1, $2, $3, $4, $5, $6, $7) returning ${COLUMNS}`,
);

export const endSigningKeySql = statement(
  "end_signing_key",
  `update punctual.signing_key k set expires_at = $2::timestamptz + $3::bigint * interval '1 millisecond'
   where k.id = $1 returning ${COLUMNS}`,
);

export const listSigningKeysSql = statement(
  "list_signing_keys",
  `select ${COLUMNS} from punctual.signing_key k where k.project_id = $1 order by k.created_at desc, k.name, k.version desc limit 1000`,
);

export const deleteSigningKeySql = statement(
  "delete_signing_key",
  "delete from punctual.signing_key k where k.project_id = $1 and k.id = $2 returning k.id",
);

export const readSigningKeySql = statement(
  "read_signing_key",
  "select k.name, k.version, k.key_id, k.sealed from punctual.signing_key k where k.project_id = $1 and k.id = $2",
);

/** More than a few signatures would not fit into the header they are sent in; there never are more that sign together. */
export const readSigningKeysSql = statement(
  "read_signing_keys",
  `select k.name, k.version, k.key_id, k.sealed from punctual.signing_key k
   where k.project_id = $1 and case when $2::text is null then k.use = 'project' else k.name = $2 end
     and (k.expires_at is null or k.expires_at > clock_timestamp())
   order by k.created_at desc, k.name, k.version desc limit 10`,
);

interface Row {
  id: string;
  name: string;
  version: number;
  use: SigningKeyRecord["use"];
  state: SigningKeyRecord["state"];
  created_at: Date;
  expires_at: Date | null;
}

interface SealedRow {
  name: string;
  version: number;
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

  async create(projectId: string, made: NewSigningKey): Promise<SigningKeyRecord | "name_taken" | "too_many"> {
    return await this.#changing(projectId, async (tx, keys) => {
      const refused = whyNotMade(keys, made);
      return refused ?? (await this.#insert(tx, projectId, { ...made, version: 1 }, await readClock(tx)));
    });
  }

  async rotate(
    projectId: string,
    id: string,
    { secret, overlapMs }: { secret: Buffer; overlapMs: number },
  ): Promise<SigningKeyRotation> {
    return await this.#changing(projectId, async (tx, keys) => {
      const key = keys.find((one) => one.id === id);
      if (key === undefined) return { kind: "not_found" };
      const newest = keys.find(({ name, expiresAt }) => name === key.name && expiresAt === null) ?? null;
      const refused = whyNotRotated(keys, key);
      if (refused !== null) return { kind: refused, key, newest };
      const now = await readClock(tx);
      const { name, use } = key;
      const next = { name, use, secret, version: nextVersion(keys, name) };
      const successor = await this.#insert(tx, projectId, next, now);
      const [old] = await tx.run<Row>(endSigningKeySql, [id, now.toISOString(), overlapMs]);
      return { kind: "rotated", key: successor, old: toRecord(old!) };
    });
  }

  async list(projectId: string): Promise<SigningKeyRecord[]> {
    return await listKeys(this.#db, projectId);
  }

  async delete(projectId: string, id: string): Promise<SigningKeyDeletion> {
    return await this.#changing(projectId, async (tx, keys) => {
      const key = keys.find((one) => one.id === id);
      if (key === undefined) return { kind: "not_found" };
      const jobs = await jobsUsing(tx, projectId, signingKeyUse(key.name));
      const refused = whyNotDeleted(keys, key, { isNamed: jobs.count > 0 });
      if (refused !== null) return { kind: refused, key, jobs };
      await tx.run(deleteSigningKeySql, [projectId, id]);
      return { kind: "deleted", key };
    });
  }

  async reveal(projectId: string, id: string): Promise<Buffer | null> {
    const [row] = await this.#db.run<SealedRow>(readSigningKeySql, [projectId, id]);
    return row ? this.#open(projectId, row) : null;
  }

  async revealAll(projectId: string, name: string | undefined): Promise<Buffer[]> {
    const rows = await this.#db.run<SealedRow>(readSigningKeysSql, [projectId, name ?? null]);
    return rows.map((row) => this.#open(projectId, row));
  }

  /** The keys are read behind the lock, by a statement of their own: the one that waited knows only what was before. */
  async #changing<T>(projectId: string, change: (tx: Queryable, keys: SigningKeyRecord[]) => Promise<T>): Promise<T> {
    return await this.#db.transaction(async (tx) => {
      await tx.run(lockSigningKeysSql, [projectId]);
      return await change(tx, await listKeys(tx, projectId));
    });
  }

  async #insert(
    tx: Queryable,
    projectId: string,
    { name, use, secret, version }: NewSigningKey & { version: number },
    now: Date,
  ): Promise<SigningKeyRecord> {
    const place = signingKeyPlace(projectId, name, version);
    const { keyId, sealed } = this.#keys.seal(secret.toString("base64"), place);
    const values = [projectId, name, version, use, keyId, sealed, now.toISOString()];
    const [row] = await tx.run<Row>(insertSigningKeySql, values);
    return toRecord(row!);
  }

  #open(projectId: string, row: SealedRow): Buffer {
    const place = signingKeyPlace(projectId, row.name, row.version);
    return Buffer.from(this.#keys.open({ keyId: row.key_id, sealed: row.sealed }, place), "base64");
  }
}

/** The first version's place is that of keys from before there were versions. Names have no slash. */
export function signingKeyPlace(projectId: string, name: string, version: number): string {
  const place = `signing-key/${projectId}/${name}`;
  return version === 1 ? place : `${place}/${version}`;
}

async function listKeys(db: Queryable, projectId: string): Promise<SigningKeyRecord[]> {
  return (await db.run<Row>(listSigningKeysSql, [projectId])).map(toRecord);
}

function toRecord(row: Row): SigningKeyRecord {
  const { id, name, version, use, state } = row;
  return { id, name, version, use, state, createdAt: row.created_at, expiresAt: row.expires_at };
}
