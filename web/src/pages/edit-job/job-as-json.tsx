import type { Json } from "punctual/client";
import { useEffect } from "react";
import { Card } from "../../ui/card.tsx";
import { JsonEditor } from "../../ui/json-editor.tsx";
import { useDraft } from "./draft-context.tsx";
import { readJson } from "./draft-fields.tsx";
import { inOrder, type JobDraft } from "./job-draft.ts";
import { ProblemList } from "./problem-list.tsx";
import { useWrittenText } from "./written-text.ts";

const PATH = "JSON";

/** The whole job as it will be sent. What is changed here is changed in the form. */
export function JobAsJson({ onChange }: { onChange: (draft: JobDraft) => void }) {
  const { draft, problems, setBroken } = useDraft();
  const { text, broken, setText } = useWrittenText<JobDraft>(draft, {
    write: (job) => JSON.stringify(inOrder(job), null, 2),
    read: (typed) => asDraft(readJson(typed)?.value),
    onChange,
  });
  useEffect(() => {
    setBroken(PATH, broken);
    return () => setBroken(PATH, false);
  }, [broken, setBroken]);
  const shape = broken && readJson(text) !== null ? "A job is an object: it begins with { and ends with }." : null;
  return (
    <Card>
      <div className="flex flex-col gap-3">
        <JsonEditor
          label="Job as JSON"
          about="As PUT /api/v1/jobs takes it. Fields that are left out get the server’s presets; unknown ones are refused."
          value={text}
          onChange={setText}
          error={shape}
          height="min(36rem, 55vh)"
        />
        {!broken && problems.length > 0 && <ProblemList problems={problems} />}
      </div>
    </Card>
  );
}

function asDraft(value: Json | undefined): { value: JobDraft } | null {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? { value } : null;
}
