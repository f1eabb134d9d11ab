// Seals anew, with the first key of the ring, what an older one has sealed, so that the older one can be given up. Nodes may
// run meanwhile: a value is replaced only if it is still the one that was read, and whoever writes another wins. Killed in
// the middle it has done a part, and the next run does the rest. Nothing of a value is told, neither that which opens nor
// that which does not.

import type { KeyRing } from "../../core/keyring.ts";
import { type Queryable, type Statement, statement } from "./database.ts";
import { secretPlace } from "./secrets.ts";
import { signingKeyPlace } from "./signing-keys.ts";

const BATCH = 100;
/** It ends with a pass that finds nothing to do. Others that go on sealing with an old key are not waited for without end. */
const PASSES_MAX = 5;

/** Those of a table that another key than the first has sealed, in the order of their places. */
function oldOf(table: "secret" | "signing_key"): Statement {
  return statement(
    `old_${table}s`,
    `select t.project_id, p.name as project, t.name, t.version, t.key_id, t.sealed
     from punctual.${table} t join punctual.project p on p.id = t.project_id
     where t.key_id <> $1 and (t.project_id, t.name, t.version) > ($2::uuid, $3::text, $4::integer)
     order by t.project_id, t.name, t.version limit $5`,
  );
}

/** Only if it is still what was read. */
function resealIn(table: "secret" | "signing_key"): Statement {
  return statement(
    `reseal_${table}`,
    `update punctual.${table} t set key_id = $5, sealed = $6
     where t.project_id = $1 and t.name = $2 and t.version = $3 and t.key_id = $4 and t.sealed = $7 returning t.name`,
  );
}

export const oldSecretsSql = oldOf("secret");
export const resealSecretSql = resealIn("secret");
export const oldSigningKeysSql = oldOf("signing_key");
export const resealSigningKeySql = resealIn("signing_key");

interface OldRow {
  project_id: string;
  project: string;
  name: string;
  version: number;
  key_id: string;
  sealed: Buffer;
}

interface Kind {
  what: "secret" | "signing key";
  read: Statement;
  write: Statement;
  place: (projectId: string, name: string, version: number) => string;
}

const KINDS: readonly Kind[] = [
  { what: "secret", read: oldSecretsSql, write: resealSecretSql, place: secretPlace },
  { what: "signing key", read: oldSigningKeysSql, write: resealSigningKeySql, place: signingKeyPlace },
];

export interface Resealing {
  /** The key that seals. */
  keyId: string;
  secrets: number;
  signingKeys: number;
  /** Where the values are that no key of the ring opens. They are left as they are. */
  unreadable: { what: Kind["what"]; project: string; name: string }[];
  /** Values that the last pass still found: somebody goes on sealing with another key. */
  overtaken: number;
}

export async function reseal(db: Queryable, keys: KeyRing): Promise<Resealing> {
  const counts = { secret: 0, "signing key": 0 };
  for (let pass = 1; ; pass += 1) {
    const unreadable: Resealing["unreadable"] = [];
    let overtaken = 0;
    for (const kind of KINDS) {
      const { resealed, lost } = await resealKind(db, keys, kind, unreadable);
      counts[kind.what] += resealed;
      overtaken += resealed + lost;
    }
    if (overtaken === 0 || pass === PASSES_MAX)
      return {
        keyId: keys.keyId,
        secrets: counts.secret,
        signingKeys: counts["signing key"],
        unreadable,
        overtaken,
      };
  }
}

async function resealKind(
  db: Queryable,
  keys: KeyRing,
  kind: Kind,
  unreadable: Resealing["unreadable"],
): Promise<{ resealed: number; lost: number }> {
  const done = { resealed: 0, lost: 0 };
  let after: [string, string, number] = ["00000000-0000-0000-0000-000000000000", "", 0];
  for (;;) {
    const rows = await db.run<OldRow>(kind.read, [keys.keyId, ...after, BATCH]);
    for (const row of rows) {
      const result = await resealOne(db, keys, kind, row);
      if (result === "unreadable") unreadable.push({ what: kind.what, project: row.project, name: row.name });
      else done[result] += 1;
      after = [row.project_id, row.name, row.version];
    }
    if (rows.length < BATCH) return done;
  }
}

async function resealOne(
  db: Queryable,
  keys: KeyRing,
  { write, place }: Kind,
  { project_id, name, version, key_id, sealed }: OldRow,
): Promise<"resealed" | "lost" | "unreadable"> {
  const at = place(project_id, name, version);
  const value = opened(keys, { keyId: key_id, sealed }, at);
  if (value === null) return "unreadable";
  const anew = keys.seal(value, at);
  const won = await db.run(write, [project_id, name, version, key_id, anew.keyId, anew.sealed, sealed]);
  return won.length > 0 ? "resealed" : "lost";
}

function opened(keys: KeyRing, sealed: Parameters<KeyRing["open"]>[0], place: string): string | null {
  try {
    return keys.open(sealed, place);
  } catch {
    return null;
  }
}
