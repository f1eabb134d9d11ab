import type { AccountRecord } from "../port/accounts.ts";

/** Of `punctual.account a`. Never the password: only whoever compares one has use for it. */
export const ACCOUNT_COLUMNS = "a.id, a.email, a.name, a.instance_admin";

export interface AccountRow {
  id: string;
  email: string;
  name: string;
  instance_admin: boolean;
}

export function toAccount(row: AccountRow): AccountRecord {
  return { id: row.id, email: row.email, name: row.name, instanceAdmin: row.instance_admin };
}
