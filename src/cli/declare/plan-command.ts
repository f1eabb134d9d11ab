// `punctual plan`: what would applying these files do?

import { EXIT } from "../exit-code.ts";
import type { Session } from "../session.ts";
import { UsageError } from "../usage-error.ts";
import { doableSteps } from "./apply-steps.ts";
import type { Declared } from "./declared-file.ts";
import { readDeclaredFiles } from "./declared-files.ts";
import { makePlan, type Plan, stepsOf } from "./plan.ts";
import { planJson, planText, problemsText } from "./plan-words.ts";

export interface DeclareFlags {
  file: string[];
  prune?: boolean;
  adopt?: boolean;
}

export interface PlanFlags extends DeclareFlags {
  detailedExitcode?: boolean;
}

export async function plan(session: Session, flags: PlanFlags): Promise<number> {
  const declared = await readOrRefuse(session, flags.file);
  if (declared === null) return EXIT.usage;
  if (flags.prune) refuseUnnamedSources(declared);
  const plan = await planned(session, declared, flags);
  showPlan(session, plan, flags);
  if (stepsOf(plan, "refused").length > 0) return EXIT.usage;
  const { changes, prunes } = doableSteps(plan, { prune: flags.prune === true });
  return flags.detailedExitcode && changes.length + prunes.length > 0 ? EXIT.changes : EXIT.done;
}

/** What the files declare; null if they cannot be read, and that is said. */
export async function readOrRefuse(session: Session, files: readonly string[]): Promise<Declared | null> {
  const { out } = session;
  const declared = await readDeclaredFiles(files);
  for (const note of declared.notes) out.note(`Note: ${note}.`);
  if (declared.problems.length === 0) return declared;
  const { problems } = declared;
  if (out.json) out.show({ problems }, () => "");
  else out.note(problemsText(problems, { paint: out.paintNote, width: out.width }).trimEnd());
  const many = problems.length === 1 ? "one thing is" : `${problems.length} things are`;
  session.fail(new UsageError(`${many} wrong in the files; nothing was asked or done`));
  return null;
}

/** Two files called punctual.yaml in two repositories would delete each other's jobs. */
export function refuseUnnamedSources({ sources }: Declared): void {
  const unnamed = sources.find(({ named }) => !named);
  if (unnamed === undefined) return;
  const name = unnamed.source.replace(/^file:/, "");
  throw new UsageError(
    `--prune deletes what a source no longer declares, so the file must name its source: add "source: ${name}"`,
  );
}

export async function planned(session: Session, declared: Declared, flags: DeclareFlags): Promise<Plan> {
  const { out } = session;
  const onProgress = (done: number, of: number) => out.progress(`Looking at ${of} jobs: ${done}`);
  const plan = await makePlan(await session.client(), declared, { adopt: flags.adopt === true, onProgress });
  out.endProgress();
  return plan;
}

export function showPlan({ out }: Session, plan: Plan, { prune = false }: DeclareFlags): void {
  const look = { paint: out.paint, width: out.width, time: (instant: string) => out.time(instant) };
  out.show(planJson(plan), () => planText(plan, prune, look));
}
