// `punctual doctor`: looks at the database directly, and at the API if one was named, and says what is not well and what
// to do about it. It changes nothing.

import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Settings } from "../../contract/settings.ts";
import { resolveDataDir, startEmbedded } from "../../main.ts";
import { EXIT } from "../exit-code.ts";
import { explain } from "../expected-error.ts";
import { keptEncryptionKey } from "../kept-keys.ts";
import type { Tone } from "../output/colour.ts";
import type { Output } from "../output/output.ts";
import { harmless, wrap } from "../output/text.ts";
import type { RemoteFlags } from "../remote.ts";
import type { Session } from "../session.ts";
import { describeProblems, settingsOf } from "../settings-input.ts";
import { UsageError } from "../usage-error.ts";
import { diagnose } from "./diagnose.ts";
import { diagnoseApi } from "./diagnose-api.ts";
import { type Finding, problem } from "./finding.ts";

export interface DoctorFlags extends RemoteFlags {
  database?: string;
  dev?: boolean;
  dataDir?: string;
  config?: string;
}

export async function doctor(session: Session, flags: DoctorFlags): Promise<number> {
  const settings = settingsFrom(flags);
  const wantsApi = flags.context !== undefined || flags.server !== undefined || Boolean(process.env.PUNCTUAL_URL);
  const hasDatabase = settings.databaseUrl !== null || flags.dev === true;
  if (!hasDatabase && !wantsApi) throw new UsageError(NOTHING_NAMED);
  session.out.progress("Looking…");
  const findings = [
    ...(hasDatabase ? await diagnoseDatabase(settings) : []),
    ...(wantsApi ? await diagnoseApi(session) : []),
  ];
  session.out.endProgress();
  session.out.show({ findings }, () => findingsText(findings, session.out));
  return findings.some(({ level }) => level === "problem") ? EXIT.failed : EXIT.done;
}

const NOTHING_NAMED = `There is nothing to look at. Do one of these:
  punctual doctor --database postgres://…   or set PUNCTUAL_DATABASE_URL
  punctual doctor --dev                     the database of punctual dev
  punctual doctor --context <name>          only what the API tells`;

function settingsFrom({ database, dataDir, config }: DoctorFlags): Settings {
  const flags = { databaseUrl: database, dataDir, config };
  // As dev reads them: what is missing for a node to start is no reason not to look.
  const read = settingsOf("dev", flags);
  if (read.kind === "valid") return read.settings;
  throw new UsageError(`Settings that cannot be used:\n${describeProblems(read.problems).trimEnd()}`);
}

async function diagnoseDatabase(settings: Settings): Promise<Finding[]> {
  try {
    if (settings.databaseUrl !== null) return await diagnose({ ...settings, databaseUrl: settings.databaseUrl });
    return await diagnoseEmbedded(settings);
  } catch (error) {
    const why = explain(error, settings);
    if (why === null) throw error;
    return [problem("Database", why, "nothing else can be looked at before this is right")];
  }
}

/** Joins the database that `dev` runs, or starts it for as long as it takes to look. */
async function diagnoseEmbedded(settings: Settings): Promise<Finding[]> {
  const folder = resolveDataDir(settings.dataDir === null ? {} : { configured: settings.dataDir }).dataDir;
  // Starting it would make one.
  if (!existsSync(join(folder, "postgres/PG_VERSION")))
    return [
      problem("Database", `there is none in ${folder}`, "punctual dev makes one; --data-dir names another folder"),
    ];
  const embedded = await startEmbedded({ dataDir: folder });
  try {
    const kept = keptEncryptionKey(folder);
    return await diagnose({
      ...settings,
      databaseUrl: embedded.url,
      encryptionKeys: [...settings.encryptionKeys, ...(kept === null ? [] : [kept])],
    });
  } finally {
    await embedded.stop();
  }
}

const TONES: Record<Finding["level"], Tone> = { ok: "good", warning: "doubtful", problem: "bad" };
const LEVEL_WIDTH = 9;
const TOPIC_WIDTH = 14;

function findingsText(findings: readonly Finding[], { paint, width }: Output): string {
  const indent = " ".repeat(LEVEL_WIDTH + TOPIC_WIDTH);
  const room = Math.min(width, 100);
  const lines = findings.map(({ level, topic, text, remedy }) => {
    const head = paint(TONES[level], level.padEnd(LEVEL_WIDTH)) + topic.padEnd(TOPIC_WIDTH);
    const said = wrap(harmless(text), room, indent).trimStart();
    return `${head}${said}\n${remedy === undefined ? "" : `${wrap(harmless(`→ ${remedy}`), room, indent)}\n`}`;
  });
  return [...lines, "\n", `${summary(findings)}\n`].join("");
}

function summary(findings: readonly Finding[]): string {
  const count = (level: Finding["level"]) => findings.filter((finding) => finding.level === level).length;
  const [problems, warnings] = [count("problem"), count("warning")];
  if (problems + warnings === 0) return "All is well.";
  const words = [
    ...(problems === 0 ? [] : [`${problems} problem${problems === 1 ? "" : "s"}`]),
    ...(warnings === 0 ? [] : [`${warnings} warning${warnings === 1 ? "" : "s"}`]),
  ];
  return `${words.join(", ")}.`;
}
