import type { KeyRing } from "../../core/keyring.ts";
import { type Queryable, statement } from "./database.ts";
import { secretPlace } from "./secrets.ts";
import { signingKeyPlace } from "./signing-keys.ts";

/** One value of each kind for each key it is sealed with: if that opens, the key is the right one. */
export const examineSecretsSql = statement(
  "examine_secrets",
  `select distinct on (s.key_id) s.key_id, s.project_id, s.name, s.version, s.sealed, count(*) over (partition by s.key_id) as values
   from punctual.secret s order by s.key_id, s.updated_at desc`,
);

export const examineSigningKeysSql = statement(
  "examine_signing_keys",
  `select distinct on (k.key_id) k.key_id, k.project_id, k.name, k.version, k.sealed, count(*) over (partition by k.key_id) as values
   from punctual.signing_key k order by k.key_id, k.created_at desc`,
);

interface SealedRow {
  key_id: string;
  project_id: string;
  name: string;
  version: number;
  sealed: Buffer;
  values: number;
}

export interface SealedWith {
  what: "secrets" | "signing keys";
  keyId: string;
  values: number;
  /** It is the key that new values are sealed with. */
  first: boolean;
  /** Why its values cannot be read; null if they can. */
  problem: string | null;
}

export async function examineSealed(db: Pick<Queryable, "run">, keys: KeyRing): Promise<SealedWith[]> {
  const secrets = await db.run<SealedRow>(examineSecretsSql, []);
  const signingKeys = await db.run<SealedRow>(examineSigningKeysSql, []);
  return [
    ...secrets.map((row) => tried("secrets", row, secretPlace(row.project_id, row.name, row.version), keys)),
    ...signingKeys.map((row) =>
      tried("signing keys", row, signingKeyPlace(row.project_id, row.name, row.version), keys),
    ),
  ];
}

function tried(what: SealedWith["what"], row: SealedRow, place: string, keys: KeyRing): SealedWith {
  const found = { what, keyId: row.key_id, values: row.values, first: row.key_id === keys.keyId };
  try {
    keys.open({ keyId: row.key_id, sealed: row.sealed }, place);
    return { ...found, problem: null };
  } catch (error) {
    return { ...found, problem: (error as Error).message };
  }
}
