// `punctual apply`: makes the server's jobs what the files declare.

import { confirm } from "../confirm.ts";
import { EXIT } from "../exit-code.ts";
import { harmless } from "../output/text.ts";
import type { Session } from "../session.ts";
import { UsageError } from "../usage-error.ts";
import { applySteps, type Doable, doableSteps, type StepResult } from "./apply-steps.ts";
import { type Plan, stepsOf } from "./plan.ts";
import { type DeclareFlags, planned, readOrRefuse, refuseUnnamedSources, showPlan } from "./plan-command.ts";
import { planJson } from "./plan-words.ts";

export interface ApplyFlags extends DeclareFlags {
  yes?: boolean;
}

export async function apply(session: Session, flags: ApplyFlags): Promise<number> {
  const declared = await readOrRefuse(session, flags.file);
  if (declared === null) return EXIT.usage;
  if (flags.prune) refuseUnnamedSources(declared);
  const plan = await planned(session, declared, flags);
  if (!session.out.json) showPlan(session, plan, flags);
  if (stepsOf(plan, "refused").length > 0) {
    if (session.out.json) showPlan(session, plan, flags);
    return session.fail(new UsageError("some jobs are wrong; nothing was done"));
  }
  const { results, declined } = await doPlanned(session, plan, flags);
  if (declined && results.length === 0) return EXIT.failed;
  const code = report(session, plan, results);
  return declined ? EXIT.failed : code;
}

interface Done {
  results: StepResult[];
  /** Whoever was asked said no, to everything or to the last part. */
  declined: boolean;
}

async function doPlanned(session: Session, plan: Plan, flags: ApplyFlags): Promise<Done> {
  const { changes, prunes } = doableSteps(plan, { prune: flags.prune === true });
  // What is only confirmed changes no job; nobody needs to be asked about it.
  const asked = changes.filter(({ kind }) => kind !== "unchanged").length;
  if (asked > 0 && !(await confirm(session, `Apply ${counted(asked, "change")}?`, flags)))
    return { results: [], declined: true };
  const results = await doSteps(session, changes, flags);
  if (prunes.length === 0) return { results, declined: false };
  if (results.some(({ done }) => !done)) {
    session.out.note("Nothing was deleted, because not everything else could be done.");
    return { results, declined: false };
  }
  const question = `Delete ${counted(prunes.length, "job")} no longer declared?`;
  if (!(await confirm(session, question, { ...flags, declined: "Nothing was deleted." })))
    return { results, declined: true };
  return { results: [...results, ...(await doSteps(session, prunes, flags))], declined: false };
}

async function doSteps(session: Session, steps: readonly Doable[], flags: ApplyFlags): Promise<StepResult[]> {
  if (steps.length === 0) return [];
  const { out } = session;
  const onDone = (done: number) => out.progress(`Applying: ${done} of ${steps.length}`);
  const results = await applySteps(await session.client(), steps, { adopt: flags.adopt === true, onDone });
  out.endProgress();
  return results;
}

function report({ out }: Session, plan: Plan, results: readonly StepResult[]): number {
  const failed = results.filter(({ done }) => !done);
  if (out.json) out.show({ plan: planJson(plan), results }, () => "");
  for (const { job, error } of failed) out.note(`${out.paintNote("bad", "x")} ${job}: ${harmless(error!.message)}`);
  const count = (action: StepResult["action"]) => results.filter((one) => one.done && one.action === action).length;
  const said = [
    [count("create"), "created"],
    [count("change"), "changed"],
    [count("prune"), "deleted"],
    [failed.length, "failed"],
  ] as const;
  const words = said.filter(([n]) => n > 0).map(([n, what]) => `${n} ${what}`);
  out.note(words.length === 0 ? "Nothing to change." : `Done: ${words.join(", ")}.`);
  return failed.length > 0 ? EXIT.failed : EXIT.done;
}

function counted(n: number, what: string): string {
  return `${n} ${what}${n === 1 ? "" : "s"}`;
}
