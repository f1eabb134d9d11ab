import type { AccountStore, Link } from "../port/accounts.ts";
import { ACCOUNT_COLUMNS, type AccountRow, toAccount } from "./account-row.ts";
import { type Queryable, statement } from "./database.ts";

export const insertLinkSql = statement(
  "insert_link",
  `insert into punctual.link (hash, kind, account_id, created_at, expires_at)
   values ($1, $2, $3, now(), now() + $4::bigint * interval '1 millisecond')`,
);

export const findLinkSql = statement(
  "find_link",
  `select l.kind, ${ACCOUNT_COLUMNS} from punctual.link l left join punctual.account a on a.id = l.account_id
   where l.hash = $1 and l.expires_at > clock_timestamp()`,
);

export const takeLinkSql = statement(
  "take_link",
  "delete from punctual.link l where l.hash = $1 and l.expires_at > clock_timestamp() returning l.kind",
);

export function linkStore(db: Queryable): Pick<AccountStore, "addLink" | "findLink" | "takeLink"> {
  return {
    addLink: async ({ hash, kind, accountId, lifeMs }) =>
      void (await db.run(insertLinkSql, [hash, kind, accountId, lifeMs])),
    findLink: async (hash) => {
      const [row] = await db.run<AccountRow & { kind: Link["kind"] }>(findLinkSql, [hash]);
      if (row === undefined) return null;
      return row.kind === "setup" ? { kind: "setup", account: null } : { kind: row.kind, account: toAccount(row) };
    },
    takeLink: async (hash) => (await db.run(takeLinkSql, [hash])).length > 0,
  };
}
