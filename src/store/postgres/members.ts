import type { Role } from "../../contract/account.ts";
import type { MemberRecord, MemberStore } from "../port/accounts.ts";
import { type Queryable, statement } from "./database.ts";
import { enterProject } from "./enter-project.ts";
import { cursorId, decodeCursor, encodeCursor } from "./page-cursor.ts";

const COLUMNS = "a.id, a.email, a.name, m.role, m.created_at, m.created_by";

export const listMembersSql = statement(
  "list_members",
  `select ${COLUMNS} from punctual.member m join punctual.account a on a.id = m.account_id
   where m.project_id = $1 and ($3::uuid is null or m.account_id < $3) order by m.account_id desc limit $2`,
);

export const findMemberSql = statement(
  "find_member",
  `select ${COLUMNS} from punctual.member m join punctual.account a on a.id = m.account_id where m.project_id = $1 and m.account_id = $2`,
);

export const insertMemberSql = statement(
  "insert_member",
  `insert into punctual.member as m (project_id, account_id, role, created_at, created_by) values ($1, $2, $3, $4, $5)
   on conflict (project_id, account_id) do nothing returning m.account_id`,
);

export const changeMemberSql = statement(
  "change_member",
  "update punctual.member m set role = $3 where m.project_id = $1 and m.account_id = $2",
);

export const removeMemberSql = statement(
  "remove_member",
  "delete from punctual.member m where m.project_id = $1 and m.account_id = $2 returning m.account_id",
);

interface MemberRow {
  id: string;
  email: string;
  name: string;
  role: Role;
  created_at: Date;
  created_by: string | null;
}

export function memberStore(db: Queryable): MemberStore {
  return {
    list: async (projectId, { after, limit }) => {
      const last = after === null ? null : cursorId(decodeCursor("members", after)[0], after);
      const rows = await db.run<MemberRow>(listMembersSql, [projectId, limit + 1, last]);
      const items = rows.slice(0, limit).map(toMember);
      return { items, next: rows.length > limit ? encodeCursor("members", [items.at(-1)!.id]) : null };
    },
    find: (projectId, accountId) => find(db, projectId, accountId),
    add: (projectId, { accountId, role, actor }) =>
      db.transaction(async (tx) => {
        const now = await enterProject(tx, projectId);
        if (now === null) return null;
        const added = await tx.run(insertMemberSql, [projectId, accountId, role, now, actor]);
        return added.length === 0 ? "is_member" : await find(tx, projectId, accountId);
      }),
    change: async (projectId, accountId, role) => {
      await db.run(changeMemberSql, [projectId, accountId, role]);
      return await find(db, projectId, accountId);
    },
    remove: async (projectId, accountId) => (await db.run(removeMemberSql, [projectId, accountId])).length > 0,
  };
}

async function find(db: Queryable, projectId: string, accountId: string): Promise<MemberRecord | null> {
  const [row] = await db.run<MemberRow>(findMemberSql, [projectId, accountId]);
  return row ? toMember(row) : null;
}

function toMember(row: MemberRow): MemberRecord {
  const { id, email, name, role, created_at: createdAt, created_by: createdBy } = row;
  return { id, email, name, role, createdAt, createdBy };
}
