// The form of a job, new or not. Its one state is the draft: every field writes into it, and so does the JSON. The server is asked
// all the while what it thinks of it, and says at the fields what is wrong before anybody presses a button.

import type { Job, Problem } from "punctual/client";
import { cx } from "../../ui/class-names.ts";
import { Notice } from "../../ui/notice.tsx";
import { ChangedMeanwhile } from "./changed-meanwhile.tsx";
import { DraftProvider } from "./draft-context.tsx";
import { IdentitySection } from "./identity-section.tsx";
import { JobAsJson } from "./job-as-json.tsx";
import type { JobDraft } from "./job-draft.ts";
import { LeaveQuestion } from "./leave-question.tsx";
import { NewerVersion } from "./newer-version.tsx";
import { ProblemList } from "./problem-list.tsx";
import { unplaced } from "./problems.ts";
import { RetrySection } from "./retry-section.tsx";
import { RulesSection } from "./rules-section.tsx";
import { SaveBar } from "./save-bar.tsx";
import { SchedulePreviewCard } from "./schedule-preview.tsx";
import { ScheduleSection } from "./schedule-section.tsx";
import { TargetSection } from "./target-section.tsx";
import { useJobForm } from "./use-job-form.ts";

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
  const { inForm, standing, preview, warnings, newer, theirs, ...form } = useJobForm(start, job);
  const { draft, job: base, problems } = inForm;
  return (
    <DraftProvider value={inForm}>
      {newer !== null && base !== null && <NewerVersion base={base} newer={newer} onLook={() => form.look(newer)} />}
      <div className="grid items-start gap-4 xl:grid-cols-[minmax(0,1fr)_22rem] [&>*]:min-w-0">
        {asJson ? <JobAsJson onChange={form.replace} /> : <Identity problems={unplaced(problems, draft)} />}
        {!asJson && <ScheduleSection />}
        <aside
          aria-label="What comes of it"
          className={cx(
            "flex flex-col gap-4 xl:sticky xl:top-16 xl:col-start-2 xl:row-start-1",
            !asJson && "xl:row-span-5",
          )}
        >
          <SchedulePreviewCard draft={draft} preview={preview} />
          {warnings
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
      <SaveBar job={base} busy={form.saving} standing={standing} onSave={form.save} />
      {theirs !== null && base !== null && (
        <ChangedMeanwhile
          base={base}
          theirs={theirs}
          mine={draft}
          onClose={() => form.look(null)}
          onChoose={form.goOnFrom}
        />
      )}
      <LeaveQuestion unsaved={standing.unsaved && !form.leaving} />
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
