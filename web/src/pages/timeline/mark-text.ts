import type { Mark, MarkLook } from "../../charts/timeline-marks.ts";
import { counted } from "../../ui/counted.ts";
import { durationText } from "../../ui/duration.ts";
import { shortText } from "../../ui/zone.ts";

/** Which mark of a lane it is, also after the lane was read again. */
export function markKey({ look, from }: Mark): string {
  return `${look} ${from}`;
}

const SKIPPED: readonly MarkLook[] = ["missed", "overlapped", "paused", "skipped"];

/** 3 executions; of what never ran: 3 instants. */
export function countText({ look, count }: Mark): string {
  const noun = look === "planned" || SKIPPED.includes(look) ? "instant" : "execution";
  return counted(count, noun);
}

const REASONS: Record<string, string> = {
  misfire: "Nobody could start it in time.",
  overlap: "The run before had not ended.",
  paused: "The job was paused.",
  edited: "The job was changed.",
  job_deleted: "The job was deleted.",
  attempts_exhausted: "Its last attempt failed.",
  not_retryable: "It failed in a way that is not tried again.",
};

/** Why, in words; a code this page has not heard of is shown as it is. */
export function reasonText(code: string | null): string | null {
  return code === null ? null : (REASONS[code] ?? code.replaceAll("_", " "));
}

/** When, and for how long where it lasted. */
export function whenText({ from, to }: Pick<Mark, "from" | "to">, zone: string): string {
  const start = shortText(new Date(from), zone);
  if (to === null) return `since ${start}`;
  return to - from < 1 ? start : `${start}, for ${durationText(to - from)}`;
}

/** All of it in a sentence, to be read aloud. */
export function markText(mark: Mark, zone: string): string {
  return [mark.look, countText(mark), whenText(mark, zone), reasonText(mark.reason)]
    .filter((part) => part !== null)
    .join(", ");
}
