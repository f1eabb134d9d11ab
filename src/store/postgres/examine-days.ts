import { type Queryable, statement } from "./database.ts";

export const examineDaysSql = statement(
  "examine_days",
  `select c.relname as name, p.relname as parent, coalesce(i.inhdetachpending, false) as pending
   from pg_class c
   left join pg_inherits i on i.inhrelid = c.oid
   left join pg_class p on p.oid = i.inhparent
   where c.relnamespace = 'punctual'::regnamespace and c.relkind = 'r' and c.relname ~ '^execution(_log)?_\\d{8}$'
   order by c.relname`,
);

/** A table that holds one day. */
export interface DayTable {
  /** `execution_20261201` */
  name: string;
  /** The table it is a part of; null: it was taken out and is still there. */
  parent: string | null;
  /** Taking it out was begun and not ended. */
  pending: boolean;
}

export async function examineDays(db: Pick<Queryable, "run">): Promise<DayTable[]> {
  return await db.run<DayTable>(examineDaysSql, []);
}
