import type { Settings } from "../../contract/settings.ts";
import { type DatabaseExamination, type Examined, examineDatabase } from "../../main.ts";
import { type Finding, ok, warning } from "./finding.ts";
import { judgeDays, judgeSealed, judgeTables } from "./judge-schema.ts";
import { judgeConnections, judgeServer, judgeSnapshots, judgeWakeUp } from "./judge-server.ts";
import { judgeWork } from "./judge-work.ts";

export type Patient = Pick<Settings, "listenUrl" | "prepared" | "encryptionKeys" | "retentionMs"> & {
  databaseUrl: string;
};

/** Looks at everything in the database, and judges it. Throws only if it cannot be reached at all. */
export async function diagnose(patient: Patient): Promise<Finding[]> {
  const { databaseUrl: url, listenUrl, encryptionKeys, retentionMs, prepared } = patient;
  const seen = await examineDatabase(url, { listenUrl, encryptionKeys });
  const now = Date.now() + seen.check.clockSkewMs;
  return [
    ...judgeServer(seen.check, { url, prepared }),
    ...judged("Wake-ups", seen.wakeUpMs, (ms) => [judgeWakeUp(ms, seen.check, listenUrl)]),
    ...judged("Connections", seen.connections, (connections) => judgeConnections(connections, aliveNodes(seen))),
    ...judged("Snapshots", seen.snapshots, judgeSnapshots),
    ...(seen.schema === null ? [] : judgeSchema(seen.schema, { now, retentionMs })),
  ];
}

function judgeSchema(
  { days, tables, work, sealed }: NonNullable<DatabaseExamination["schema"]>,
  { now, retentionMs }: { now: number; retentionMs: number },
): Finding[] {
  return [
    ...judged("Days", days, (found) => judgeDays(found, { now, retentionMs })),
    ...judged("Vacuum", tables, (found) => judgeTables(found.tables, found.sizes, now)),
    ...judged("Work", work, judgeWork),
    ...(sealed === null
      ? [ok("Encryption", "not looked at: set PUNCTUAL_ENCRYPTION_KEYS as the nodes have it")]
      : judged("Encryption", sealed, judgeSealed)),
  ];
}

function judged<T>(topic: string, examined: Examined<T>, judge: (value: T) => Finding[]): Finding[] {
  if ("value" in examined) return judge(examined.value);
  return [
    warning(
      topic,
      `could not be looked at: ${examined.failed}`,
      "grant pg_monitor to the user, or use one that may look",
    ),
  ];
}

function aliveNodes({ schema }: DatabaseExamination): number {
  return schema !== null && "value" in schema.work ? schema.work.value.nodes.filter(({ alive }) => alive).length : 0;
}
