import type { IdSource } from "../../core/ids.ts";
import type { AccountRecord, AccountStore, AccountWithPassword } from "../port/accounts.ts";
import { ACCOUNT_COLUMNS, type AccountRow, toAccount } from "./account-row.ts";
import { type Queryable, statement } from "./database.ts";
import { linkStore } from "./links.ts";
import { readClock } from "./read-due-cursors.ts";

type PasswordRow = AccountRow & { password: string | null };

/** Two at once with one address: the second finds the first's. */
export const insertAccountSql = statement(
  "insert_account",
  `insert into punctual.account as a (id, email, name, password, instance_admin, created_at, created_by) values ($1, $2, $3, $4, $5, $6, $7)
   on conflict (email) do nothing returning ${ACCOUNT_COLUMNS}`,
);

export const findAccountSql = statement(
  "find_account",
  `select ${ACCOUNT_COLUMNS}, a.password from punctual.account a where a.id = $1`,
);

export const findAccountByEmailSql = statement(
  "find_account_by_email",
  `select ${ACCOUNT_COLUMNS}, a.password from punctual.account a where a.email = $1`,
);

export const holdPasswordSql = statement(
  "hold_password",
  "select a.id from punctual.account a where a.id = $1 and a.password = $2 for share",
);

export const setPasswordSql = statement("set_password", "update punctual.account set password = $2 where id = $1");

export const makeInstanceAdminSql = statement(
  "make_instance_admin",
  "update punctual.account set instance_admin = true where id = $1",
);

export const shutOutSql = statement(
  "shut_out",
  `update punctual.account set instance_admin = false, password = null, oidc_issuer = null, oidc_subject = null where id = $1`,
);

export const endMembershipsSql = statement("end_memberships", "delete from punctual.member where account_id = $1");

export const endSessionsSql = statement(
  "end_sessions",
  "delete from punctual.session where account_id = $1 and id is distinct from $2",
);

export const endLinksSql = statement("end_links", "delete from punctual.link where account_id = $1");

export const findVouchedSql = statement(
  "find_vouched",
  `select ${ACCOUNT_COLUMNS} from punctual.account a where a.oidc_issuer = $1 and a.oidc_subject = $2`,
);

/** An address that another subject has is not given away to this one; of a provider that was there before it says nothing any more. */
export const vouchSql = statement(
  "vouch",
  `update punctual.account a set oidc_issuer = $1, oidc_subject = $2 where a.email = $3 and (a.oidc_subject is null or a.oidc_issuer <> $1)
   returning ${ACCOUNT_COLUMNS}`,
);

/** Of two set-ups at once one waits for the other, and then finds its admin. */
export const lockSetupSql = statement(
  "lock_setup",
  "select pg_advisory_xact_lock(hashtextextended('punctual set-up', 0))",
);

export const needsSetupSql = statement(
  "needs_setup",
  `select not exists (select from punctual.account a where a.instance_admin and (a.password is not null or a.oidc_subject is not null)) as needed`,
);

/** Somebody whom `dev` or a command made without a password becomes the admin they were made to be. */
export const setUpSql = statement(
  "set_up",
  `insert into punctual.account as a (id, email, name, password, instance_admin, created_at, created_by) values ($1, $2, $3, $4, true, $5, 'set-up link')
   on conflict (email) do update set name = excluded.name, password = excluded.password, instance_admin = true
   returning ${ACCOUNT_COLUMNS}`,
);

/** One that somebody else is using at the moment is theirs to end: they wait for us, and find that there is an admin. */
export const endSetupLinksSql = statement(
  "end_setup_links",
  `delete from punctual.link where hash = any(array(
     select l.hash from punctual.link l where l.kind = 'setup' order by l.hash for update skip locked))`,
);

export function accountStore(db: Queryable, ids: IdSource): AccountStore {
  const one = async (...[which, values]: Parameters<Queryable["run"]>): Promise<AccountWithPassword | null> => {
    const [row] = await db.run<PasswordRow>(which, values);
    return row ? { ...toAccount(row), password: row.password } : null;
  };
  return {
    ensure: (account) => db.transaction((tx) => ensure(tx, ids, account)),
    find: (id) => one(findAccountSql, [id]),
    findByEmail: (email) => one(findAccountByEmailSql, [email]),
    holdPassword: async (id, password) => (await db.run(holdPasswordSql, [id, password])).length > 0,
    setPassword: (id, password, { exceptSession }) =>
      db.transaction(async (tx) => {
        await tx.run(setPasswordSql, [id, password]);
        await tx.run(endSessionsSql, [id, exceptSession]);
        await tx.run(endLinksSql, [id]);
      }),
    shutOut: (id) =>
      db.transaction(async (tx) => {
        await tx.run(shutOutSql, [id]);
        await tx.run(endMembershipsSql, [id]);
        await tx.run(endSessionsSql, [id, null]);
        await tx.run(endLinksSql, [id]);
      }),
    makeInstanceAdmin: async (id) => void (await db.run(makeInstanceAdminSql, [id])),
    vouched: ({ issuer, subject, email }) =>
      db.transaction(async (tx) => {
        const find = () => tx.run<AccountRow>(findVouchedSql, [issuer, subject]);
        const [known] = await find();
        const [bound] = known ? [known] : await tx.run<AccountRow>(vouchSql, [issuer, subject, email]);
        // Of two first times at once the second finds what the first has bound.
        const [row] = bound ? [bound] : await find();
        return row ? toAccount(row) : null;
      }),
    needsSetup: () => needsSetup(db),
    setUp: (admin) => db.transaction((tx) => setUp(tx, ids, admin)),
    ...linkStore(db),
  };
}

async function ensure(
  tx: Queryable,
  ids: IdSource,
  { email, name, instanceAdmin, createdBy }: Parameters<AccountStore["ensure"]>[0],
): Promise<AccountRecord & { made: boolean }> {
  const now = await readClock(tx);
  const values = [ids.next(now.getTime()), email, name, null, instanceAdmin, now, createdBy];
  const [made] = await tx.run<AccountRow>(insertAccountSql, values);
  const [row] = made ? [made] : await tx.run<AccountRow>(findAccountByEmailSql, [email]);
  return { ...toAccount(row!), made: made !== undefined };
}

async function setUp(
  tx: Queryable,
  ids: IdSource,
  { email, name, password }: Parameters<AccountStore["setUp"]>[0],
): Promise<AccountRecord | null> {
  await tx.run(lockSetupSql, []);
  if (!(await needsSetup(tx))) return null;
  const now = await readClock(tx);
  const [row] = await tx.run<AccountRow>(setUpSql, [ids.next(now.getTime()), email, name, password, now]);
  await tx.run(endSetupLinksSql, []);
  return toAccount(row!);
}

async function needsSetup(db: Queryable): Promise<boolean> {
  const [row] = await db.run<{ needed: boolean }>(needsSetupSql, []);
  return row!.needed;
}
