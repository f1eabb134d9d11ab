// Somebody else has changed the job while it was open here. Both began with the same version, so that for each field it is known
// who has changed it.

import type { Json } from "punctual/client";
import { type JobDraft, sameJson } from "./job-draft.ts";

export interface FieldChange {
  field: string;
  /** What it was when both began. */
  base: Json | undefined;
  theirs: Json | undefined;
  mine: Json | undefined;
  by: "them" | "me" | "both";
}

export type Side = "theirs" | "mine";

/** The fields in which the two differ now. What both have changed alike is no difference. */
export function changesSince(base: JobDraft, theirs: JobDraft, mine: JobDraft): FieldChange[] {
  const fields = [...new Set([...Object.keys(theirs), ...Object.keys(mine)])];
  return fields
    .filter((field) => !sameJson(theirs[field], mine[field]))
    .map((field) => ({
      field,
      base: base[field],
      theirs: theirs[field],
      mine: mine[field],
      by: sameJson(base[field], mine[field]) ? "them" : sameJson(base[field], theirs[field]) ? "me" : "both",
    }));
}

/** Nobody's change is lost unless both changed the same field; there it is mine, because I am here to see it. */
export function presetSide({ by }: FieldChange): Side {
  return by === "them" ? "theirs" : "mine";
}

/** The job as it is now, with those fields of mine that were chosen. */
export function merged(
  theirs: JobDraft,
  changes: readonly FieldChange[],
  sideOf: (change: FieldChange) => Side,
): JobDraft {
  const result: Record<string, Json> = { ...theirs };
  for (const change of changes) {
    if (sideOf(change) === "theirs") continue;
    if (change.mine === undefined) delete result[change.field];
    else result[change.field] = change.mine;
  }
  return result;
}
