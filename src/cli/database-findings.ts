import { withoutPassword } from "../contract/setting-values.ts";
import type { Settings } from "../contract/settings.ts";
import type { DatabaseCheck } from "../main.ts";

const MAJOR_MIN = 15;
/** Nothing depends on it, the database's clock decides; but logs and ledger would disagree visibly. */
const SKEW_MS_MAX = 5_000;

export interface Finding {
  topic: string;
  text: string;
  /** What keeps Punctual from running. */
  fatal?: boolean;
}

export function judgeDatabase(seen: DatabaseCheck, settings: Pick<Settings, "databaseUrl" | "prepared">): Finding[] {
  const place = withoutPassword(settings.databaseUrl ?? "");
  return [
    seen.major >= MAJOR_MIN
      ? {
          topic: "Database",
          text: `PostgreSQL ${seen.version} at ${place}, answers in ${Math.ceil(seen.latencyMs)} ms`,
        }
      : {
          topic: "Database",
          text: `PostgreSQL ${seen.version} at ${place} is too old: use ${MAJOR_MIN} or newer`,
          fatal: true,
        },
    ...(seen.readOnly
      ? [{ topic: "Database", text: "can only be read (a standby?): name the primary", fatal: true }]
      : []),
    { topic: "Migrations", text: describeMigrations(seen.pendingMigrations) },
    { topic: "Clock", text: describeSkew(seen.clockSkewMs) },
    judgePooler(seen.pooler, settings.prepared),
  ];
}

function describeMigrations(pending: readonly string[]): string {
  if (pending.length === 0) return "none pending";
  return `${pending.length} pending, applied at the next start or by punctual migrate: ${pending.join(", ")}`;
}

function describeSkew(ms: number): string {
  const size = Math.abs(Math.round(ms));
  const text = `the database is ${size} ms ${ms < 0 ? "behind" : "ahead of"} this machine`;
  return size > SKEW_MS_MAX
    ? `${text}; its clock decides, but logs will not agree with it: check both against NTP`
    : text;
}

function judgePooler(pooler: DatabaseCheck["pooler"], prepared: boolean): Finding {
  const topic = "Connection";
  if (pooler === "none") return { topic, text: "direct" };
  if (pooler === "session") return { topic, text: "through a pooler in session mode" };
  return prepared
    ? { topic, text: "through a pooler in transaction mode: set PUNCTUAL_PREPARED=off", fatal: true }
    : { topic, text: "through a pooler in transaction mode, without named statements" };
}

export function judgeListening({ pooler }: DatabaseCheck): Finding {
  const topic = "Wake-ups";
  return pooler === "transaction"
    ? {
        topic,
        text: "PUNCTUAL_LISTEN_URL leads through a pooler in transaction mode: name the database directly",
        fatal: true,
      }
    : { topic, text: "PUNCTUAL_LISTEN_URL can be listened on" };
}
