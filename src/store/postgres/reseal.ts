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

export const oldSecretsSql = statement(
  "old_secrets",
  `select s.project_id, p.name as project, s.name, s.version, s.key_id, s.sealed
   from punctual.secret s join punctual.project p on p.id = s.project_id
   where s.key_id <> $1 and (s.project_id, s.name, s.version) > ($2::uuid, $3::text, $4::integer)
   order by s.project_id, s.name, s.version limit $5`,
);

export const resealSecretSql = statement(
  "reseal_secret",
  `update punctual.secret s set key_id = $5, sealed = $6
   where s.project_id = $1 and s.name = $2 and s.version = $3 and s.key_id = $4 and s.sealed = $7 returning s.name`,
);

export const oldSigningKeysSql = statement(
  "old_signing_keys",
  `select k.project_id, p.name as project, k.name, k.version, k.key_id, k.sealed
   from punctual.signing_key k join punctual.project p on p.id = k.project_id
   where k.key_id <> $1 and (k.project_id, k.name, k.version) > ($2::uuid, $3::text, $4::integer)
   order by k.project_id, k.name, k.version limit $5`,
);

export const resealSigningKeySql = statement(
  "reseal_signing_key",
  `update punctual.signing_key k set key_id = $5, sealed = $6
   where k.project_id = $1 and k.name = $2 and k.version = $3 and k.key_id = $4 and k.sealed = $7 returning k.name`,
);

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
