import { parseDuration } from "../contract/duration.ts";
import type { JobSpec, Warning } from "../contract/job.ts";
import { eachString, usesSecret } from "../contract/template.ts";

/** What is allowed but probably not meant. */
export function jobWarnings(spec: JobSpec): Warning[] {
  return RULES.flatMap((rule) => rule(spec) ?? []);
}

const RULES: ((spec: JobSpec) => Warning | null)[] = [eitherDay, targetOutlivesJob, secretInTheOpen];

/** Cron's oldest trap: with both day fields given, either of them is enough. */
function eitherDay({ schedule }: JobSpec): Warning | null {
  if (schedule === null || !("cron" in schedule)) return null;
  const fields = schedule.cron.trim().split(/\s+/);
  const [dayOfMonth, , dayOfWeek] = fields.slice(-3);
  if (fields.length < 5 || isAny(dayOfMonth!) || isAny(dayOfWeek!)) return null;
  return {
    code: "either_day_matches",
    message: `"${schedule.cron}" fires on every day that matches ${dayOfMonth} in the month or ${dayOfWeek} in the week, not only where both do`,
  };
}

function isAny(field: string): boolean {
  return field === "*" || field === "?";
}

function targetOutlivesJob({ target, timeout }: JobSpec): Warning | null {
  if (target.type !== "http") return null;
  if (parseDuration(target.timeout) <= parseDuration(timeout)) return null;
  return {
    code: "timeout_shorter_than_target",
    message: `timeout (${timeout}) ends an attempt before target.timeout (${target.timeout}) can`,
  };
}

function secretInTheOpen({ target }: JobSpec): Warning | null {
  if (target.type !== "http" || !target.url.toLowerCase().startsWith("http:")) return null;
  let found = false;
  eachString([target.url, target.headers, target.query, target.body, target.bodyText], [], (text) => {
    found ||= usesSecret(text);
  });
  return found
    ? {
        code: "secret_over_http",
        message: "a secret is sent over http:, where everybody on the way can read it; use https:",
      }
    : null;
}
