// The form of a job, new or not. Its one state is the draft: every field writes into it, and so does the JSON. The server is asked
// all the while what it thinks of it, and says at the fields what is wrong before anybody presses a button.

import type { Job, Problem } from "punctual/client";
import { useEffect, useState } from "react";
import { cx } from "../../ui/class-names.ts";
import { Notice } from "../../ui/notice.tsx";
import { ChangedMeanwhile } from "./changed-meanwhile.tsx";
import { useCheck } from "./check.ts";
import { type DraftInForm, DraftProvider } from "./draft-context.tsx";
import { useDraftState } from "./draft-state.ts";
import { IdentitySection } from "./identity-section.tsx";
import { JobAsJson } from "./job-as-json.tsx";
import { draftOf, type JobDraft, sameJson } from "./job-draft.ts";
import { LeaveQuestion } from "./leave-question.tsx";
import { NewerVersion } from "./newer-version.tsx";
import { ProblemList } from "./problem-list.tsx";
import { distinct, problemsOf, unplaced, withoutUnwritten } from "./problems.ts";
import { RetrySection } from "./retry-section.tsx";
import { RulesSection } from "./rules-section.tsx";
import { SaveBar } from "./save-bar.tsx";
import { useSaveJob } from "./save-job.ts";
import { SchedulePreviewCard, useSchedulePreview } from "./schedule-preview.tsx";
import { ScheduleSection } from "./schedule-section.tsx";
import { TargetSection } from "./target-section.tsx";

/** The schedule's own notes have it already. */
const SAID_BY_PREVIEW = "either_day_matches";

export function JobForm({
  start,
  job,
  asJson,
}: {
  /** What the form begins with. */
  start: JobDraft;
  /** The job that is edited, as it is now; null for a new one. */
  job: Job | null;
  asJson: boolean;
}) {
  const state = useDraftState(start, job);
  const { draft, base, tried, broken } = state;
  const preview = useSchedulePreview(draft);
  const unsaved = !sameJson(draft, base === null ? start : draftOf(base));
  const check = useCheck(draft, base, unsaved);
  const [theirs, setTheirs] = useState<Job | null>(null);
  const save = useSaveJob({ base, onMismatch: setTheirs });

  // What was said when it was saved holds until something is changed.
  const refused = save.variables?.draft === draft ? problemsOf(save.error) : [];
  const found = distinct([...check.problems, ...problemsOf(preview.error), ...refused]);
  const problems = tried ? found : withoutUnwritten(found, draft);
  // Who has changed nothing yet goes on from what is newest.
  const { rebase } = state;
  useEffect(() => {
    if (!unsaved && base !== null && job !== null && job.version > base.version) rebase(job, draftOf(job));
  }, [unsaved, base, job, rebase]);
  const submit = (paused: boolean) => {
    state.setTried(true);
    if (!broken) save.mutate({ draft, paused });
  };
  useEffect(() => {
    if (save.error !== null) focusFirstProblem();
  }, [save.error]);
  const inForm: DraftInForm = { draft, job: base, problems, change: state.change, setBroken: state.setBroken };
  return (
    <DraftProvider value={inForm}>
      {base !== null && job !== null && job.version !== base.version && (
        <NewerVersion base={base} newer={job} onLook={() => setTheirs(job)} />
      )}
      <div className="grid items-start gap-4 xl:grid-cols-[minmax(0,1fr)_22rem] [&>*]:min-w-0">
        {asJson ? <JobAsJson onChange={state.replace} /> : <Identity problems={unplaced(problems, draft)} />}
        {!asJson && <ScheduleSection />}
        <aside
          aria-label="What comes of it"
          className={cx(
            "flex flex-col gap-4 xl:sticky xl:top-16 xl:col-start-2 xl:row-start-1",
            !asJson && "xl:row-span-5",
          )}
        >
          <SchedulePreviewCard draft={draft} preview={preview} />
          {check.warnings
            .filter(({ code }) => code !== SAID_BY_PREVIEW)
            .map(({ code, message }) => (
              <Notice key={code} tone="warn">
                {message}
              </Notice>
            ))}
        </aside>
        {!asJson && (
          <>
            <TargetSection />
            <RetrySection />
            <RulesSection />
          </>
        )}
      </div>
      <SaveBar
        job={base}
        busy={save.isPending}
        standing={{ problems: problems.length, broken, unsaved }}
        onSave={submit}
      />
      {theirs !== null && base !== null && (
        <ChangedMeanwhile
          base={base}
          theirs={theirs}
          mine={draft}
          onClose={() => setTheirs(null)}
          onChoose={(chosen) => {
            state.rebase(theirs, chosen);
            setTheirs(null);
          }}
        />
      )}
      <LeaveQuestion unsaved={unsaved && !save.isSuccess} />
    </DraftProvider>
  );
}

/** What belongs to no field comes first, where it is seen. */
function Identity({ problems }: { problems: readonly Problem[] }) {
  return (
    <div className="flex flex-col gap-4">
      {problems.length > 0 && <ProblemList problems={problems} />}
      <IdentitySection />
    </div>
  );
}

/** Once the fields say what is wrong with them: whoever pressed the button is taken to the first. */
function focusFirstProblem(): void {
  document.querySelector<HTMLElement>('main [aria-invalid="true"]')?.focus();
}
