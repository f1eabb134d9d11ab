// Millions of rows in the shape in which the product writes them: one row that it wrote itself is copied, and only what makes
// rows differ is computed anew. A column that a later version adds comes along by itself.

import type pg from "pg";

export interface Copies {
  table: string;
  /** Of the row to copy. */
  where: string;
  /** SQL expressions over `g`, the number of the copy, and `o`, the row. All other columns are as they were. */
  changed: Record<string, string>;
  from: number;
  to: number;
  /** Which numbers: a condition on `g`. */
  only?: string;
  /** Where the copies go, if not into the table they come from. */
  into?: string;
}

export async function copyRow(client: Pick<pg.ClientBase, "query">, copies: Copies): Promise<void> {
  const { table, where, changed, from, to, only = "true", into = table } = copies;
  const { rows } = await client.query<{ name: string }>(
    "select attname as name from pg_attribute where attrelid = $1::regclass and attnum > 0 and not attisdropped order by attnum",
    [table],
  );
  const columns = rows.map(({ name }) => name);
  const unknown = Object.keys(changed).filter((name) => !columns.includes(name));
  if (unknown.length > 0) throw new Error(`${table} has no column ${unknown.join(", ")}`);
  const { rowCount } = await client.query(
    `insert into ${into} (${columns.join(", ")})
     select ${columns.map((name) => changed[name] ?? `o.${name}`).join(", ")}
     from (select * from ${table} where ${where} limit 1) o cross join generate_series(${from}::bigint, ${to}::bigint) as s (g)
     where ${only}`,
  );
  if (rowCount === 0) throw new Error(`nothing was copied: ${table} has no row where ${where}`);
}

/** The id of the nth job of a benchmark, as SQL over a number. */
export function jobId(n: string): string {
  return `('0190a000-0000-7000-8000-' || lpad(to_hex(${n}), 12, '0'))::uuid`;
}

/** The id of a fire: the moment, then what looks like the hash of a job; as SQL over a timestamp and a text. */
export function fireId(moment: string, seed: string): string {
  return `(lpad(to_hex((extract(epoch from ${moment}) * 1000)::bigint), 12, '0') || '8' || substr(md5(${seed}), 1, 3)
    || '8' || substr(md5(${seed}), 4, 15))::uuid`;
}
