// `punctual check`: would it start, and would it run well? Looks at the settings and the database and changes nothing.

import type { SettingProblem } from "../contract/read-settings.ts";
import type { Settings } from "../contract/settings.ts";
import { checkDatabase } from "../main.ts";
import { columns } from "./columns.ts";
import { type Finding, judgeDatabase, judgeListening } from "./database-findings.ts";
import type { Output } from "./output/output.ts";

export async function check(out: Output, settings: Settings, warnings: readonly SettingProblem[]): Promise<number> {
  const findings: Finding[] = [{ topic: "Settings", text: "valid" }];
  if (settings.databaseUrl === null)
    findings.push({ topic: "Database", text: "none named: dev starts its own in the data folder" });
  else findings.push(...judgeDatabase(await checkDatabase(settings.databaseUrl), settings));
  if (settings.listenUrl !== null) findings.push(judgeListening(await checkDatabase(settings.listenUrl)));
  out.show({ findings: findings.map(asJson), warnings }, () =>
    columns(findings.map(({ topic, text, fatal }) => [fatal ? "FAIL" : "ok", topic, text])),
  );
  return findings.some(({ fatal }) => fatal) ? 1 : 0;
}

/** With the words of the doctor, so that a program can read both. */
function asJson({ topic, text, fatal }: Finding): object {
  return { level: fatal ? "problem" : "ok", topic, text };
}
