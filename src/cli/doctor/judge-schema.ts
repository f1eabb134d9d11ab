// What is ours in the database: the days of the ledger, the tables that are written all the time, the values at rest.

import type { DatabaseExamination } from "../../main.ts";
import { lasting } from "../output/time.ts";
import { type Finding, ok, problem, warning } from "./finding.ts";

type Schema = NonNullable<DatabaseExamination["schema"]>;
type Value<T> = T extends { value: infer V } ? V : never;
type Day = Value<Schema["days"]>[number];
type Table = Value<Schema["tables"]>["tables"][number];
type Sizes = Value<Schema["tables"]>["sizes"];

const DAY_MS = 86_400_000;
/** Today and tomorrow: nodes make more ahead, and look every ten minutes. */
const DAYS_NEEDED = 2;
/** Old days are dropped within ten minutes; a day later something keeps them. */
const DROP_LATE_MS = DAY_MS;
const DEAD_ROWS_MAX = 20_000;
const DEAD_SHARE_MAX = 2;
/** As much as a row with its indexes takes, generously. */
const ROW_BYTES = 4_000;
const BLOAT_BYTES_MIN = 256 * 1024 * 1024;
const BLOAT_TIMES = 10;

export function judgeDays(days: readonly Day[], { now, retentionMs }: { now: number; retentionMs: number }): Finding[] {
  const findings = (["execution", "execution_log"] as const).flatMap((table) => [
    ...judgeMissing(table, days, now),
    ...judgeOld(table, days, now - retentionMs - DROP_LATE_MS),
  ]);
  for (const { name, parent, pending } of days) {
    if (parent === null)
      findings.push(
        warning("Days", `${name} was taken out of the ledger and is still there`, `drop table punctual.${name};`),
      );
    else if (pending)
      findings.push(
        warning(
          "Days",
          `taking out ${name} was begun and not ended`,
          `alter table punctual.${parent} detach partition punctual.${name} finalize;`,
        ),
      );
  }
  if (findings.length > 0) return findings;
  const attached = days.filter(({ parent }) => parent === "execution");
  return [
    ok(
      "Days",
      `${attached.length} of the ledger, ${attached.at(0)?.name.slice(-8)} to ${attached.at(-1)?.name.slice(-8)}`,
    ),
  ];
}

function judgeMissing(table: string, days: readonly Day[], now: number): Finding[] {
  const present = new Set(days.filter(({ parent }) => parent === table).map(({ name }) => name));
  const wanted = Array.from({ length: DAYS_NEEDED }, (_, i) => `${table}_${stamp(now + i * DAY_MS)}`);
  const missing = wanted.filter((name) => !present.has(name));
  if (missing.length === 0) return [];
  const text = `${missing.join(" and ")} ${missing.length === 1 ? "is" : "are"} missing: each is made by the first write that needs it, which waits`;
  return [
    warning("Days", text, "start a node, or look in its log for retention: nodes make days ahead every ten minutes"),
  ];
}

function judgeOld(table: string, days: readonly Day[], before: number): Finding[] {
  const old = days.filter(({ name, parent }) => parent === table && name.slice(-8) < stamp(before));
  if (old.length === 0) return [];
  const oldest = old[0]!.name;
  const remedy = `alter table punctual.${table} detach partition punctual.${oldest} concurrently; drop table punctual.${oldest};`;
  return [
    warning(
      "Days",
      `${old.length} of ${table} are older than PUNCTUAL_RETENTION, the oldest is ${oldest}: nodes did not drop them`,
      remedy,
    ),
  ];
}

function stamp(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10).replaceAll("-", "");
}

export function judgeTables(
  tables: readonly Table[],
  { autovacuum, bytes, ledgerBytes }: Sizes,
  now: number,
): Finding[] {
  const findings = [
    ...(autovacuum
      ? []
      : [
          problem(
            "Vacuum",
            "autovacuum is off: tables grow without end",
            "alter system set autovacuum = on; select pg_reload_conf();",
          ),
        ]),
    ...tables.flatMap((table) => judgeTable(table, now)),
  ];
  const size = ok("Size", `${readable(bytes)}, of that ${readable(ledgerBytes)} history`);
  return findings.length > 0 ? [...findings, size] : [ok("Vacuum", "tables are clean"), size];
}

function judgeTable({ name, live, dead, bytes, vacuumedAt, autovacuum }: Table, now: number): Finding[] {
  const findings: Finding[] = [];
  const last = vacuumedAt === null ? "never vacuumed" : `vacuumed ${lasting(now - vacuumedAt.getTime())} ago`;
  if (!autovacuum)
    findings.push(
      problem(
        "Vacuum",
        `autovacuum is turned off for ${name}`,
        `alter table punctual.${name} reset (autovacuum_enabled);`,
      ),
    );
  if (dead > DEAD_ROWS_MAX && dead > live * DEAD_SHARE_MAX)
    findings.push(
      warning(
        "Vacuum",
        `${name} has ${dead} dead rows beside ${live} (${last})`,
        `vacuum (analyze) punctual.${name}; if they stay, see Snapshots`,
      ),
    );
  if (bytes > BLOAT_BYTES_MIN && bytes > (live + dead) * ROW_BYTES * BLOAT_TIMES)
    findings.push(
      warning(
        "Bloat",
        `${name} takes ${readable(bytes)} for ${live} rows`,
        `vacuum full punctual.${name}; at a quiet moment: it locks the table`,
      ),
    );
  return findings;
}

export function judgeSealed(sealed: readonly Value<NonNullable<Schema["sealed"]>>[number][]): Finding[] {
  const topic = "Encryption";
  const findings = sealed.flatMap(({ what, keyId, values, first, problem: why }) => {
    if (why !== null)
      return [
        problem(
          topic,
          `${values} ${what} cannot be read: ${why}`,
          `put the key ${keyId} back into PUNCTUAL_ENCRYPTION_KEYS, behind the first`,
        ),
      ];
    return first
      ? []
      : [ok(topic, `${values} ${what} are still sealed with the older key ${keyId}; keep it, or run: punctual reseal`)];
  });
  return findings.length > 0 ? findings : [ok(topic, "the keys open what is stored")];
}

function readable(bytes: number): string {
  const units = ["bytes", "kB", "MB", "GB", "TB"];
  let size = bytes;
  let unit = 0;
  for (; size >= 1_000 && unit < units.length - 1; unit++) size /= 1_000;
  return `${unit === 0 ? size : size.toFixed(size < 10 ? 1 : 0)} ${units[unit]}`;
}
