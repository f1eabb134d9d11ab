import type { Job } from "punctual/client";
import { useEffect, useState } from "react";
import { useCheck } from "./check.ts";
import type { DraftInForm } from "./draft-context.tsx";
import { useDraftState } from "./draft-state.ts";
import { draftOf, type JobDraft, sameJson } from "./job-draft.ts";
import { distinct, problemsOf, withMissingName, withoutUnwritten } from "./problems.ts";
import { useSaveJob } from "./save-job.ts";
import { useSchedulePreview } from "./schedule-preview.tsx";

/** All that the form knows and does, apart from how it looks. */
export function useJobForm(start: JobDraft, job: Job | null) {
  const { draft, base, tried, broken, change, replace, setTried, setBroken, rebase } = useDraftState(start, job);
  const unsaved = !sameJson(draft, base === null ? start : draftOf(base));
  const preview = useSchedulePreview(draft);
  const check = useCheck(draft, base, unsaved);
  // The job as somebody else has saved it meanwhile, while it is looked at.
  const [theirs, setTheirs] = useState<Job | null>(null);
  const save = useSaveJob({ base, onMismatch: setTheirs });

  // What was said when it was saved holds until something is changed.
  const refused = save.variables?.draft === draft ? problemsOf(save.error) : [];
  const found = distinct([...check.problems, ...problemsOf(preview.error), ...refused]);
  const problems = tried ? withMissingName(found, draft) : withoutUnwritten(found, draft);
  useEffect(() => {
    if (save.error !== null) focusFirstProblem();
  }, [save.error]);

  // Who has changed nothing yet goes on from what is newest.
  const newer = base !== null && job !== null && job.version > base.version ? job : null;
  useEffect(() => {
    if (newer !== null && !unsaved) rebase(newer, draftOf(newer));
  }, [newer, unsaved, rebase]);

  return {
    inForm: { draft, job: base, problems, change, setBroken } satisfies DraftInForm,
    replace,
    preview,
    warnings: check.warnings,
    // What is being saved here is newer, too, and no news.
    newer: unsaved && !save.isPending && !save.isSuccess ? newer : null,
    theirs,
    look: setTheirs,
    goOnFrom: (chosen: JobDraft) => {
      if (theirs !== null) rebase(theirs, chosen);
      setTheirs(null);
      save.reset();
    },
    standing: { problems: problems.length, broken, unsaved },
    leaving: save.isSuccess,
    saving: save.isPending,
    save: (paused: boolean) => {
      setTried(true);
      if (broken) focusFirstProblem();
      else save.mutate({ draft, paused });
    },
  };
}

/** Once the fields say what is wrong with them: whoever pressed the button is taken to the first. An editor has its field inside. */
function focusFirstProblem(): void {
  const [first] = document.querySelectorAll<HTMLElement>(
    'main :is([aria-invalid="true"], [data-invalid], [role="alert"])',
  );
  const field = first?.shadowRoot?.querySelector<HTMLElement>("[contenteditable]") ?? first;
  field?.focus();
  first?.scrollIntoView({ block: "center" });
}
