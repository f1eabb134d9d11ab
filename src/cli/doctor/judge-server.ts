// The database server: can it be used, by how many, and does anything on it keep it from cleaning up?

import { withoutPassword } from "../../contract/setting-values.ts";
import { CONNECTIONS_PER_NODE, type DatabaseExamination } from "../../main.ts";
import { lasting } from "../output/time.ts";
import { type Finding, ok, problem, warning } from "./finding.ts";

type Check = DatabaseExamination["check"];
type Value<T> = T extends { value: infer V } ? V : never;
type Snapshot = Value<DatabaseExamination["snapshots"]>[number];

const MAJOR_MIN = 15;
const LATENCY_MS_MAX = 20;
/** Nothing depends on it, the database's clock decides; but logs and ledger would disagree visibly. */
const SKEW_MS_MAX = 5_000;
const SNAPSHOT_MS = { warning: 5 * 60_000, problem: 60 * 60_000 };
const SLOT_TRANSACTIONS_MAX = 1_000_000;
const USED = { warning: 0.8, problem: 0.95 };

export function judgeServer(check: Check, { url, prepared }: { url: string; prepared: boolean }): Finding[] {
  return [
    judgeVersion(check, url),
    judgeLatency(check),
    judgeClock(check),
    judgeMigrations(check),
    judgePooler(check, prepared),
  ];
}

function judgeVersion({ major, version, readOnly }: Check, url: string): Finding {
  const topic = "Database";
  const place = withoutPassword(url);
  if (major < MAJOR_MIN)
    return problem(topic, `PostgreSQL ${version} at ${place} is too old`, `use PostgreSQL ${MAJOR_MIN} or newer`);
  if (readOnly)
    return problem(
      topic,
      `${place} can only be read: it is a standby, or made read-only`,
      "name the primary in PUNCTUAL_DATABASE_URL",
    );
  return ok(topic, `PostgreSQL ${version} at ${place}`);
}

function judgeLatency({ latencyMs }: Check): Finding {
  const text = `answers in ${Math.ceil(latencyMs)} ms`;
  if (latencyMs <= LATENCY_MS_MAX) return ok("Latency", text);
  return warning(
    "Latency",
    text,
    "run the nodes nearer to the database: every start of a job waits for it a few times",
  );
}

function judgeClock({ clockSkewMs }: Check): Finding {
  const size = Math.abs(Math.round(clockSkewMs));
  const text = `the database is ${lasting(size)} ${clockSkewMs < 0 ? "behind" : "ahead of"} this machine`;
  if (size <= SKEW_MS_MAX) return ok("Clock", text);
  return warning(
    "Clock",
    text,
    "set both by NTP: the database's clock decides what is due, and logs will not agree with it",
  );
}

function judgeMigrations({ pendingMigrations: pending }: Check): Finding {
  if (pending.length === 0) return ok("Migrations", "none pending");
  return problem("Migrations", `${pending.length} pending: ${pending.join(", ")}`, "punctual migrate");
}

function judgePooler({ pooler }: Check, prepared: boolean): Finding {
  const topic = "Connection";
  if (pooler === "none") return ok(topic, "direct");
  if (pooler === "session") return ok(topic, "through a pooler in session mode");
  const text = "through a pooler in transaction mode";
  if (!prepared) return ok(topic, `${text}, without named statements`);
  return problem(
    topic,
    `${text}, where named statements clash`,
    "set PUNCTUAL_PREPARED=off, and PUNCTUAL_LISTEN_URL to the database itself",
  );
}

export function judgeWakeUp(ms: number | null, { pooler }: Check, listenUrl: string | null): Finding {
  const topic = "Wake-ups";
  if (ms !== null) return ok(topic, `a notification arrives after ${Math.ceil(ms)} ms`);
  const text = "notifications do not arrive: what is due at once starts up to a poll later";
  if (listenUrl !== null)
    return problem(topic, text, "let PUNCTUAL_LISTEN_URL lead to the primary itself, past any pooler");
  return pooler === "none"
    ? problem(topic, text, "does a proxy stand between? Set PUNCTUAL_LISTEN_URL to the database itself")
    : warning(topic, text, "set PUNCTUAL_LISTEN_URL to the database itself, past the pooler");
}

export function judgeConnections(
  { max, reserved, used, ours }: Value<DatabaseExamination["connections"]>,
  nodes: number,
): Finding[] {
  const topic = "Connections";
  const usable = max - reserved;
  const text = `${used} of ${usable} used, ${ours} by Punctual`;
  const raise = `alter system set max_connections = ${Math.max(200, max * 2)}; then restart it, or put a pooler in front`;
  const share = used / usable;
  const now =
    share >= USED.problem
      ? problem(topic, text, raise)
      : share >= USED.warning
        ? warning(topic, text, raise)
        : ok(topic, text);
  const needed = nodes * CONNECTIONS_PER_NODE + (used - ours);
  if (needed <= usable) return [now];
  return [
    now,
    warning(
      topic,
      `${nodes} nodes may use ${CONNECTIONS_PER_NODE} each, and others ${used - ours}: that is ${needed} of ${usable}`,
      raise,
    ),
  ];
}

export function judgeSnapshots(held: readonly Snapshot[]): Finding[] {
  const found = held.flatMap(judgeSnapshot);
  return found.length > 0 ? found : [ok("Snapshots", "nothing old is held open")];
}

function judgeSnapshot({ kind, name, holder, database, ageMs, transactions, state }: Snapshot): Finding[] {
  const topic = "Snapshots";
  const where = database === null ? "" : ` in ${database}`;
  const harm = "dead rows pile up until it ends";
  if (kind === "slot") {
    if ((transactions ?? 0) < SLOT_TRANSACTIONS_MAX && state === "active") return [];
    const text = `the replication slot ${name}${where} is ${state}${transactions === null ? "" : ` and ${transactions} transactions behind`}: ${harm}, or the disk is full`;
    return [warning(topic, text, `select pg_drop_replication_slot('${quoted(name)}'); unless somebody still needs it`)];
  }
  if (ageMs === null || ageMs < SNAPSHOT_MS.warning) return [];
  const judge = ageMs >= SNAPSHOT_MS.problem ? problem : warning;
  if (kind === "prepared")
    return [
      judge(
        topic,
        `the prepared transaction "${name}"${where} is ${lasting(ageMs)} old: ${harm}`,
        `rollback prepared '${quoted(name)}'; or commit it, in that database`,
      ),
    ];
  const who = holder === "" ? `process ${name}` : `${holder} (process ${name})`;
  return [
    judge(
      topic,
      `a transaction of ${who}${where} is ${lasting(ageMs)} old (${state}): ${harm}`,
      `select pg_terminate_backend(${name});`,
    ),
  ];
}

function quoted(text: string): string {
  return text.replaceAll("'", "''");
}
