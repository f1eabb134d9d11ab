import type { Role } from "../../contract/account.ts";
import type { IdSource } from "../../core/ids.ts";
import type { PresentedSession, SessionRecord, SessionStore } from "../port/accounts.ts";
import { ACCOUNT_COLUMNS, type AccountRow, toAccount } from "./account-row.ts";
import { type Queryable, statement } from "./database.ts";
import { readClock } from "./read-due-cursors.ts";

/** Somebody who signs in more often than this without ever signing out loses the oldest. */
const SESSIONS_MAX = 100;

const COLUMNS = "s.id, s.created_at, s.last_seen_at, s.expires_at, s.address, s.user_agent";

/** It ends with its time, or when it was not used for long enough. */
const ENDS_AT = "least(s.expires_at, s.last_seen_at + s.idle_ms * interval '1 millisecond')";

export const insertSessionSql = statement(
  "insert_session",
  `insert into punctual.session as s (id, hash, account_id, created_at, last_seen_at, idle_ms, expires_at, address, user_agent)
   values ($1, $2, $3, $4, $4, $5, $4::timestamptz + $6::bigint * interval '1 millisecond', $7, $8) returning ${COLUMNS}`,
);

export const endOldestSessionsSql = statement(
  "end_oldest_sessions",
  `delete from punctual.session where id = any(array(
     select s.id from punctual.session s where s.account_id = $1 order by s.created_at desc offset ${SESSIONS_MAX}))`,
);

export const presentSessionSql = statement(
  "present_session",
  `select s.id as session_id, ${ACCOUNT_COLUMNS}, extract(epoch from ${ENDS_AT} - clock_timestamp())::float8 * 1000 as ms_left,
     array(select json_build_object('projectId', p.id, 'projectName', p.name, 'role', m.role) from punctual.member m
       join punctual.project p on p.id = m.project_id and p.deleted_at is null where m.account_id = s.account_id order by p.name limit 1000) as memberships
   from punctual.session s join punctual.account a on a.id = s.account_id where s.hash = $1 and ${ENDS_AT} > clock_timestamp()`,
);

export const listSessionsSql = statement(
  "list_sessions",
  `select ${COLUMNS} from punctual.session s where s.account_id = $1 and ${ENDS_AT} > clock_timestamp()
   order by s.created_at desc, s.id limit ${SESSIONS_MAX}`,
);

export const revokeSessionSql = statement(
  "revoke_session",
  "delete from punctual.session s where s.account_id = $1 and s.id = $2 returning s.id",
);

/** One that somebody else is changing is left for the next time. */
export const noteSessionUseSql = statement(
  "note_session_use",
  `update punctual.session set last_seen_at = now() where id = any(array(
     select s.id from punctual.session s where s.id = any($1::uuid[]) and s.last_seen_at <= now() - interval '1 minute'
     order by s.id for update skip locked))`,
);

interface SessionRow {
  id: string;
  created_at: Date;
  last_seen_at: Date;
  expires_at: Date;
  address: string;
  user_agent: string;
}

type PresentedRow = AccountRow & {
  session_id: string;
  ms_left: number;
  memberships: { projectId: string; projectName: string; role: Role }[];
};

export function sessionStore(db: Queryable, ids: IdSource): SessionStore {
  return {
    open: ({ accountId, hash, idleMs, lifeMs, address, userAgent }) =>
      db.transaction(async (tx) => {
        const now = await readClock(tx);
        const values = [ids.next(now.getTime()), hash, accountId, now, idleMs, lifeMs, address, userAgent];
        const [row] = await tx.run<SessionRow>(insertSessionSql, values);
        await tx.run(endOldestSessionsSql, [accountId]);
        return toSession(row!);
      }),
    present: async (hash) => {
      const [row] = await db.run<PresentedRow>(presentSessionSql, [hash]);
      return row ? toPresented(row) : null;
    },
    list: async (accountId) => (await db.run<SessionRow>(listSessionsSql, [accountId])).map(toSession),
    revoke: async (accountId, id) => (await db.run(revokeSessionSql, [accountId, id])).length > 0,
    noteUse: async (sessions) => void (await db.run(noteSessionUseSql, [sessions])),
  };
}

function toPresented(row: PresentedRow): PresentedSession {
  return { id: row.session_id, account: toAccount(row), memberships: row.memberships, msLeft: row.ms_left };
}

function toSession(row: SessionRow): SessionRecord {
  return {
    id: row.id,
    createdAt: row.created_at,
    lastSeenAt: row.last_seen_at,
    expiresAt: row.expires_at,
    address: row.address,
    userAgent: row.user_agent,
  };
}
