// The lines of a crontab, as crond reads them: five fields or a macro, in system files a user, and the rest of the line
// is the command.

export type CrontabLine =
  | { kind: "job"; number: number; text: string; schedule: string; user: string | null; command: string }
  | { kind: "variable"; number: number; name: string; value: string }
  | { kind: "comment"; number: number; text: string }
  | { kind: "blank"; number: number }
  | { kind: "broken"; number: number; text: string; problem: string };

const LINE_MAX = 8_000;
const LINES_MAX = 10_000;
const VARIABLE = /^(["']?)([A-Za-z_][A-Za-z0-9_]*)\1\s*=\s*(.*?)\s*$/;
const SCHEDULED = /^(@\S+|\S+(?:\s+\S+){4})\s+(.*)$/;

export interface Crontab {
  lines: CrontabLine[];
  /** About the file as a whole. */
  notes: string[];
}

export function readCrontab(text: string, { userField }: { userField: boolean }): Crontab {
  const notes: string[] = [];
  const plain = text.replace(/^\ufeff/, "");
  if (/\r/.test(plain))
    notes.push("its lines end as on Windows; crond would have taken the sign for a part of the command");
  const rows = plain.split(/\r\n|\n|\r/);
  if (rows.at(-1) === "") rows.pop();
  else if (plain !== "") notes.push("its last line does not end with a line break; some crons ignore such a line");
  if (rows.length > LINES_MAX) notes.push(`only its first ${LINES_MAX} lines were read`);
  return { lines: rows.slice(0, LINES_MAX).map((row, i) => readLine(row, i + 1, userField)), notes };
}

function readLine(row: string, number: number, userField: boolean): CrontabLine {
  const text = row.trim();
  if (text === "") return { kind: "blank", number };
  if (text.startsWith("#")) return { kind: "comment", number, text: text.replace(/^#+\s?/, "").trimEnd() };
  const broken = (problem: string): CrontabLine => ({ kind: "broken", number, text: text.slice(0, 200), problem });
  if (row.length > LINE_MAX) return broken(`the line has ${row.length} characters, more than ${LINE_MAX}`);
  const variable = VARIABLE.exec(text);
  if (variable !== null) return { kind: "variable", number, name: variable[2]!, value: unquoted(variable[3]!) };
  const scheduled = SCHEDULED.exec(text);
  if (scheduled === null) return broken("neither five fields with a command, nor a variable");
  const [, written, rest] = scheduled as unknown as [string, string, string];
  const schedule = written.replace(/\s+/g, " ");
  if (!userField) return { kind: "job", number, text, schedule, user: null, command: rest };
  const [, user, command] = /^(\S+)\s+(.*)$/.exec(rest) ?? [];
  if (user === undefined || command === undefined) return broken("there is no command after the user");
  // FreeBSD's user:group/class
  return { kind: "job", number, text, schedule, user: user.replace(/[:/].*$/, ""), command };
}

function unquoted(value: string): string {
  return /^(["']).*\1$/.test(value) && value.length >= 2 ? value.slice(1, -1) : value;
}
