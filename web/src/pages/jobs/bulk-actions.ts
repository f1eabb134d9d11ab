import type { PunctualClient } from "punctual/client";
import { counted } from "../../ui/counted.ts";
import type { CountedAction } from "../../ui/counted-action.tsx";
import { type BulkAction, bulkTarget, type Choice, leftOut } from "./bulk-choice.ts";

/** A large project takes a while, and half of it done is worse than a long wait. */
const PATIENCE_MS = 600_000;

const CHANGES = [["jobs"], ["job"], ["executions"], ["timeline"], ["stats"]];

const WORDS: Record<BulkAction, { verb: string; done: string; means: string }> = {
  pause: { verb: "Pause", done: "paused", means: "Nothing runs by schedule until it is resumed." },
  resume: { verb: "Resume", done: "resumed", means: "Schedules go on from their next instant." },
  trigger: { verb: "Run", done: "run", means: "Each job runs once, now, with its own payload." },
  delete: { verb: "Delete", done: "deleted", means: "Nothing runs any more. The executions so far are kept." },
};

/** With the jobs that were chosen, as far as it can be done with them. */
export function bulkAction(client: PunctualClient, action: BulkAction, choice: Choice): CountedAction {
  const { verb, done, means } = WORDS[action];
  const jobs = choice.kind === "rows" ? choice.jobs : [];
  const [only, second] = jobs;
  const names = new Map(jobs.map(({ id, name }) => [id, name]));
  const target = bulkTarget(action, choice);
  const which = choice.kind === "matching" ? " that match the filter" : "";
  return {
    title: only && !second ? `${verb} ${only.name}?` : `${verb} jobs`,
    means,
    about: (count) => `${counted(count, "job")}${which} will be ${done}.${othersText(leftOut(action, choice))}`,
    nothing: `There is none among them that can be ${done}.`,
    verb: (count) => `${verb} ${counted(count, "job")}`,
    done: (count) => `${counted(count, "job")} ${done}`,
    danger: action === "delete",
    typedNumber: action === "delete",
    ...(action === "pause" ? { reasonAbout: "Whoever finds them paused reads it." } : {}),
    call: async (how, reason) =>
      target === null
        ? { matched: 0, changed: 0, failed: 0, failures: [] }
        : client.bulk.jobs({ action, ...target, ...how, reason }, { timeoutMs: PATIENCE_MS }),
    changes: CHANGES,
    nameOf: (id) => names.get(id) ?? id,
  };
}

function othersText(left: number): string {
  if (left === 0) return "";
  return left === 1 ? " One other stays as it is." : ` ${left} others stay as they are.`;
}
